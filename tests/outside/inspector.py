"""MCP Inspector's command line against the server: stdio and HTTP, the older protocol and the newer one.

    Inspector (Node) -> ayeaye serve (stdio | --http) -> the phone and the model of run.py

Each call is an Inspector of its own, and on stdio a server of its own. `--strict` judges the schemas of
the tools: neither an error nor a remark will do. The job is a task with a question, answered in a
second call.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

from conformance import node
from harness import Checks, phone_state
from tasks import check_message, message_task

HERE = Path(__file__).resolve().parent
INSPECTOR = HERE / "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
ERAS = {"legacy": "2025-11-25", "modern": "2026-07-28"}
LIMIT = 150


class Inspector:
    """The Inspector for one transport and one era."""

    def __init__(self, name, server, era, folder):
        self.name = name
        self.config = Path(folder) / f"{name}.json".replace(" ", "-")
        self.config.write_text(json.dumps({"mcpServers": {"ayeaye": server | {"protocolEra": era}}}))
        # What --verify told of a skill, and what --strict found in the tools' schemas, in the last call.
        self.report, self.findings = {}, []
        self.env = os.environ | {"MCP_INSPECTOR_SECRET_STORE": "memory"}

    def call(self, method, *words):
        """What the method answered, and what was said besides."""
        command = [node(), INSPECTOR, "--cli", "--config", self.config, "--server", "ayeaye"]
        command += ["--format", "json", "--method", method, *words]
        done = subprocess.run(
            [str(word) for word in command],
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            answer = {}
        # A report of `--verify` stands by itself.
        self.report = answer
        self.findings = answer.get("schemaFindings", [])
        return done.returncode, answer.get("result", {}), done.stderr

    def tool(self, name, **arguments):
        words = ["--tool-name", name, "--tool-args-json", json.dumps(arguments)]
        code, result, said = self.call("tools/call", *words)
        texts = "".join(block.get("text", "") for block in result.get("content", []))
        return code, result.get("structuredContent") or {}, texts or said


def lists(checks, inspector, version):
    code, result, said = inspector.call("initialize")
    checks.check("it connects", code == 0 and result, said)
    checks.check(f"by {version}", version in json.dumps(result), result)
    code, result, said = inspector.call("tools/list", "--strict")
    names = [tool["name"] for tool in result.get("tools", [])]
    checks.check("tools/list --strict", code == 0 and "ask_agent_start_new_task" in names, said)
    checks.equal("and it has no remark", inspector.findings, [])
    for method, key in [
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("prompts/list", "prompts"),
    ]:
        code, result, said = inspector.call(method)
        checks.check(method, code == 0 and isinstance(result.get(key), list), said or result)
        if key != "resources":
            checks.check(f"{method} names some", result.get(key), result)
    code, _, said = inspector.call("skills/list", "--verify", "--require-digests")
    checks.check("skills/list --verify", code == 0 and inspector.report.get("ok") is True, said)


def app(checks, inspector):
    """The page that hosts show beside a task, as the Inspector finds it."""
    words = ["--tool-name", "ask_agent_start_new_task", "--app-info"]
    code, _, said = inspector.call("tools/call", *words, "--advertise-apps")
    found = inspector.report.get("appInfo", {})
    checks.check("--app-info finds the page", code == 0 and found.get("resourceUri") == "ui://ayeaye/run", said or found)
    read = found.get("resourceMimeType") == "text/html;profile=mcp-app" and not found.get("resourceError")
    checks.check("and reads it", read, found)
    inspector.call("tools/call", *words)
    found = inspector.report.get("appInfo", {})
    checks.check("a client that declares no apps is told of none", found.get("hasApp") is False, found)


def job(checks, inspector, device, phone):
    """A task with a question, from the list of phones to the sent message."""
    code, result, said = inspector.tool("list_connected_devices")
    states = {one["device_id"]: one["state"] for one in result.get("devices", [])}
    checks.check("the phone is listed, ready", code == 0 and states.get(device) == "device", said)
    code, shot, said = inspector.call("tools/call", "--tool-name", "get_screenshot", "--tool-arg", f"device_id={device}")
    kinds = [block["type"] for block in shot.get("content", [])]
    checks.check("a screenshot is one picture", code == 0 and kinds.count("image") == 1, said or kinds)
    checks.check("without structured content, beside which some hosts drop it", "structuredContent" not in shot, kinds)
    text = f"The tram is late ({inspector.name})"
    code, asked, said = inspector.tool("ask_agent_start_new_task", device_id=device, task=message_task(text))
    checks.check("the agent asks", code == 0 and asked.get("stop_reason") == "INFO_ACTION_NEEDS_REPLY", said)
    session = asked.get("session_id")
    code, done, said = inspector.tool("ask_agent_continue", session_id=session, reply_from_client="Anna Bauer, please")
    finished = code == 0 and done.get("stop_reason") == "TASK_COMPLETED_SUCCESSFULLY"
    checks.check("answered by another Inspector, it is done", finished, said)
    checks.equal("in the same session", done.get("session_id"), session)
    check_message(checks, phone_state(phone), text)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--stdio", required=True, help="the server's binary")
    arguments.add_argument("--http", required=True, help="the URL of a running server")
    arguments.add_argument("--device", required=True)
    arguments.add_argument("--phone", required=True, help="the virtual phone's control endpoint")
    given = arguments.parse_args()
    ours = {name: value for name, value in os.environ.items() if name.startswith(("AYEAYE_", "ADB_"))}
    bearer = f"Bearer {os.environ['AYEAYE_HTTP_TOKEN']}"
    servers = {
        "stdio": {"type": "stdio", "command": given.stdio, "args": ["serve"], "env": ours},
        "http": {"type": "streamable-http", "url": given.http, "headers": {"Authorization": bearer}},
    }
    failed = passed = 0
    with tempfile.TemporaryDirectory(prefix="ayeaye-inspector-") as folder:
        for transport, server in servers.items():
            for era, version in ERAS.items():
                begun = time.monotonic()
                checks = Checks(f"inspector {transport} {era}: ")
                inspector = Inspector(f"{transport} {era}", server, era, folder)
                lists(checks, inspector, version)
                # Each transport and each era once.
                if (transport, era) in (("stdio", "legacy"), ("http", "modern")):
                    app(checks, inspector)
                job(checks, inspector, given.device, given.phone)
                failed, passed = failed + checks.failed, passed + checks.passed
                print(f"      {time.monotonic() - begun:.0f} s", flush=True)
    raise SystemExit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
