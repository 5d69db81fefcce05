"""Codex CLI, `codex exec`."""

from place import PROMPT, TOKEN_VARIABLE

NPM = "@openai/codex@0.169.0"


def command(place):
    if place.stdio:
        server = f"command = {quoted(place.stdio[0])}\nargs = [{', '.join(map(quoted, place.stdio[1:]))}]"
    else:
        server = f"url = {quoted(place.url)}\nbearer_token_env_var = {quoted(TOKEN_VARIABLE)}"
    place.write(
        ".codex/config.toml",
        f"""model = "scripted"
model_provider = "local"
[model_providers.local]
name = "local"
base_url = "{place.model}/v1"
wire_api = "responses"
[analytics]
enabled = false
[mcp_servers.ayeaye]
{server}
required = true
default_tools_approval_mode = "approve"
""",
    )
    program = place.tools / "node_modules/.bin/codex"
    return [program, "exec", "--skip-git-repo-check", "--sandbox", "read-only", PROMPT], place.environment()


def quoted(text):
    return '"' + str(text).replace("\\", "\\\\").replace('"', '\\"') + '"'
