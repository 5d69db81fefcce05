"""The npm packages: one for each system with the binary, and `ayeaye`, which has a package of every system as an
optional dependency (npm installs the one that fits) and a script that starts it."""

import json

import product
from files import write_tar_gz


def common(repository):
    return {
        "version": product.version(),
        "license": product.LICENSE,
        "repository": {"type": "git", "url": f"git+{repository.url}.git"},
        "homepage": f"{repository.url}#readme",
        "bugs": {"url": f"{repository.url}/issues"},
        "publishConfig": {"access": "public"},
    }


def packed(out, manifest, members):
    """What `npm pack` would write."""
    name = manifest["name"].lstrip("@").replace("/", "-")
    text = json.dumps(manifest, indent=2) + "\n"
    everything = [("package.json", text.encode(), 0o644), *members]
    return write_tar_gz(out / f"{name}-{manifest['version']}.tgz", [(f"package/{path}", *rest) for path, *rest in everything])


def system_manifest(target, repository):
    manifest = {
        "name": target.npm_package,
        "description": f"The program of the package {product.NPM_NAME} for {target.npm_os} on {target.npm_cpu}.",
        **common(repository),
        "os": [target.npm_os],
        "cpu": [target.npm_cpu],
        # Yarn would leave the program inside a zip.
        "preferUnplugged": True,
        "files": ["bin"],
    }
    if target.npm_libc:
        manifest["libc"] = [target.npm_libc]
    return manifest


def write_system(out, target, binary, texts, repository):
    manifest = system_manifest(target, repository)
    about = f"# {target.npm_package}\n\n{manifest['description']} Install `{product.NPM_NAME}`, not this.\n"
    members = [
        (f"bin/{target.binary}", binary, 0o755),
        ("README.md", about.encode(), 0o644),
        *((name, data, 0o644) for name, data in texts.items()),
    ]
    return packed(out, manifest, members)


def main_manifest(repository):
    return {
        "name": product.NPM_NAME,
        "description": product.SUMMARY,
        **common(repository),
        "keywords": list(product.KEYWORDS),
        # By this the MCP registry knows that package and server have one owner.
        "mcpName": repository.server_name,
        "bin": {product.NAME: "bin/ayeaye.js"},
        "files": ["bin"],
        "engines": {"node": ">=12"},
        "optionalDependencies": {it.npm_package: product.version() for it in product.TARGETS},
    }


def write_main(out, texts, repository, readme):
    launcher = (product.HERE / "npm" / "ayeaye.js").read_bytes()
    members = [
        ("bin/ayeaye.js", launcher, 0o755),
        ("README.md", readme.encode(), 0o644),
        *((name, data, 0o644) for name, data in texts.items()),
    ]
    return packed(out, main_manifest(repository), members)
