"""MCP Inspector's CLI, which has no model and makes one call a start: it only shows that the server is understood."""

NPM = "@modelcontextprotocol/inspector@2.12.0"


def command(place):
    program = [place.tools / "node_modules/.bin/mcp-inspector", "--cli"]
    if place.stdio:
        target = place.stdio
    else:
        target = [place.url, "--transport", "http", "--header", f"Authorization: Bearer {place.token}"]
    method = ["--method", "tools/list", "--format", "json", "--strict"]
    if not place.stdio:
        method.append("--stored-auth-only")
    return [*program, *target, *method], place.environment()
