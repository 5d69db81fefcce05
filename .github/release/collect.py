#!/usr/bin/env python3
"""What there is once for all systems, made after their packages: the npm package `ayeaye`, the Homebrew formula, the MCP
registry's server.json, the release notes, and SHA256SUMS over everything.

    .github/release/collect.py --dist target/dist --notices FILE
"""

import argparse
import json
from pathlib import Path

import changelog
import npm
import package
import product
from files import sha256

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
# Not files of the release: read by the workflow.
NOTES = "release-notes.md"


def server_json(repository, bundle_digest=None):
    version = product.version()
    serve = {"type": "positional", "value": "serve"}
    stdio = {"type": "stdio"}
    variables = [
        {
            "name": "AYEAYE_MODEL_BASE_URL",
            "description": "An OpenAI-compatible endpoint with a vision model; without one the client's own model drives",
            "placeholder": "http://127.0.0.1:11434/v1",
        },
        {"name": "AYEAYE_MODEL_NAME", "description": "The model's name at that endpoint", "placeholder": "gelab-zero-4b-preview"},
        {"name": "AYEAYE_MODEL_API_KEY", "description": "The endpoint's key, if it wants one", "isSecret": True},
    ]
    common = {"transport": stdio, "packageArguments": [serve], "environmentVariables": variables}
    packages = [
        {"registryType": "npm", "identifier": product.NPM_NAME, "version": version, "runtimeHint": "npx", **common},
        {
            "registryType": "pypi",
            "identifier": product.PYPI_NAME,
            "version": product.python_version(version),
            "runtimeHint": "uvx",
            **common,
        },
        {
            "registryType": "oci",
            "identifier": f"{repository.image}:{version}",
            "runtimeHint": "docker",
            **common,
            # The host's adb server has the phones, and the volume what has to outlive the container: as in container/Dockerfile.
            "runtimeArguments": [
                {"type": "named", "name": "--volume", "value": "ayeaye:/data"},
                {"type": "named", "name": "--add-host", "value": "host.docker.internal:host-gateway"},
            ],
            "environmentVariables": [
                *variables,
                {
                    "name": "ADB_SERVER_SOCKET",
                    "description": "The host's adb server, started there with `adb -a nodaemon server start`",
                    "default": "tcp:host.docker.internal:5037",
                },
            ],
        },
    ]
    if bundle_digest:
        packages.append(
            {
                "registryType": "mcpb",
                "identifier": repository.asset(version, f"{product.NAME}.mcpb"),
                "fileSha256": bundle_digest,
                # Its own manifest says `serve`, and what to ask for.
                "transport": stdio,
            }
        )
    return {
        "$schema": SCHEMA,
        "name": repository.server_name,
        "title": product.TITLE,
        "description": product.SUMMARY,
        "version": version,
        "repository": {"url": repository.url, "source": "github"},
        "packages": packages,
    }


def formula(repository, digests):
    """`digests`: SHA-256 of the archives by name."""
    text = (product.HERE / "formula.rb").read_text()
    release = product.version()
    values = {"homepage": repository.url, "version": release}
    for target in product.TARGETS:
        if not target.windows:
            values[f"url {target.triple}"] = repository.asset(release, target.archive)
            values[f"sha256 {target.triple}"] = digests[target.archive]
    for name, value in values.items():
        if "{" + name + "}" not in text:
            raise SystemExit(f"formula.rb has no place for {name}")
        text = text.replace("{" + name + "}", value)
    return text


def sums(dist):
    paths = sorted(it for it in dist.iterdir() if it.is_file() and it.name not in ("SHA256SUMS", NOTES))
    return "".join(f"{sha256(it)}  {it.name}\n" for it in paths)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dist", required=True, type=Path, help="where the packages of the systems are")
    parser.add_argument("--notices", required=True, type=Path)
    parser.add_argument("--partial", action="store_true", help="not every system is there: no formula; for trying the packages")
    product.add_repository(parser)
    options = parser.parse_args()
    repository, dist = product.Repository(options.repository), options.dist

    archives = {it.archive: dist / it.archive for it in product.TARGETS}
    missing = sorted(name for name, path in archives.items() if not path.is_file())
    if missing and not options.partial:
        raise SystemExit(f"{dist} lacks {', '.join(missing)}")
    npm.write_main(dist, package.texts(options.notices), repository, package.readme(repository))
    if not missing:
        (dist / f"{product.NAME}.rb").write_text(formula(repository, {name: sha256(path) for name, path in archives.items()}))
    bundle = dist / f"{product.NAME}.mcpb"
    described = server_json(repository, sha256(bundle) if bundle.is_file() else None)
    (dist / "server.json").write_text(json.dumps(described, indent=2) + "\n")
    (dist / product.NOTICES).write_bytes(options.notices.read_bytes())
    (dist / NOTES).write_text(changelog.section(product.version()))
    (dist / "SHA256SUMS").write_text(sums(dist))
    for path in sorted(dist.iterdir()):
        print(f"{path.stat().st_size / 1e6:6.2f} MB  {path.name}")


if __name__ == "__main__":
    main()
