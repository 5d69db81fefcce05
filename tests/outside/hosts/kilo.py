"""Kilo Code's command line, `kilo run`; a fork of opencode, with the same settings."""

import json

NPM = "@kilocode/cli-linux-x64@7.7.7"  # the program alone: the package around it only looks for it
CLIENT, SETTINGS = "kilo", ".config/kilo/kilo.json"


def command(place):
    server = {"type": "remote", "url": place.url, "headers": place.authorization(), "oauth": False}
    if place.stdio:
        server = {"type": "local", "command": place.stdio}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "local", "models": {"scripted": {"name": "scripted"}}}
    provider["options"] = {"baseURL": f"{place.model}/v1", "apiKey": "scripted"}
    config = {"model": "local/scripted", "small_model": "local/scripted", "provider": {"local": provider}}
    config |= {"autoupdate": False, "share": "disabled"}
    if not place.installer:
        config["mcp"] = {"ayeaye": {**server, "enabled": True}}
    place.write(SETTINGS, json.dumps(config, indent=2) + "\n")
    if place.installer:
        place.install(CLIENT)
    program = place.tools / "node_modules/@kilocode/cli-linux-x64/bin/kilo"
    environment = place.environment(KILO_DISABLE_MODELS_FETCH="1", KILO_DISABLE_LSP_DOWNLOAD="1")
    return [program, "run", "--auto", place.prompt], environment
