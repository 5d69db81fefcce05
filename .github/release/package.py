#!/usr/bin/env python3
"""The packages of one system, out of its finished binary: archive, wheel, and npm package.

    .github/release/package.py --target x86_64-unknown-linux-gnu --binary target/.../ayeaye --notices FILE --out target/dist
"""

import argparse
from pathlib import Path

import npm
import product
import wheel
from files import write_tar_gz, write_zip

# The binary's promised size.
LIMIT = 30_000_000


def texts(notices):
    held = {name: (product.ROOT / name).read_bytes() for name in product.LICENSE_FILES}
    held[product.NOTICES] = Path(notices).read_bytes()
    return held


def readme(repository):
    text = (product.HERE / "package-readme.md").read_text()
    return text.replace("{repository}", repository.url).replace("{server_name}", repository.server_name)


def write_archive(out, target, binary, held, about):
    members = [
        (f"{target.folder}/{target.binary}", binary, 0o755),
        (f"{target.folder}/README.md", about.encode(), 0o644),
        *((f"{target.folder}/{name}", data, 0o644) for name, data in held.items()),
    ]
    return (write_zip if target.windows else write_tar_gz)(out / target.archive, members)


def packages(out, target, binary, notices, repository):
    out.mkdir(parents=True, exist_ok=True)
    data, held, about = Path(binary).read_bytes(), texts(notices), readme(repository)
    return [
        write_archive(out, target, data, held, about),
        wheel.write(out, target, data, held, repository, about),
        npm.write_system(out, target, data, held, repository),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", required=True, type=product.target)
    parser.add_argument("--binary", required=True, type=Path)
    parser.add_argument("--notices", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--any-size", action="store_true", help="take a binary above the promised size: for trying the packages")
    product.add_repository(parser)
    options = parser.parse_args()
    size = options.binary.stat().st_size
    if size >= LIMIT and not options.any_size:
        raise SystemExit(f"{options.binary} has {size / 1e6:.1f} MB, promised: below {LIMIT / 1e6:.0f}")
    repository = product.Repository(options.repository)
    for path in packages(options.out, options.target, options.binary, options.notices, repository):
        print(f"{path.stat().st_size / 1e6:6.2f} MB  {path.name}")


if __name__ == "__main__":
    main()
