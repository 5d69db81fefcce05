"""Mistral Vibe, `vibe -p`, with a model of one's own. It needs Python 3.12 or newer."""

import json

from place import TOKEN_VARIABLE

PIP = ("mistral-vibe==3.0.2",)
PYTHON = "python3.12"


def command(place):
    server = f'transport = "streamable-http"\nurl = "{place.url}"\napi_key_env = "{TOKEN_VARIABLE}"'
    if place.stdio:
        command, *args = map(str, place.stdio)
        server = f'transport = "stdio"\ncommand = [{json.dumps(command)}]\nargs = {json.dumps(args)}'
    place.write(
        ".vibe/config.toml",
        f"""active_model = "scripted"
enable_telemetry = false
enable_update_checks = false
[[providers]]
name = "local"
api_base = "{place.model}/v1"
[[models]]
name = "scripted"
provider = "local"
alias = "scripted"
supports_images = true
[[mcp_servers]]
name = "ayeaye"
{server}
""",
    )
    argv = [place.tools / "bin/vibe", "-p", place.prompt, "--auto-approve", "--trust"]
    return argv, place.environment()
