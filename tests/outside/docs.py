"""Every command in README.md and docs/, run as a reader would type it, on the virtual phone; the example
tasks of docs/tasks.md with what they end with; and the programs of docs/clients.md and the calls of docs/http.md.

Only commands of ours run. What belongs to other programs (package managers, clients, model servers) is
listed with the place where it is checked; an unknown program is a failure, so that no line is forgotten.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from harness import Checks, free_port, wait_until
from run import get_text

ROOT = Path(__file__).resolve().parents[2]

# Lines for other programs: the first word, and where they are checked.
ELSEWHERE = {
    "adb": "outside: adb_tool.py",
    "apt": "the gate installs adb this way",
    "bash": "the gate itself",
    "brew": "release workflow, job homebrew",
    "cargo": "the gate: clippy, tests, docs, demo; the bench is started by hand",
    "claude": "tests/outside/hosts",
    "codex": "tests/outside/hosts",
    "copilot": "tests/outside/hosts",
    "docker": "release workflow, job container",
    "gemini": "tests/outside/hosts",
    "git": "contributors",
    "target/outside-venv/bin/python": "the gate",
    "jq": "tests/it/logs.rs",
    "llama-server": "never run here: docs/tried.md",
    "ollama": "never run here: docs/tried.md",
    "pip": "release workflow, job packages",
    "pipx": "release workflow, job packages",
    "npm": "release workflow, job packages",
    "npx": "release workflow, job packages; inspector.py",
    "uv": "release workflow, job packages",
    "uvx": "release workflow, job packages",
    "vllm": "never run here: docs/tried.md",
    "winget": "never run here: docs/tried.md",
}
# Lines of a shell around commands.
SHELL_WORDS = {"cd", "echo", "export", "ln", "mkdir", "umask", "ssh", "openssl", "curl", "python3", "set", "sudo", "tar", "#"}


def fenced(path):
    """The commands in a page's `sh` blocks; one may go over several lines, by a backslash or inside quotes."""
    page = path.relative_to(ROOT)
    commands, inside, joined, begun = [], False, "", 0
    for number, raw in enumerate(path.read_text().splitlines(), 1):
        if raw.strip().startswith("```"):
            inside = not inside and raw.strip() == "```sh"
            joined = ""
            continue
        if not inside:
            continue
        begun = begun if joined else number
        joined = f"{joined}\n{raw}" if joined else raw
        try:
            parts = shlex.split(joined.replace("\\\n", " "), comments=True)
        except ValueError:
            continue
        if joined.endswith("\\"):
            continue
        if parts:
            commands.append((f"{page}:{begun}", parts))
        joined = ""
    return commands


def ours(parts):
    """The words behind `ayeaye`, if the line is a command of ours; variables set in front are the reader's."""
    while parts and re.fullmatch(r"[A-Z_]+=.*", parts[0]):
        parts = parts[1:]
    if parts[:2] == ["cargo", "run"] and "--" in parts and "--example" not in parts:
        return parts[parts.index("--") + 1 :]
    if parts[:1] == ["ayeaye"] and len(parts) > 1:
        return parts[1:]
    return None


# What a command may end with besides 0: a question nobody answers is 3; a check may find something missing.
ENDS = {"run": {0, 3}, "continue": {0, 3}, "doctor": {0, 1}, "model": {0, 1}, "setup": {0, 3}}
# A reader would answer here; nobody sits at this terminal.
ANSWERED = {"demo": ["--yes"], "install": ["--yes"], "uninstall": ["--yes"], "setup": ["--yes"]}
# One round shows that a measurement runs: minutes of them would show no more.
ROUNDS = ["--rounds", "1"]
# These go on until they are stopped, and say this when they are ready.
SERVERS = {"serve": "ayeaye", "phone": "adb connect", "ui": "The page"}


class Reader:
    """Somebody who types the commands of one page: a home of their own, the virtual phone, a model."""

    def __init__(self, binary, device, model, key, folder):
        self.binary = binary
        self.device = device
        self.home = Path(tempfile.mkdtemp(prefix="docs-", dir=folder))
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "ADB_SERVER_SOCKET": os.environ["ADB_SERVER_SOCKET"],
            "ADB_LOCAL_TRANSPORT_MAX_PORT": "5554",
        }
        self.model = {"AYEAYE_MODEL_BASE_URL": model, "AYEAYE_MODEL_NAME": "gelab-zero-4b-preview", "AYEAYE_MODEL_API_KEY": key}

    def run(self, command, limit=180):
        # With no model configured the scripted one decides on the virtual phone; elsewhere the fake one.
        env = self.env if "--virtual" in command or command[:1] == ["demo"] else self.env | self.model
        done = subprocess.run(
            [self.binary, *command], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit, cwd=self.home
        )
        return done.returncode, done.stdout + done.stderr

    def session(self):
        """The id of a session; one is made where there is none."""
        for command in (["sessions", "list"], ["run", "Switch Wi-Fi off", "--virtual"], ["sessions", "list"]):
            _, out = self.run(command)
            found = re.search(r"[0-9a-f]{8}-[0-9a-f-]{27}", out)
            if found and command[0] == "sessions":
                return found[0]
        raise SystemExit("no session could be made")

    def type(self, command):
        """Runs a command of a page; `None` if it ended as it should, else what it said."""
        command = [word for word in command if word not in ("…", "...")]
        if any(re.fullmatch(r"(ID|SESSION)(…)?", word) for word in command):
            session = self.session()
            command = [session if re.fullmatch(r"(ID|SESSION)(…)?", word) else word for word in command]
        for at, word in enumerate(command[:-1]):
            if word == "--device":
                command[at + 1] = self.device
            if word == "--out":
                command[at + 1] = str(self.home / "out")
            if word == "--rounds":
                command[at + 1] = ROUNDS[1]
        name = command[0]
        if name == "bench" and "--rounds" not in command:
            command += ROUNDS
        if name in SERVERS:
            return self.serve(command)
        more = [word for word in ANSWERED.get(name, []) if word not in command and "--dry-run" not in command]
        code, out = self.run([*command, *more])
        # No server runs where a reader of these pages would have one, and there is no client in this home.
        missing = name == "install" and ("--http" in command or len(command) == 1)
        good = code in ENDS.get(name, {0}) or missing and code == 1
        return None if good else f"ended with {code}: {out[-600:]}"

    def serve(self, command):
        """A server is started as the page says, on a port of its own, asked, and stopped."""
        port = free_port()
        command = [re.sub(r"^((?:127\.0\.0\.1|0\.0\.0\.0):)\d+$", rf"\g<1>{port}", word) for word in command]
        command = [re.sub(r"^unix:.*", f"unix:{self.home}/s", word) for word in command]
        if command[0] == "phone":
            command = [*command, "--port", str(port)] if "--port" not in command else command
        elif command[-1] == "--http":
            command.append(f"127.0.0.1:{port}")
        with subprocess.Popen(
            [self.binary, *command],
            env=self.env | self.model | {"AYEAYE_HTTP_TOKEN": "docs-token-0123456789abcdef"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=self.home,
        ) as server:
            try:
                if "--http" not in command and command[0] == "serve":
                    info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "docs", "version": "1"}}
                    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": info}
                    out, _ = server.communicate(json.dumps(hello) + "\n", timeout=30)
                    return None if '"serverInfo"' in out else f"did not answer: {out[-600:]}"
                line = server.stdout.readline()
                while line and not re.search(r"127\.0\.0\.1|0\.0\.0\.0|unix|/s\b", line):
                    line = server.stdout.readline()
                return None if line else f"ended with {server.wait()}"
            finally:
                server.terminate()


def page(path, reader):
    """(name, whether it holds, detail) for each command of a page, in its order."""
    found = []
    for place, parts in fenced(path):
        command = ours(parts)
        if command and "--planner" in command:
            # The scripted model cannot plan: tests/it/planner.rs.
            continue
        if command is None:
            first = next((part for part in parts if not re.fullmatch(r"[A-Z_]+=.*", part)), "")
            # The scripts of a release are tried by its workflow and by .github/release/try.
            known = first in ELSEWHERE or first in SHELL_WORDS or first.startswith(".github/release/")
            found.append((f"{place} {first} is checked elsewhere", known, "an unknown program: see ELSEWHERE in docs.py"))
        else:
            said = reader.type(command)
            found.append((f"{place} ayeaye {' '.join(command)}", said is None, said or ""))
    return found


def tasks():
    """The rows of docs/tasks.md: (task, what it should end with)."""
    text = (ROOT / "docs/tasks.md").read_text()
    table = text[text.index("<!-- tasks -->") : text.index("<!-- /tasks -->")]
    rows = [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in table.splitlines() if row.startswith("| ")]
    return rows[1:]


def task(row, reader):
    """(name, whether it holds, detail) for one of them."""
    what, end = row
    code, out = reader.run(["run", what, "--virtual"])
    want = next(code for words, code in {"done": 0, "a question": 3, "given up": 1}.items() if end.startswith(words))
    return [(f"tasks.md: {what}", code == want, f"ended with {code}, not {want}: {out[-600:]}")]


def block(page, mark, language):
    """The block of a page behind `<!-- mark -->`."""
    text = (ROOT / "docs" / page).read_text()
    return text.split(f"<!-- {mark} -->\n```{language}\n")[1].split("\n```\n")[0]


def answered(name, source, env, reader):
    """(name, whether it holds, detail) for a program of docs/clients.md, with a person at its question."""
    done = subprocess.run(
        [sys.executable, "-c", source], env=env, input="Anna Bauer\n", capture_output=True, text=True, timeout=180, cwd=reader.home
    )
    holds = done.returncode == 0 and "Which one?" in done.stdout and "TASK_COMPLETED_SUCCESSFULLY" in done.stdout
    return (name, holds, f"ended with {done.returncode}: {(done.stdout + done.stderr)[-600:]}")


def program(reader):
    """The client that docs/clients.md shows."""
    folder = reader.home / "bin"
    folder.mkdir()
    (folder / "ayeaye").symlink_to(Path(reader.binary).resolve())
    env = reader.env | {"PATH": f"{folder}{os.pathsep}{reader.env['PATH']}"}
    return [answered("clients.md: a client of your own", block("clients.md", "program", "python"), env, reader)]


@contextmanager
def served(reader):
    """A server on the virtual phone: (its address, the environment of somebody with its token)."""
    port, token = free_port(), "docs-token-0123456789abcdef"
    command = [reader.binary, "serve", "--virtual", "--http", f"127.0.0.1:{port}"]
    env = reader.env | {"AYEAYE_HTTP_TOKEN": token}
    with subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=reader.home) as server:
        try:
            wait_until("the server", lambda: get_text(f"http://127.0.0.1:{port}/healthz"))
            yield f"127.0.0.1:{port}", reader.env | {"AYEAYE_TOKEN": token}
        finally:
            server.terminate()


def over_http(reader):
    """The same client over HTTP."""
    rest = block("clients.md", "program", "python").split("    async with Client(")[1].split("\n", 1)[1]
    begins = block("clients.md", "program over HTTP", "python")
    with served(reader) as (address, env):
        source = f"{begins}\n{rest}".replace("127.0.0.1:8642", address)
        return [answered("clients.md: over HTTP", source, env, reader)]


def by_curl(reader):
    """The calls of docs/http.md: those of a session, and the one without."""
    with served(reader) as (address, env):
        calls = block("http.md", "curl", "bash").replace("127.0.0.1:8642", address)
        calls = [calls, f"{calls.split(chr(10) * 2)[0]}\n{block('http.md', 'curl without a session', 'bash')}"]
        found = []
        for name, source in zip(("with a session", "without one"), calls, strict=True):
            done = subprocess.run(["bash", "-c", source], env=env, capture_output=True, text=True, timeout=60, cwd=reader.home)
            holds = done.returncode == 0 and '"device_id":"ayeaye-5554"' in done.stdout
            found.append((f"http.md: curl {name}", holds, f"ended with {done.returncode}: {(done.stdout + done.stderr)[-600:]}"))
        return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("binary", "device", "model", "key", "folder"):
        arguments.add_argument(f"--{name}", required=True)
    given = arguments.parse_args()
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

    def reader():
        return Reader(given.binary, given.device, given.model, given.key, given.folder)

    checks = Checks("docs: ")
    # They wait more than they work. Only README uses the attached phone, which has one driver at a time.
    with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
        read = [pool.submit(page, path, reader()) for path in pages]
        others = [*(pool.submit(task, row, reader()) for row in tasks()), *(pool.submit(it, reader()) for it in (program, over_http, by_curl))]
        for found in [*read, *others]:
            for name, holds, detail in found.result():
                checks.check(name, holds, detail)
    checks.exit()


if __name__ == "__main__":
    main()
