"""What is released: the names, the version and the systems. Every package is made from these facts.

The version stands in Cargo.toml alone. Who owns the repository stands nowhere: the workflow says it.
Standard library only, and Python 3.8, since `try.py` runs on the oldest systems that are served.
"""

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent

NAME = "ayeaye"
TITLE = "Aye-aye"
# PyPI has a package `ayeaye` since 2020, somebody else's. `uvx` and `pipx run` start the command that is named as the
# package is, so the wheel brings `ayeaye-mcp` beside `ayeaye`.
PYPI_NAME = "ayeaye-mcp"
NPM_NAME = "ayeaye"
NPM_SCOPE = "@ayeaye"
LICENSE = "MIT OR Apache-2.0"
LICENSE_FILES = ("LICENSE-MIT", "LICENSE-APACHE")
NOTICES = "THIRD-PARTY-NOTICES.txt"
# At most 100 characters: the MCP registry takes no more.
SUMMARY = "An MCP server that hands tasks to Android phones and asks when in doubt; with a phone to try it on."
KEYWORDS = ("mcp", "android", "adb", "agent", "phone", "automation", "vision-language-model")


class Target:
    """One system: how Rust, Python and npm name it."""

    def __init__(self, triple, wheel, npm_os, npm_cpu, npm_libc=None):
        self.triple = triple
        self.wheel = wheel
        self.npm_os = npm_os
        self.npm_cpu = npm_cpu
        self.npm_libc = npm_libc

    @property
    def windows(self):
        return self.npm_os == "win32"

    @property
    def binary(self):
        return f"{NAME}.exe" if self.windows else NAME

    @property
    def folder(self):
        """The folder inside the archive, and the archive's name without its ending. Without the version:
        so `releases/latest/download/` has an address that stays."""
        return f"{NAME}-{self.triple}"

    @property
    def archive(self):
        return self.folder + (".zip" if self.windows else ".tar.gz")

    @property
    def npm_package(self):
        return f"{NPM_SCOPE}/{self.npm_os}-{self.npm_cpu}"


TARGETS = (
    # glibc 2.17 and newer: cargo-zigbuild links against that version wherever it runs.
    Target("x86_64-unknown-linux-gnu", "manylinux_2_17_x86_64.manylinux2014_x86_64", "linux", "x64", "glibc"),
    Target("aarch64-unknown-linux-gnu", "manylinux_2_17_aarch64.manylinux2014_aarch64", "linux", "arm64", "glibc"),
    Target("x86_64-apple-darwin", "macosx_10_12_x86_64", "darwin", "x64"),
    Target("aarch64-apple-darwin", "macosx_11_0_arm64", "darwin", "arm64"),
    Target("x86_64-pc-windows-msvc", "win_amd64", "win32", "x64"),
)


def target(triple):
    for it in TARGETS:
        if it.triple == triple:
            return it
    raise SystemExit(f"no target {triple}; there are: {', '.join(it.triple for it in TARGETS)}")


def version(root=ROOT):
    """The version of the workspace."""
    section = re.search(r"^\[workspace\.package\]\n(.*?)(?=^\[|\Z)", (root / "Cargo.toml").read_text(), re.M | re.S)
    found = section and re.search(r'^version = "([^"]+)"$', section.group(1), re.M)
    if not found:
        raise SystemExit(f"{root / 'Cargo.toml'} has no version in [workspace.package]")
    return found.group(1)


def python_version(text):
    """A version as PyPI writes it: `0.2.0-rc.1` is `0.2.0rc1` there."""
    number, _, pre = text.partition("-")
    if not pre:
        return number
    kind, _, count = pre.partition(".")
    short = {"alpha": "a", "beta": "b", "rc": "rc"}
    if kind not in short or not count.isdigit():
        raise SystemExit(f"PyPI knows no version like {text}; pre-releases are called alpha.N, beta.N or rc.N")
    return f"{number}{short[kind]}{count}"


class Repository:
    """Where the releases are: `OWNER/NAME` on GitHub."""

    def __init__(self, slug):
        if not re.fullmatch(r"[A-Za-z0-9-]+/[A-Za-z0-9._-]+", slug or ""):
            raise SystemExit(f"not a repository: {slug!r}; give --repository OWNER/NAME, or set GITHUB_REPOSITORY")
        self.slug = slug
        self.owner = slug.split("/")[0]

    @property
    def url(self):
        return f"https://github.com/{self.slug}"

    @property
    def server_name(self):
        """The name in the MCP registry, whose owner proves to be this owner on GitHub."""
        return f"io.github.{self.owner}/{NAME}"

    def asset(self, release, name):
        return f"{self.url}/releases/download/v{release}/{name}"

    @property
    def image(self):
        # Image names are in lower case.
        return f"ghcr.io/{self.owner.lower()}/{NAME}"


def add_repository(parser):
    parser.add_argument("--repository", default=os.environ.get("GITHUB_REPOSITORY"), help="OWNER/NAME on GitHub")
