"""What a host is given: folders of its own, the scripted model's address, and our server on stdio or over HTTP."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

PROMPT = "Tell Anna on my phone that I am late, then switch its Wi-Fi off."
TOKEN_VARIABLE = "AYEAYE_TOKEN"


@dataclass
class Place:
    tools: Path  # where the host is installed
    home: Path  # its HOME, fresh
    model: str  # http://127.0.0.1:PORT
    stdio: list  # the command of our server, or None
    url: str  # our server's address, or None
    token: str

    def write(self, name, data):
        """A file in the host's HOME; what is not text is written as JSON."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(data if isinstance(data, str) else json.dumps(data, indent=1), encoding="utf-8")
        return str(path)

    def environment(self, **more):
        """Nothing of the real user's but the path: hosts keep tokens and settings in the environment."""
        keep = {name: os.environ[name] for name in ("PATH", "LANG", "TERM", "TMPDIR") if name in os.environ}
        work = self.home / "work"
        work.mkdir(exist_ok=True)
        return {**keep, "HOME": str(self.home), TOKEN_VARIABLE: self.token, **more}

    def authorization(self):
        return {"Authorization": f"Bearer {self.token}"}
