#!/usr/bin/env python3
"""Fails where a Linux program needs a newer glibc than it may, or another library than glibc's own.

    .github/release/glibc.py target/x86_64-unknown-linux-gnu/release/ayeaye 2.17
"""

import re
import subprocess
import sys

# What every Linux with glibc has, and what the manylinux policies allow.
ALLOWED = re.compile(r"(libc|libm|libdl|libpthread|librt|libutil|libgcc_s)\.so\.\d+|ld-linux-[\w-]+\.so\.\d+")


def number(version):
    return tuple(int(it) for it in version.split("."))


def objdump(flag, path):
    return subprocess.run(["objdump", flag, path], check=True, capture_output=True, text=True).stdout


def main():
    path, limit = sys.argv[1:]
    symbols = set(re.findall(r"\(?GLIBC_([0-9.]+)\)?\s+(\S+)$", objdump("-T", path), re.M))
    if not symbols:
        raise SystemExit(f"{path} asks glibc for nothing: is it the right file?")
    newer = sorted(f"{name} ({version})" for version, name in symbols if number(version) > number(limit))
    libraries = re.findall(r"NEEDED\s+(\S+)", objdump("-p", path))
    others = sorted(it for it in libraries if not ALLOWED.fullmatch(it))
    if newer or others:
        raise SystemExit(f"{path} needs more than glibc {limit}: {', '.join(newer + others)}")
    newest = max((version for version, _ in symbols), key=number)
    print(f"{path} needs glibc {newest} at most, and {', '.join(libraries)}")


if __name__ == "__main__":
    main()
