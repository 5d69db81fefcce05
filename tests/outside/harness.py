"""Processes, ports, waiting and checks: what the outside programs share. Standard library only."""

import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path


# Below the ports that systems give out by themselves, so that no connection in passing takes one that was
# chosen; each program has a stretch of its own, since several run at once.
_ports = itertools.chain(range(20_000 + os.getpid() % 50 * 200, 20_200 + os.getpid() % 50 * 200), range(30_000, 32_000))


def free_port():
    """A port nobody listens on now, and that this program has not been given before."""
    for port in _ports:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise SystemExit("no free port between 20000 and 32000")


def get_json(url, timeout=5):
    with urllib.request.urlopen(url, timeout=timeout) as answer:
        return json.load(answer)


def phone_state(phone):
    """The virtual phone's own state, by its control endpoint."""
    return get_json(f"{phone}/state")["phone"]


def post_json(url, body, timeout=5):
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"content-type": "application/json"}, method="POST"
    )
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        return answer.read()


def wait_until(what, condition, limit=20.0):
    """The first true value of `condition`, asked again and again; a refused connection counts as false."""
    end = time.monotonic() + limit
    last = None
    while time.monotonic() < end:
        try:
            value = condition()
            if value:
                return value
        except (OSError, urllib.error.URLError, ValueError) as error:
            last = error
        time.sleep(0.05)
    raise SystemExit(f"waited {limit:.0f} s in vain for {what}" + (f" ({last})" if last else ""))


class Checks:
    """Counts what holds and what does not; one line each."""

    def __init__(self, prefix=""):
        self.prefix = prefix
        self.passed = 0
        self.failed = 0

    def check(self, name, holds, detail=""):
        if holds:
            self.passed += 1
            print(f"ok    {self.prefix}{name}", flush=True)
        else:
            self.failed += 1
            said = f": {shorten(detail)}" if detail != "" else ""
            print(f"FAIL  {self.prefix}{name}{said}", flush=True)
        return bool(holds)

    def equal(self, name, got, want):
        return self.check(name, got == want, f"got {got!r}, want {want!r}")

    def exit(self):
        sys.exit(1 if self.failed or not self.passed else 0)


def shorten(text, limit=1500):
    text = str(text)
    return text if len(text) <= limit else text[: limit - 200] + " ... " + text[-200:]


class Processes:
    """Started here, ended here, by their own ids and no others."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.running = []

    def __enter__(self):
        # Whoever ends this program, as a limit of time does, ends what it has started: else `finally` is passed over.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        return self

    def __exit__(self, *_):
        for _, process in reversed(self.running):
            end(process)

    def start(self, name, command, env=None):
        """Starts `command` in a process group of its own; what it says goes to `<folder>/<name>.log`."""
        log = open(self.folder / f"{name}.log", "ab")
        process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=env,
            start_new_session=True,
        )
        log.close()
        self.running.append((name, process))
        return process


def show_logs(folder, lines=40):
    """The ends of all logs in a folder, for whoever reads the gate's output."""
    for path in sorted(Path(folder).glob("*.log")):
        tail = path.read_text(errors="replace").splitlines()[-lines:]
        print(f"--- {path.name}")
        print("\n".join(tail))


def end(process, patience=5.0):
    if process.poll() is not None:
        return process.returncode
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
        except ProcessLookupError:
            pass
        try:
            return process.wait(patience)
        except subprocess.TimeoutExpired:
            continue
    raise SystemExit(f"process {process.pid} does not end")
