"""Claude Code, `claude -p`."""

from place import PROMPT

NPM = "@anthropic-ai/claude-code@2.1.330"


def command(place):
    server = {"type": "http", "url": place.url, "headers": place.authorization()}
    if place.stdio:
        server = {"type": "stdio", "command": place.stdio[0], "args": place.stdio[1:]}
    config = place.write("mcp.json", {"mcpServers": {"ayeaye": server}})
    # The package's own start script needs a newer Node than many machines have; the program beside it does not.
    program = place.tools / "node_modules/@anthropic-ai/claude-code-linux-x64/claude"
    argv = [program, "-p", PROMPT, "--mcp-config", config, "--strict-mcp-config", "--allowedTools", "mcp__ayeaye"]
    return argv, place.environment(
        ANTHROPIC_BASE_URL=place.model,
        ANTHROPIC_API_KEY="scripted",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        DISABLE_AUTOUPDATER="1",
    )
