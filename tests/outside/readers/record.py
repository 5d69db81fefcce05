"""The record itself, as far as the checks compare logs with it."""

import json
from pathlib import Path


def events(data, session):
    """Events of a session; a torn tail is left out."""
    found = []
    for line in (Path(data) / "sessions" / session / "events.jsonl").read_bytes().splitlines(keepends=True):
        if line.endswith(b"\n"):
            found.append(json.loads(line))
    return found


def of(found, kind):
    return [event for event in found if event["type"] == kind]
