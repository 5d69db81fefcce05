"""Package files as small as a package manager takes them. Standard library only."""

import io
import struct
import zipfile


def apk(package):
    """An app of this name: an archive with a manifest in Android's binary XML."""
    strings = ["manifest", "package", package, "versionName", "1.0"]
    body = pool(strings) + start(0, [(1, 2), (3, 4)]) + words(0x0010_0103, 24, 1, -1, -1, 0)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("AndroidManifest.xml", words(0x0008_0003, 8 + len(body)) + body)
    return archive.getvalue()


def pool(strings):
    """The strings in UTF-8, each after its length in characters and in bytes."""
    offsets, data = [], b""
    for text in strings:
        offsets.append(len(data))
        data += bytes([len(text), len(text.encode())]) + text.encode() + b"\0"
    data += b"\0" * (-len(data) % 4)
    begin = 28 + 4 * len(offsets)
    return words(0x001C_0001, begin + len(data), len(strings), 0, 0x100, begin, 0, *offsets) + data


def start(name, attributes):
    """The beginning of an element with attributes that are strings: names and values."""
    head = [0x0010_0102, 36 + 20 * len(attributes), 1, -1, -1, name, 0x0014_0014, len(attributes), 0]
    return words(*head) + b"".join(words(-1, key, value, 0x0300_0008, value) for key, value in attributes)


def words(*numbers):
    return b"".join(struct.pack("<I", number & 0xFFFF_FFFF) for number in numbers)
