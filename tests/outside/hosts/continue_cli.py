"""Continue's command line, `cn -p`. It does not read what `ayeaye install continue` writes, so that there is no CLIENT."""

import json

from place import TOKEN_VARIABLE

NPM = "@continuedev/cli@1.5.47"


def command(place):
    server = {"name": "ayeaye", "type": "streamable-http", "url": place.url}
    server["requestOptions"] = {"headers": {"Authorization": "Bearer ${{ secrets.%s }}" % TOKEN_VARIABLE}}
    if place.stdio:
        server = {"name": "ayeaye", "command": place.stdio[0], "args": place.stdio[1:]}
    model = {"name": "scripted", "provider": "openai", "model": "scripted", "apiKey": "scripted"}
    model |= {"apiBase": f"{place.model}/v1", "roles": ["chat"], "capabilities": ["tool_use"]}
    config = {"name": "tests", "version": "1.0.0", "schema": "v1", "models": [model], "mcpServers": [server]}
    place.write(".continue/config.yaml", json.dumps(config, indent=1))  # JSON is YAML
    program = place.tools / "node_modules/.bin/cn"
    argv = [program, "--auto", "-p", place.prompt]
    return argv, place.environment(CONTINUE_METRICS_ENABLED="0", CONTINUE_CLI_ENABLE_TELEMETRY="0")
