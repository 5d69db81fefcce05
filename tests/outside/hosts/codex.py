"""Codex CLI, `codex exec`."""

from place import TOKEN_VARIABLE

NPM = "@openai/codex@0.169.0"
CLIENT, SETTINGS = "codex", ".codex/config.toml"


def command(place):
    if place.stdio:
        server = f"command = {quoted(place.stdio[0])}\nargs = [{', '.join(map(quoted, place.stdio[1:]))}]"
    else:
        server = f"url = {quoted(place.url)}\nbearer_token_env_var = {quoted(TOKEN_VARIABLE)}"
    entry = f"""[mcp_servers.ayeaye]
{server}
required = true
default_tools_approval_mode = "approve"
"""
    place.write(
        SETTINGS,
        f"""# the tests' own
model = "scripted"
model_provider = "local"
[model_providers.local]
name = "local"
base_url = "{place.model}/v1"
wire_api = "responses"
[analytics]
enabled = false
{"" if place.installer else entry}""",
    )
    # What `ayeaye install` leaves to the person: whether acts are asked for.
    more = ["-c", 'mcp_servers.ayeaye.default_tools_approval_mode="approve"'] if place.installer else []
    if place.installer:
        place.install(CLIENT)
    program = place.tools / "node_modules/.bin/codex"
    argv = [program, "exec", *more, "--skip-git-repo-check", "--sandbox", "read-only", place.prompt]
    return argv, place.environment()


def quoted(text):
    return '"' + str(text).replace("\\", "\\\\").replace('"', '\\"') + '"'
