"""Gemini CLI, `gemini -p`."""

from place import PROMPT

NPM = "@google/gemini-cli@0.61.0"


def command(place):
    server = {"httpUrl": place.url, "headers": place.authorization(), "trust": True}
    if place.stdio:
        server = {"command": place.stdio[0], "args": place.stdio[1:], "trust": True}
    settings = {"mcpServers": {"ayeaye": server}, "security": {"auth": {"selectedType": "gemini-api-key"}}}
    settings |= {"privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False}}
    place.write(".gemini/settings.json", settings)
    argv = [place.tools / "node_modules/.bin/gemini", "-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-p", PROMPT]
    return argv, place.environment(
        GOOGLE_GEMINI_BASE_URL=place.model, GEMINI_API_KEY="scripted", GEMINI_CLI_TRUST_WORKSPACE="true"
    )
