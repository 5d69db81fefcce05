"""Claude Code, `claude -p`."""

NPM = "@anthropic-ai/claude-code@2.1.330"
CLIENT, SETTINGS = "claude-code", ".claude.json"


def command(place):
    server = {"type": "http", "url": place.url, "headers": place.authorization()}
    if place.stdio:
        server = {"type": "stdio", "command": place.stdio[0], "args": place.stdio[1:]}
    if place.installer:
        place.write(SETTINGS, {"numStartups": 1, "hasCompletedOnboarding": True})
        place.install(CLIENT)
        servers = []
    else:
        config = place.write("mcp.json", {"mcpServers": {"ayeaye": server}})
        servers = ["--mcp-config", config, "--strict-mcp-config"]
    # The package's own start script needs a newer Node than many machines have; the program beside it does not.
    program = place.tools / "node_modules/@anthropic-ai/claude-code-linux-x64/claude"
    argv = [program, "-p", place.prompt, *servers, "--allowedTools", "mcp__ayeaye"]
    return argv, place.environment(
        ANTHROPIC_BASE_URL=place.model,
        ANTHROPIC_API_KEY="scripted",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        DISABLE_AUTOUPDATER="1",
    )
