"""Runs real MCP hosts against our server, each with a scripted model on loopback, and says what came of it.

    python3 tests/outside/hosts/run.py --binary target/debug/ayeaye [--only codex,claude] [--transport stdio] [--keep]
    python3 tests/outside/hosts/run.py --binary target/debug/ayeaye --install [--only codex]

Not part of the gate: what is installed (into --tools, once) takes more than a gigabyte. Each host has a HOME of its own and
no environment of the user's. The job: list the phones, a task that asks a question, its answer, a task that is not
waited for and then followed. With `--install` the entry is written by `ayeaye install` into a file of settings that
is there already, the host's own model also drives the phone by itself, and `ayeaye uninstall` must leave the file as it was. `model.jsonl` in the folder of a run is what the host let its model see, `wire.jsonl` what
host and server said to each other on stdio.
"""

import argparse
import importlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from harness import Checks, free_port, wait_until  # noqa: E402
from model import ASKING, DIRECT, Driving, Model  # noqa: E402
from place import DRIVE, PROMPT, Place  # noqa: E402

HOSTS = ("codex", "claude", "gemini", "opencode", "kilo", "cline", "continue_cli", "copilot", "qwen", "vibe")
HOSTS += ("agents_sdk", "langchain_adapters", "fastmcp_client", "inspector")
NO_MODEL = ("fastmcp_client", "inspector")
LIMIT = 300  # seconds of one host's run


def install(host, tools):
    """By the usual package clients, once; pinned in the host's own file."""
    there = tools / host.__name__
    if (there / "installed").exists():
        return there
    there.mkdir(parents=True, exist_ok=True)
    if hasattr(host, "NPM"):
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", there, host.NPM], check=True)
    else:
        subprocess.run([getattr(host, "PYTHON", sys.executable), "-m", "venv", there], check=True)
        subprocess.run([there / "bin/pip", "install", "--quiet", *host.PIP], check=True)
    (there / "installed").touch()
    return there


def answers(url):
    import urllib.error
    import urllib.request

    try:
        urllib.request.urlopen(url, timeout=2)
    except urllib.error.HTTPError:
        pass
    return True


class Attached:
    """A virtual phone on an adb server of Debian's, both of its own."""

    def __init__(self, binary, folder):
        phone, adb = free_port(), free_port()
        self.environment = {"ADB_SERVER_SOCKET": f"tcp:127.0.0.1:{adb}", "ADB_LOCAL_TRANSPORT_MAX_PORT": "5554"}
        environment = {**os.environ, **self.environment, "HOME": str(folder)}
        self.children = [
            subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for words in ([binary, "phone", "--port", str(phone)], ["adb", "-P", str(adb), "server", "nodaemon"])
        ]

        def attached():
            for words in (["connect", f"127.0.0.1:{phone}"], ["devices"]):
                done = subprocess.run(["adb", *words], env=environment, capture_output=True, text=True)
            return "\tdevice" in done.stdout

        wait_until("the phone on adb", attached)

    def close(self):
        for child in self.children:
            child.terminate()
            child.wait(10)


class Run:
    """One host over one transport."""

    def __init__(self, host, transport, args, folder, driving=False):
        self.host, self.transport, self.folder, self.driving = host, transport, folder, driving
        self.name = f"{host.__name__}/{folder.name}"
        folder.mkdir(parents=True)
        home = folder / "home"
        home.mkdir()
        self.model = Model(folder / "model.jsonl", Driving() if driving else None)
        ours = [str(args.binary), "--data-dir", str(folder / "data"), "serve", "--virtual"]
        token, self.server = secrets.token_hex(16), None
        stdio = url = None
        if transport == "stdio":
            stdio = [sys.executable, str(HERE / "tee.py"), str(folder / "wire.jsonl"), *ours]
        else:
            url = self.serve(ours, token)
        tools = install(host, args.tools)
        self.place = Place(tools, home, self.model.url, stdio, url, token)
        if args.install:
            self.place.installer = [str(args.binary), "--data-dir", str(folder / "data")]
            self.place.prompt = DRIVE if driving else PROMPT
        # No model is configured then: the tools with which the host's own model drives are offered by themselves,
        # and adb's address is one of the settings that `ayeaye install` has to take along.
        self.attached = Attached(args.binary, folder) if driving else None
        self.place.adb = self.attached and self.attached.environment

    def serve(self, ours, token):
        port = free_port()
        environment = {**os.environ, "HOME": str(self.folder / "home"), "AYEAYE_HTTP_TOKEN": token}
        log = open(self.folder / "server.log", "wb")
        self.server = subprocess.Popen([*ours, "--http", f"127.0.0.1:{port}"], env=environment, stderr=log, stdout=log)
        wait_until("the server", lambda: answers(f"http://127.0.0.1:{port}/"))
        return f"http://127.0.0.1:{port}/mcp"

    def go(self):
        """Starts the host and waits for its end; what it said is in `host.log`."""
        argv, environment = self.host.command(self.place)
        self.as_installed = (self.place.home / self.host.SETTINGS).read_text() if self.place.installer else None
        started = time.monotonic()
        with open(self.folder / "host.log", "wb") as log:
            child = subprocess.Popen(
                [str(word) for word in argv],
                env=environment,
                cwd=self.place.home / "work",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                self.code = child.wait(LIMIT)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                self.code = f"none in {LIMIT} s"
        self.seconds = time.monotonic() - started

    def check(self, checks):
        if self.place.installer:
            self.check_installation(checks)
        checks.equal("the host ends well", self.code, 0)
        log = (self.folder / "host.log").read_text(errors="replace")
        if self.driving:
            self.check_driving(checks)
            return
        if self.host.__name__ == "inspector":
            checks.check("it lists our tools", "ask_agent_start_new_task" in log, log[-400:])
            return
        if self.host.__name__ in NO_MODEL:
            line = log.strip().splitlines()[-1] if log.strip() else "{}"
            said = json.loads(line) if line.startswith("{") else {}
            calls, reasons, forms = said.get("calls", []), said.get("reasons", []), said.get("asked", [])
        else:
            calls, reasons, forms = self.model.script.calls, self.model.script.reasons, []
        tasks = [args.get("task") for _, args in calls]
        checks.check("the first task was started", ASKING in tasks, calls)
        checks.check("the question came through", "INFO_ACTION_NEEDS_REPLY" in reasons or forms, reasons)
        checks.check("a run that goes on was said to", "STILL_RUNNING" in reasons, reasons)
        checks.equal("and was followed to its end", reasons[-1:], ["TASK_COMPLETED_SUCCESSFULLY"])
        checks.equal("both tasks were done", reasons.count("TASK_COMPLETED_SUCCESSFULLY"), 2)
        how = f", {len(forms)} in a form" if forms else ""
        print(f"  {self.name}: {self.seconds:.0f} s, {' '.join(str(reason) for reason in reasons)}{how}", flush=True)

    def check_installation(self, checks):
        """What was installed started, and what is taken out again leaves nothing of it."""
        told = self.place.told
        tried = told.get("tried", {})
        checks.check("`ayeaye install` has started the server as the host does", tried.get("ok"), told)
        settings = self.place.home / self.host.SETTINGS
        kept = Path(f"{settings}.before-ayeaye")
        before, now = kept.read_text(), settings.read_text()
        gone = self.place.uninstall(self.host.CLIENT)
        checks.equal("`ayeaye uninstall` takes it out", gone.get("state"), "removed")
        after = settings.read_text()
        # A host that writes its settings itself has changed them meanwhile.
        if "ayeaye" in before or self.as_installed != now:
            checks.check("nothing of it is left", '"ayeaye"' not in after and "mcp_servers.ayeaye]" not in after, after)
        else:
            checks.equal("the file is what it was", after, before)

    def check_driving(self, checks):
        calls = [name for name, _ in self.model.script.calls]
        checks.equal("the host's own model drove", calls, list(DIRECT))
        acts = [text for text in self.model.script.seen[1:] if "image" not in text[:200]]
        checks.check("each act was carried out", acts and not any("rror" in text[:80] for text in acts), acts)
        print(f"  {self.name}: {self.seconds:.0f} s, {' '.join(calls)}", flush=True)

    def close(self):
        self.model.close()
        if self.attached:
            self.attached.close()
        if self.server:
            self.server.terminate()
            self.server.wait(10)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--tools", type=Path, default=Path("target/hosts"), help="where hosts are installed")
    parser.add_argument("--only", default=",".join(HOSTS))
    parser.add_argument("--transport", choices=("stdio", "http"), action="append")
    parser.add_argument("--install", action="store_true", help="let `ayeaye install` write the entry")
    parser.add_argument("--keep", action="store_true", help="keep the folder even when all is well")
    args = parser.parse_args()
    args.binary, args.tools = args.binary.resolve(), args.tools.resolve()
    folder, failed = Path(tempfile.mkdtemp(prefix="ayeaye-hosts-")), 0
    for name in args.only.split(","):
        host = importlib.import_module(name)
        if args.install and not hasattr(host, "CLIENT"):
            continue
        python = getattr(host, "PYTHON", sys.executable)
        if not shutil.which(python):
            print(f"{name}: not run, since there is no {python}")
            failed += 1
            continue
        jobs = [(transport, False) for transport in args.transport or ("stdio", "http")]
        if args.install:
            jobs.append(("stdio", True))
        for transport, driving in jobs:
            job = f"{name}-{transport}" + "-driving" * driving
            checks = Checks(f"{job}: ")
            run = Run(host, transport, args, folder / job, driving)
            try:
                run.go()
                run.check(checks)
            finally:
                run.close()
            failed += checks.failed
    print(f"what was said: {folder}" if failed or args.keep else "all well")
    if not failed and not args.keep:
        shutil.rmtree(folder)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
