"""What a host is given: folders of its own, the scripted model's address, and our server on stdio or over HTTP."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

PROMPT = "Tell Anna on my phone that I am late, then switch its Wi-Fi off."
DRIVE = "Open the settings of my phone, look at them, and go home again."
TOKEN_VARIABLE = "AYEAYE_TOKEN"


@dataclass
class Place:
    tools: Path  # where the host is installed
    home: Path  # its HOME, fresh
    model: str  # http://127.0.0.1:PORT
    stdio: list  # the command of our server, or None
    url: str  # our server's address, or None
    token: str
    installer: list = None  # our program with its flags, where `ayeaye install` is to write the entry
    adb: dict = None  # the environment that leads to adb's server, where the phone is attached to one
    prompt: str = PROMPT
    told: dict = None  # what `ayeaye install` said

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

    def install(self, client, *more):
        """Has `ayeaye install` add our server to the settings that were written so far."""
        where = ["--virtual"] if self.url is None else ["--http", self.url]
        words = [*self.installer, "install", client, *([] if self.adb else where), *more, "--yes", "--json"]
        environment = self.environment(AYEAYE_HTTP_TOKEN=self.token, **(self.adb or {}))
        done = subprocess.run(words, env=environment, cwd=self.home / "work", capture_output=True, text=True)
        self.told = json.loads(done.stdout) if done.stdout.startswith("{") else {"error": done.stdout + done.stderr}
        return self.told

    def uninstall(self, client):
        words = [*self.installer, "uninstall", client, "--yes", "--json"]
        done = subprocess.run(words, env=self.environment(), cwd=self.home / "work", capture_output=True, text=True)
        return json.loads(done.stdout) if done.stdout.startswith("{") else {"error": done.stdout + done.stderr}

    def authorization(self):
        return {"Authorization": f"Bearer {self.token}"}
