#!/usr/bin/env python3
"""Links that add the server to Cursor and VS Code by a click.

    .github/release/buttons.py              prints them as Markdown
    .github/release/buttons.py --check      every such link in the pages does what these do

A page may not link to `cursor:` or `vscode:` on GitHub, so the buttons go by the makers' own pages.
"""

import argparse
import base64
import json
import re
import sys
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

import product

# As the client's own settings file has it.
COMMAND = {"command": "npx", "args": ["-y", product.NPM_NAME, "serve"]}


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def cursor(scheme="https://cursor.com/en/install-mcp"):
    config = base64.b64encode(compact(COMMAND).encode()).decode()
    return f"{scheme}?{urlencode({'name': product.NAME, 'config': config})}"


def vscode():
    return "https://vscode.dev/redirect/mcp/install?" + urlencode({"name": product.NAME, "config": compact(COMMAND)}, quote_via=quote)


def links():
    """What a person sees, the link in a web page, and the link that the program itself opens."""
    own = "vscode:mcp/install?" + quote(compact({"name": product.NAME, **COMMAND}))
    return [
        ("Cursor", cursor(), cursor("cursor://anysphere.cursor-deeplink/mcp/install")),
        ("VS Code", vscode(), own),
    ]


def decoded(link):
    """(name, command) of a link to install, `None` for any other link; ValueError for one that cannot be read."""
    parts = urlsplit(link)
    query = parse_qs(parts.query, strict_parsing=False)
    if "install-mcp" in parts.path or parts.netloc == "anysphere.cursor-deeplink":
        return query["name"][0], json.loads(base64.b64decode(query["config"][0], validate=True))
    if parts.path.endswith("redirect/mcp/install"):
        return query["name"][0], json.loads(query["config"][0])
    if parts.scheme == "vscode" and parts.path == "mcp/install":
        value = json.loads(unquote(parts.query))
        return value.pop("name"), value
    return None


def wrong_links(text):
    """The links to install in a page that do not add this server as it is to be added."""
    wrong = []
    for link in re.findall(r"(?:https?|cursor|vscode):[^\s)>\"'`\]]+", text):
        try:
            found = decoded(link)
        except (ValueError, KeyError) as error:
            found = f"it cannot be read: {error}"
        if found is not None and found != (product.NAME, COMMAND):
            wrong.append((link, found))
    return wrong


# `ayeaye` on PyPI is somebody else's program: no page may tell people to run it.
OTHER = re.compile(
    r"\b(?:uvx|pipx (?:run|install)|pip3? install|uv tool (?:run|install)|uv pip install)(?: -+\S+)*[ `]+ayeaye(?!-mcp|\.|/)\b"
    # As clients' settings have it.
    r"|\"(?:uvx|pipx)\"[\s,:\[\]\"a-z]{0,60}?\"ayeaye\""
)


def check(paths):
    complaints = []
    for path in paths:
        text = path.read_text()
        where = path.relative_to(product.ROOT)
        complaints += [f"{where}: {link} adds {found}, not {(product.NAME, COMMAND)}" for link, found in wrong_links(text)]
        complaints += [
            f"{where}: `{it.group(0)}` runs another project's program; on PyPI this one is {product.PYPI_NAME}" for it in OTHER.finditer(text)
        ]
    return complaints


def pages():
    return [product.ROOT / "README.md", product.HERE / "package-readme.md", *sorted((product.ROOT / "docs").rglob("*.md"))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        complaints = check(pages())
        print("\n".join(complaints))
        sys.exit(1 if complaints else 0)
    for label, page, own in links():
        print(f"[![Add to {label}](https://img.shields.io/badge/Add_to-{quote(label.replace(' ', '_'))}-2b2b2b)]({page})")
        print(f"    {own}")


if __name__ == "__main__":
    main()
