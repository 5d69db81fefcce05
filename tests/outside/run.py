"""The main job over real parts, none of them ours but the server and the phone.

    virtual phone <- adb connect - Debian's adb server <- ayeaye serve <- MCP clients (Python, TypeScript)
                                                              |
                                                     fake model over HTTP

Starts all of it on ports of its own with a data folder of its own, runs the checks, ends what it
started. `--only` picks parts: adb, clients, people, inspector, tasks, faults, bad, terminal, docs, load,
browser, app, page, logs, fidelity.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from harness import Processes, free_port, get_json, phone_state, show_logs, wait_until

HERE = Path(__file__).resolve().parent
KEY = "outside-model-key"
TOKEN = "outside-http-token-0123456789abcdef"
PARTS = ["adb", "clients", "people", "inspector", "tasks", "faults", "bad", "terminal", "docs", "load", "browser", "app", "page", "logs", "fidelity"]


class Bench:
    """All the real parts, running."""

    def __init__(self, binary, folder, processes):
        self.binary = binary
        self.folder = folder
        self.processes = processes
        self.passed = 0
        self.failures = []
        self.phone_port, self.control_port, self.adb_port = free_port(), free_port(), free_port()
        self.model_port, self.script_port, self.http_port = free_port(), free_port(), free_port()
        self.device = f"127.0.0.1:{self.phone_port}"
        self.phone = f"http://127.0.0.1:{self.control_port}"
        self.model = f"http://127.0.0.1:{self.model_port}"
        self.env = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        self.env |= {
            "HOME": str(folder),
            # A port range of nothing: adb is not to look for emulators that others run here.
            "ADB_LOCAL_TRANSPORT_MAX_PORT": "5554",
            "ADB_SERVER_SOCKET": f"tcp:127.0.0.1:{self.adb_port}",
            "AYEAYE_DATA_DIR": str(folder / "data"),
            "AYEAYE_MODEL_BASE_URL": f"{self.model}/v1",
            "AYEAYE_MODEL_NAME": "gelab-zero-4b-preview",
            "AYEAYE_MODEL_API_KEY": KEY,
            "AYEAYE_HTTP_TOKEN": TOKEN,
        }

    def start_phone(self):
        command = [self.binary, "phone", "--port", self.phone_port, "--control", f"127.0.0.1:{self.control_port}"]
        command += ["--model", f"127.0.0.1:{self.script_port}"]
        self.processes.start("phone", command, self.env)
        wait_until("the virtual phone", lambda: phone_state(self.phone))

    def start_adb(self):
        """Debian's server in the foreground, so that it is ours to end, and the phone attached to it."""
        self.processes.start("adb", ["adb", "-P", self.adb_port, "server", "nodaemon"], self.env)
        wait_until("adb's server", lambda: self.adb("version", "devices"))
        wait_until("the phone on adb", lambda: "connected" in self.adb("connect", "connect", self.device))
        wait_until("the phone to be ready", lambda: f"{self.device}\tdevice" in self.adb("devices", "devices"))

    def adb(self, what, *words):
        done = subprocess.run(["adb", *words], env=self.env, capture_output=True, text=True, timeout=20)
        return done.stdout if done.returncode == 0 else ""

    def start_model(self):
        command = [sys.executable, HERE / "fake_model.py", "--port", self.model_port]
        command += ["--script", f"http://127.0.0.1:{self.script_port}/v1", "--key", KEY, "--log", self.folder / "model.jsonl"]
        # Long enough that a run outlasts the second within which no progress is told.
        command += ["--latency", 0.3]
        self.processes.start("model", command, self.env)
        wait_until("the fake model", lambda: get_json(f"{self.model}/v1/models"))

    def start_http(self):
        command = [self.binary, "serve", "--http", f"127.0.0.1:{self.http_port}"]
        self.processes.start("serve-http", command, self.env)
        wait_until("the server", lambda: get_text(f"http://127.0.0.1:{self.http_port}/healthz"))
        return f"http://127.0.0.1:{self.http_port}/mcp"

    def program(self, *words, limit=900):
        """One of the check programs: its lines are shown as they come, and counted. Who needs longer than
        `limit` seconds is ended; what it has said until then stands, and the next one has its turn."""
        name = Path(str(words[1])).name
        begun = time.monotonic()
        good, bad = 0, []
        with tempfile.TemporaryFile("w+", errors="replace") as errors:
            process = subprocess.Popen(
                [str(word) for word in words],
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                errors="replace",
                cwd=HERE,
                start_new_session=True,
            )
            # With all that it has started; and with some time to end that itself.
            timer = threading.Timer(limit, end_group, [process])
            timer.start()
            try:
                for line in process.stdout:
                    print(line, end="", flush=True)
                    good += line.startswith("ok ")
                    if line.startswith("FAIL "):
                        bad.append(line.rstrip())
                code = process.wait()
            finally:
                timer.cancel()
                end_group(process)
            too_long = time.monotonic() - begun >= limit
            if too_long or (code != 0) != bool(bad) or good + len(bad) == 0:
                bad.append(f"FAIL  {name} ended with {code}" + (f", ended after its {limit} s" if too_long else ""))
                print(bad[-1])
            if bad:
                errors.seek(0)
                print("\n".join(errors.read().splitlines()[-60:]))
        print(f"      {name}: {good} hold, {len(bad)} do not, {time.monotonic() - begun:.1f} s", flush=True)
        self.passed += good
        self.failures += bad

    def python_client(self, *words):
        self.program(sys.executable, HERE / "client.py", "--device", self.device, "--phone", self.phone, *words)

    def node_client(self, *words):
        self.program("node", HERE / "client.mjs", "--device", self.device, "--phone", self.phone, *words)

    def people(self, binary, url, every_cell):
        """Questions to the clients of both official SDKs, on both transports, in both eras: every two of
        these three meet in the four cells that always run."""
        always = {("py", "stdio", "2025"), ("py", "http", "2026"), ("mjs", "stdio", "2026"), ("mjs", "http", "2025")}
        for client in (self.program_of("people.py"), self.program_of("people.mjs")):
            for era in ("2025-11-25", "2026-07-28"):
                for wire, where in (("stdio", binary), ("http", url)):
                    language = client[-1].suffix[1:]
                    if not every_cell and (language, wire, era[:4]) not in always:
                        continue
                    words = [f"--{wire}", where, "--era", era, "--label", f"{language} {wire} {era}"]
                    self.program(*client, "--device", self.device, "--phone", self.phone, *words)

    def program_of(self, name):
        return [sys.executable if name.endswith(".py") else "node", HERE / name]

    def no_complaints(self):
        """The model saw no request that it did not like, but those it was told to spoil."""
        log = get_json(f"{self.model}/log")
        complaints = [entry["complaint"] for entry in log if "complaint" in entry]
        good = bool(log) and not complaints
        line = f"{'ok   ' if good else 'FAIL '} the model took all {len(log)} requests {complaints[:5] or ''}"
        print(line)
        if good:
            self.passed += 1
        else:
            self.failures.append(line)


def end_group(process):
    """The program and whatever it has started and left: that could hold its output open."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
            process.wait(15)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


def get_text(url):
    with urllib.request.urlopen(url, timeout=5) as answer:
        return answer.read() or b"ok"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--binary", required=True)
    arguments.add_argument("--keep", action="store_true", help="keep the folder with logs and sessions")
    arguments.add_argument("--only", choices=PARTS, action="append", help="this part alone; may be repeated")
    arguments.add_argument("--every-cell", action="store_true", help="people: all eight cells, not four")
    arguments.add_argument("--seed", type=int, help="other points to kill the server at, in the part logs")
    arguments.add_argument("--scene", action="append", default=[], help="page: this scene alone; may be repeated")
    given = arguments.parse_args()
    parts = given.only or PARTS
    binary = Path(given.binary).resolve()
    begun = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="ayeaye-outside-"))
    bench, whole = None, False
    try:
        with Processes(folder) as processes:
            bench = Bench(binary, folder, processes)
            bench.start_phone()
            bench.start_adb()
            if "adb" in parts:
                bench.program(sys.executable, HERE / "adb_tool.py", "--device", bench.device, "--phone", bench.phone, "--binary", bench.binary)
                bench.program(sys.executable, HERE / "adb_apps.py", "--device", bench.device, "--binary", bench.binary)
            if set(parts) & {"clients", "people", "inspector", "tasks", "faults", "docs", "logs", "page"}:
                bench.start_model()
            if set(parts) & {"clients", "people", "inspector", "tasks", "faults"}:
                url = bench.start_http()
            if "clients" in parts:
                bench.python_client("--stdio", binary, "--label", "py stdio")
                bench.node_client("--stdio", binary, "--label", "ts stdio")
                bench.python_client("--http", url, "--label", "py http", "--protocol", "2026-07-28")
                bench.node_client("--http", url, "--label", "ts http")
                bench.program("node", HERE / "storm.mjs", "--http", url)
            if "people" in parts:
                bench.people(binary, url, given.every_cell)
            if "inspector" in parts:
                words = ["--stdio", binary, "--http", url, "--device", bench.device, "--phone", bench.phone]
                bench.program(sys.executable, HERE / "inspector.py", *words)
            if "tasks" in parts:
                bench.python_client("--stdio", binary, "--label", "task", "--job", "tasks")
            if set(parts) & {"clients", "people", "inspector", "tasks"}:
                bench.no_complaints()
            if "faults" in parts:
                bench.python_client("--http", url, "--label", "fault", "--job", "faults", "--model", bench.model)
                bench.python_client("--stdio", binary, "--label", "phone", "--job", "phone")
            if "bad" in parts:
                bench.program(sys.executable, HERE / "bad_input.py", "--binary", binary)
            if "terminal" in parts:
                bench.program(sys.executable, HERE / "terminal.py", "--binary", binary)
            if "docs" in parts:
                words = ["--binary", binary, "--device", bench.device, "--folder", bench.folder]
                words += ["--model", f"{bench.model}/v1", "--key", KEY]
                bench.program(sys.executable, HERE / "docs.py", *words)
            if "load" in parts:
                bench.program(sys.executable, HERE / "load.py", "--binary", binary)
            if "fidelity" in parts:
                # Without checkouts: that the program runs, and that the task is told as it was said.
                words = ["--only", "gelab", "--only", "autoglm", "--only", "mai-ui"]
                bench.program(sys.executable, HERE / "fidelity/run.py", "--binary", binary, *words)
            if "browser" in parts:
                bench.program(sys.executable, HERE / "browser.py", "--binary", binary)
            if "app" in parts:
                bench.program("node", HERE / "app/check.mjs", "--binary", bench.binary)
            if "page" in parts:
                words = ["--binary", bench.binary, "--device", bench.device, "--phone", bench.phone, "--folder", bench.folder]
                words += [word for scene in given.scene for word in ("--scene", scene)]
                bench.program("node", HERE / "page/main.mjs", *words)
            if "logs" in parts:
                words = ["--binary", binary, "--device", bench.device, "--phone", bench.phone]
                words += ["--model", bench.model, "--folder", bench.folder]
                words += ["--seed", given.seed] if given.seed is not None else []
                bench.program(sys.executable, HERE / "logs.py", *words)
            whole = True
    finally:
        if not whole or bench.failures:
            show_logs(folder)
        if given.keep or not whole or bench.failures:
            print(f"logs and sessions are kept in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{time.monotonic() - begun:.0f} s")
    # Once more, behind the logs: here one looks first.
    print("\n".join(bench.failures), end="\n" if bench.failures else "")
    print(f"outside: {bench.passed} passed, {len(bench.failures)} failed")
    sys.exit(1 if bench.failures or not bench.passed else 0)


if __name__ == "__main__":
    main()
