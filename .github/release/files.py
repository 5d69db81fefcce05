"""Archives whose bytes depend on what is in them and on nothing else: no time of day, no user, no order of a disk."""

import gzip
import hashlib
import io
import os
import subprocess
import tarfile
import time
import zipfile

from product import ROOT


def moment():
    """The time that files in packages carry: SOURCE_DATE_EPOCH, or the time of the commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    asked = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False)
    # Zip knows no time before 1980.
    return int(asked.stdout) if asked.returncode == 0 and asked.stdout.strip() else 315619200


def write_tar_gz(path, members):
    """`members`: (name, bytes, mode) each."""
    held = io.BytesIO()
    when = moment()
    with tarfile.open(fileobj=held, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data, mode in members:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(data), mode, when
            archive.addfile(entry, io.BytesIO(data))
    with open(path, "wb") as out, gzip.GzipFile(filename="", fileobj=out, mode="wb", compresslevel=9, mtime=when) as packed:
        packed.write(held.getvalue())
    return path


def write_zip(path, members):
    when = time.gmtime(moment())[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data, mode in members:
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, or the mode is not read
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data)
    return path


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for part in iter(lambda: file.read(1 << 20), b""):
            digest.update(part)
    return digest.hexdigest()
