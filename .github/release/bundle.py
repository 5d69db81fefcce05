#!/usr/bin/env python3
"""The MCP bundle (.mcpb): one file that Claude Desktop and others install by a double click.

    .github/release/bundle.py --darwin UNIVERSAL --linux BINARY --win32 BINARY --notices FILE --out target/dist

The manifest can tell systems apart, but not processors, so macOS needs one binary for both (`lipo`), and Linux is x86-64.
Systems whose binary is not given are not in the bundle, and its manifest says so.
"""

import argparse
import json
from pathlib import Path

import package
import product
from files import write_zip

SYSTEMS = ("darwin", "linux", "win32")
# The server's icon, ten times as large: the size that is asked for is 512 pixels.
ICON = product.HERE / "icon.png"


def command(system):
    name = f"{product.NAME}.exe" if system == "win32" else product.NAME
    return f"server/{system}/{name}"


def manifest(systems, repository):
    # Left empty a setting is not set: the program takes an empty variable for none.
    asked = {
        "model_base_url": {
            "type": "string",
            "title": "Model: address",
            "description": "An OpenAI-compatible endpoint with a vision model, such as http://127.0.0.1:11434/v1. "
            "Empty: Claude itself drives the phone.",
            "required": False,
            "default": "",
        },
        "model_name": {
            "type": "string",
            "title": "Model: name",
            "description": "As the endpoint calls it, such as gelab-zero-4b-preview.",
            "required": False,
            "default": "",
        },
        "model_api_key": {
            "type": "string",
            "title": "Model: key",
            "description": "For endpoints that want one.",
            "sensitive": True,
            "required": False,
            "default": "",
        },
        "config": {
            "type": "string",
            "title": "Settings file",
            "description": "The whole path of an ayeaye.toml, for everything else. Empty: the usual place.",
            "required": False,
            "default": "",
        },
    }
    variables = {
        "AYEAYE_MODEL_BASE_URL": "${user_config.model_base_url}",
        "AYEAYE_MODEL_NAME": "${user_config.model_name}",
        "AYEAYE_MODEL_API_KEY": "${user_config.model_api_key}",
        "AYEAYE_CONFIG": "${user_config.config}",
    }
    first = systems[0]
    return {
        "manifest_version": "0.3",
        "name": product.NAME,
        "display_name": product.TITLE,
        "version": product.version(),
        "description": product.SUMMARY,
        "author": {"name": f"{product.TITLE} contributors", "url": repository.url},
        "repository": {"type": "git", "url": f"{repository.url}.git"},
        "homepage": repository.url,
        "documentation": f"{repository.url}/tree/main/docs",
        "support": f"{repository.url}/issues",
        "icon": "icon.png",
        "license": product.LICENSE,
        "keywords": list(product.KEYWORDS),
        "server": {
            "type": "binary",
            "entry_point": command(first),
            "mcp_config": {
                "command": "${__dirname}/" + command(first),
                "args": ["serve"],
                "env": variables,
                "platform_overrides": {it: {"command": "${__dirname}/" + command(it)} for it in systems},
            },
        },
        # Which tools there are depends on the settings.
        "tools_generated": True,
        "compatibility": {"platforms": list(systems)},
        "user_config": asked,
    }


def write(out, binaries, notices, repository):
    """`binaries`: paths by system."""
    systems = [it for it in SYSTEMS if it in binaries]
    text = json.dumps(manifest(systems, repository), indent=2, ensure_ascii=False) + "\n"
    members = [
        ("manifest.json", text.encode(), 0o644),
        ("icon.png", ICON.read_bytes(), 0o644),
        *((name, data, 0o644) for name, data in package.texts(notices).items()),
        *((command(it), Path(binaries[it]).read_bytes(), 0o755) for it in systems),
    ]
    return write_zip(out / f"{product.NAME}.mcpb", members)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for system in SYSTEMS:
        parser.add_argument(f"--{system}", type=Path, help=f"the binary for {system}")
    parser.add_argument("--notices", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    product.add_repository(parser)
    options = parser.parse_args()
    binaries = {it: getattr(options, it) for it in SYSTEMS if getattr(options, it)}
    if not binaries:
        parser.error("no binary given")
    options.out.mkdir(parents=True, exist_ok=True)
    path = write(options.out, binaries, options.notices, product.Repository(options.repository))
    print(f"{path.stat().st_size / 1e6:6.2f} MB  {path.name} for {', '.join(binaries)}")


if __name__ == "__main__":
    main()
