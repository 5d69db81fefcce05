"""GitHub Copilot CLI, `copilot -p`, with a model of one's own and no account."""

import json

NPM = "@github/copilot@1.0.102"
CLIENT, SETTINGS = "copilot-cli", ".copilot/mcp-config.json"


def command(place):
    server = {"type": "http", "url": place.url, "headers": place.authorization()}
    if place.stdio:
        server = {"type": "local", "command": place.stdio[0], "args": place.stdio[1:]}
    entry = {} if place.installer else {"ayeaye": {**server, "tools": ["*"]}}
    place.write(SETTINGS, json.dumps({"mcpServers": entry}, indent=2) + "\n")
    if place.installer:
        place.install(CLIENT)
    program = place.tools / "node_modules/@github/copilot-linux-x64/copilot"
    argv = [program, "-p", place.prompt, "--allow-all-tools", "--no-ask-user", "--no-auto-update"]
    return argv, place.environment(
        COPILOT_OFFLINE="true", COPILOT_PROVIDER_BASE_URL=f"{place.model}/v1", COPILOT_MODEL="scripted"
    )
