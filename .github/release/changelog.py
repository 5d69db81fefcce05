"""Reads and cuts docs/changelog.md: `## 0.2.0, 2026-12-01` for what is out, `## Unreleased` or `## 0.2.0, unreleased` for what is not."""

import re

from product import ROOT

PATH = "docs/changelog.md"
# GitHub takes no longer text for a release: "body is too long (maximum is 125000 characters)".
LONGEST = 125_000


def headings(text):
    """(start, end of the line, title) of each version's heading."""
    return [(it.start(), it.end(), it.group(1)) for it in re.finditer(r"^## (.+)$", text, re.M)]


def unreleased(title):
    return title.lower() == "unreleased" or title.lower().endswith(", unreleased")


def body(text, index, found):
    end = found[index + 1][0] if index + 1 < len(found) else len(text)
    return text[found[index][1] : end].strip()


def section(version, root=ROOT):
    """What changed in a version, for the release's page; what is not out yet where that version is not cut."""
    text = (root / PATH).read_text()
    found = headings(text)
    for index, (_, _, title) in enumerate(found):
        if title.split(",")[0] == version or unreleased(title):
            found_text = body(text, index, found) + "\n"
            if LONGEST < len(found_text):
                raise SystemExit(f"{PATH}: the section for {version} has {len(found_text)} characters, and a release's page takes {LONGEST}: shorten it")
            return found_text
    raise SystemExit(f"{PATH} has no section for {version}")


def cut(text, version, day):
    """The text with its newest section turned into that version's."""
    found = headings(text)
    if not found or not unreleased(found[0][2]):
        raise SystemExit(f"{PATH} does not begin with `## Unreleased`: nothing to release")
    if not body(text, 0, found):
        raise SystemExit(f"{PATH}: the section of what is unreleased is empty")
    planned = found[0][2].split(",")[0]
    if planned.lower() != "unreleased" and planned != version:
        raise SystemExit(f"{PATH} announces {planned}, not {version}")
    if any(title.split(",")[0] == version and not unreleased(title) for _, _, title in found):
        raise SystemExit(f"{PATH} has a section for {version} already")
    start, end, _ = found[0]
    return text[:start] + f"## {version}, {day}" + text[end:]
