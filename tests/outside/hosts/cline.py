"""Cline's command line, `cline PROMPT`."""

NPM = "cline@3.0.65"
CLIENT, SETTINGS = "cline", ".cline/data/settings/cline_mcp_settings.json"


def command(place):
    server = {"type": "streamableHttp", "url": place.url, "headers": place.authorization()}
    if place.stdio:
        server = {"command": place.stdio[0], "args": place.stdio[1:]}
    settings = {"provider": "openai-compatible", "apiKey": "scripted", "model": "scripted", "baseUrl": f"{place.model}/v1"}
    provider = {"settings": settings, "updatedAt": "2026-11-01T00:00:00.000Z", "tokenSource": "manual"}
    providers = {"version": 1, "lastUsedProvider": "openai-compatible", "modes": {}}
    place.write(".cline/data/settings/providers.json", {**providers, "providers": {"openai-compatible": provider}})
    if place.installer:
        place.write(SETTINGS, {"mcpServers": {}})  # `run.py` compares with what was there before
        place.install(CLIENT, *["--token-in-file"] * bool(place.url))  # a header takes no variable
    else:
        place.write(SETTINGS, {"mcpServers": {"ayeaye": server}})
    program = place.tools / "node_modules/@cline/cli-linux-x64/bin/cline"
    # Otherwise a process of its own holds the session, and stays when the command has ended.
    return [program, "--json", place.prompt], place.environment(CLINE_SESSION_BACKEND_MODE="local")
