"""Qwen Code, `qwen -p`, with an endpoint of OpenAI's kind."""

import json

NPM = "@qwen-code/qwen-code@0.24.4"
CLIENT, SETTINGS = "qwen", ".qwen/settings.json"


def command(place):
    server = {"httpUrl": place.url, "headers": place.authorization(), "trust": True}
    if place.stdio:
        server = {"command": place.stdio[0], "args": place.stdio[1:], "trust": True}
    settings = {"security": {"auth": {"selectedType": "openai"}}}
    settings |= {"privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False}}
    if not place.installer:
        settings["mcpServers"] = {"ayeaye": server}
    place.write(SETTINGS, json.dumps(settings, indent=2) + "\n")
    if place.installer:
        place.install(CLIENT)
    program = place.tools / "node_modules/.bin/qwen"
    argv = [program, "-m", "scripted", "--approval-mode", "yolo", "-p", place.prompt]
    return argv, place.environment(OPENAI_BASE_URL=f"{place.model}/v1", OPENAI_API_KEY="scripted")
