"""Gemini CLI, `gemini -p`."""

import json

NPM = "@google/gemini-cli@0.61.0"
CLIENT, SETTINGS = "gemini", ".gemini/settings.json"


def command(place):
    server = {"httpUrl": place.url, "headers": place.authorization(), "trust": True}
    if place.stdio:
        server = {"command": place.stdio[0], "args": place.stdio[1:], "trust": True}
    settings = {} if place.installer else {"mcpServers": {"ayeaye": server}}
    settings |= {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    settings |= {"privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False}}
    if place.installer:
        place.write(SETTINGS, "// the tests' own\n" + json.dumps(settings, indent=2) + "\n")
        place.install(CLIENT)
    else:
        place.write(SETTINGS, settings)
    program = place.tools / "node_modules/.bin/gemini"
    argv = [program, "-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-p", place.prompt]
    return argv, place.environment(
        GOOGLE_GEMINI_BASE_URL=place.model, GEMINI_API_KEY="scripted", GEMINI_CLI_TRUST_WORKSPACE="true"
    )
