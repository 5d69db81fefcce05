"""opencode, `opencode run`."""

import json

NPM = "opencode-ai@1.18.33"
CLIENT, SETTINGS = "opencode", ".config/opencode/opencode.jsonc"


def write_settings(place, client, settings):
    server = {"type": "remote", "url": place.url, "headers": place.authorization(), "oauth": False}
    if place.stdio:
        server = {"type": "local", "command": place.stdio}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "local", "models": {"scripted": {"name": "scripted"}}}
    provider["options"] = {"baseURL": f"{place.model}/v1", "apiKey": "scripted"}
    config = {"model": "local/scripted", "small_model": "local/scripted", "provider": {"local": provider}}
    config |= {"autoupdate": False, "share": "disabled"}
    if not place.installer:
        config["mcp"] = {"ayeaye": {**server, "enabled": True}}
    comment = "// the tests' own\n" if settings.endswith(".jsonc") else ""
    place.write(settings, comment + json.dumps(config, indent="\t") + "\n")
    if place.installer:
        place.install(client)


def command(place):
    write_settings(place, CLIENT, SETTINGS)
    # The program itself: the package's start script wants an install script to have run.
    program = place.tools / "node_modules/opencode-linux-x64/bin/opencode"
    return [program, "run", place.prompt], place.environment(OPENCODE_DISABLE_MODELS_FETCH="1", OPENCODE_DISABLE_LSP_DOWNLOAD="1")
