"""The wheel: the finished binary as a script, and a small package that starts it.

Not made by maturin: its wheel of a program needs a pyproject.toml beside Cargo.toml, and it compiles. Here the binary
exists already, the same bytes as in the archive, and a wheel is a zip with four files that say what is in it.
"""

import base64
import hashlib

import product
from files import write_zip


def metadata(version, repository, readme):
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {product.PYPI_NAME}",
        f"Version: {version}",
        f"Summary: {product.SUMMARY}",
        f"Keywords: {','.join(product.KEYWORDS)}",
        f"License-Expression: {product.LICENSE}",
        *(f"License-File: {name}" for name in (*product.LICENSE_FILES, product.NOTICES)),
        "Classifier: Development Status :: 4 - Beta",
        "Classifier: Environment :: Console",
        "Classifier: Operating System :: MacOS",
        "Classifier: Operating System :: Microsoft :: Windows",
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Programming Language :: Rust",
        "Classifier: Topic :: Software Development :: Testing",
        "Requires-Python: >=3.7",
        f"Project-URL: Source, {repository.url}",
        f"Project-URL: Documentation, {repository.url}/tree/main/docs",
        f"Project-URL: Changelog, {repository.url}/blob/main/docs/changelog.md",
        f"Project-URL: Issues, {repository.url}/issues",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + readme


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"


def write(out, target, binary, texts, repository, readme):
    """`texts`: the licences and notices, by name."""
    version = product.python_version(product.version())
    distribution = product.PYPI_NAME.replace("-", "_")
    info = f"{distribution}-{version}.dist-info"
    tags = "".join(f"Tag: py3-none-{platform}\n" for platform in target.wheel.split("."))
    start = (product.HERE / "python" / "__main__.py").read_bytes()
    members = [
        (f"{distribution}/__init__.py", b'"""Starts the program `ayeaye`: `python -m ayeaye_mcp`."""\n', 0o644),
        (f"{distribution}/__main__.py", start, 0o644),
        (f"{distribution}-{version}.data/scripts/{target.binary}", binary, 0o755),
        (f"{info}/METADATA", metadata(version, repository, readme).encode(), 0o644),
        (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: {product.NAME}\nRoot-Is-Purelib: false\n{tags}".encode(), 0o644),
        (f"{info}/entry_points.txt", f"[console_scripts]\n{product.PYPI_NAME} = {distribution}.__main__:main\n".encode(), 0o644),
        *((f"{info}/licenses/{name}", data, 0o644) for name, data in texts.items()),
    ]
    record = "".join(record_line(name, data) + "\n" for name, data, _ in members) + f"{info}/RECORD,,\n"
    members.append((f"{info}/RECORD", record.encode(), 0o644))
    return write_zip(out / f"{distribution}-{version}-py3-none-{target.wheel}.whl", members)
