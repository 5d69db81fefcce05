"""Raw bytes on stdio and a machine with nothing on it: no SDK smooths these over.

Starts its own servers with no phone, no adb and no model, and ends them.
"""

import argparse
import json
import os
import select
import subprocess
import tempfile
import time

from harness import Checks, end, free_port


class Raw:
    """A server on stdio, spoken to line by line."""

    def __init__(self, binary, folder, *words):
        # Nothing of this machine: no adb on the PATH, a port where no adb server is, no model.
        self.env = {
            "PATH": folder,
            "HOME": folder,
            "ADB_SERVER_SOCKET": f"tcp:127.0.0.1:{free_port()}",
            "AYEAYE_DATA_DIR": f"{folder}/data",
            "AYEAYE_MODEL_BASE_URL": f"http://127.0.0.1:{free_port()}/v1",
        }
        self.binary = binary
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [binary, "serve", *words], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=self.env, start_new_session=True
        )
        self.buffer = b""
        self.next_id = 0

    def send(self, data):
        self.process.stdin.write(data if isinstance(data, bytes) else json.dumps(data).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self, wanted, limit=15.0):
        """The answer with this id; `None` when the time is over. `wanted` of None: any answer without one."""
        end_of_time = time.monotonic() + limit
        while time.monotonic() < end_of_time:
            line, newline, rest = self.buffer.partition(b"\n")
            if newline:
                self.buffer = rest
                message = json.loads(line)
                if message.get("id") == wanted and "method" not in message:
                    return message
                continue
            ready, _, _ = select.select([self.process.stdout], [], [], 0.1)
            if ready:
                more = os.read(self.process.stdout.fileno(), 1 << 20)
                if not more:
                    return None
                self.buffer += more
        return None

    def ask(self, method, params=None, limit=15.0):
        self.next_id += 1
        self.send({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params or {}})
        return self.receive(self.next_id, limit)

    def tool(self, name, **arguments):
        answer = self.ask("tools/call", {"name": name, "arguments": arguments})
        if answer is None:
            return None, "no answer"
        if "error" in answer:
            return True, answer["error"]["message"]
        text = "".join(block.get("text", "") for block in answer["result"]["content"])
        return bool(answer["result"].get("isError")), text


def hello(raw):
    info = {"name": "raw", "version": "1"}
    answer = raw.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info})
    raw.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return answer


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--binary", required=True)
    given = arguments.parse_args()
    checks = Checks("bad input: ")
    with tempfile.TemporaryDirectory() as folder:
        raw = Raw(given.binary, folder)
        try:
            on_stdio(checks, raw)
        finally:
            end(raw.process)
        doctor(checks, raw)
    checks.exit()


def on_stdio(checks, raw):
    begun = time.monotonic()
    checks.check("a server with nothing around it starts", hello(raw) is not None)
    tools = raw.ask("tools/list")
    checks.check("and lists its tools", tools and len(tools["result"]["tools"]) >= 5, tools)
    checks.check("soon", time.monotonic() - begun < 10, time.monotonic() - begun)

    for what, line in [
        ("broken JSON", b'{"jsonrpc": "2.0", "id": 1007, "method": \n'),
        ("no JSON at all", b"GET / HTTP/1.1\r\n\r\n"),
        ("bytes that are no UTF-8", b'{"jsonrpc":"2.0","id":1008,"method":"\xff\xfe"}\n'),
        ("an empty line", b"\n"),
        ("a number", b"17\n"),
        ("deep nesting", b"[" * 100_000 + b"\n"),
        ("a line of 20 MB", b'{"jsonrpc":"2.0","id":99,"x":"' + b"a" * 20_000_000 + b'"}\n'),
    ]:
        raw.send(line)
        checks.check(f"{what} is survived", raw.ask("tools/list") is not None)
    checks.check("an unknown method is an error", "error" in (raw.ask("no/such") or {}))
    for name, arguments in [
        ("list_connected_devices", {}),
        ("get_screenshot", {"device_id": "nobody"}),
    ]:
        begun = time.monotonic()
        failed, text = raw.tool(name, **arguments)
        # A list without phones is a result; what needs a phone is an error.
        holds = "adb" in text.lower() and (failed or name == "list_connected_devices")
        checks.check(f"without adb {name} says so", holds, text)
        checks.check(f"and soon ({name})", time.monotonic() - begun < 10, time.monotonic() - begun)
    begun = time.monotonic()
    failed, text = raw.tool("ask_agent_start_new_task", device_id="nobody", task="do it")
    checks.check("without a model a task is refused", failed and "nothing was started" in text, text)
    checks.check("and soon", time.monotonic() - begun < 10, time.monotonic() - begun)
    for what, name, arguments, word in [
        ("no such tool", "make_coffee", {}, "make_coffee"),
        ("a missing argument", "ask_agent_start_new_task", {"device_id": "x"}, "task"),
        ("an argument of the wrong kind", "ask_agent_start_new_task", {"device_id": 5, "task": "x"}, "device_id"),
        ("a session that is a path", "get_session", {"session_id": "../../../etc/passwd"}, "session_id"),
        ("a session nobody has", "ask_agent_continue", {"session_id": "01900000-0000-7000-8000-000000000000"}, "session"),
        ("an empty task", "ask_agent_start_new_task", {"device_id": "x", "task": ""}, "task"),
        ("no steps", "ask_agent_start_new_task", {"device_id": "x", "task": "y", "max_steps": 0}, "max_steps"),
        ("a task of 10 MB", "ask_agent_start_new_task", {"device_id": "x", "task": "y" * 10_000_000}, "task"),
    ]:
        failed, text = raw.tool(name, **arguments)
        checks.check(f"{what} is refused", failed and word in text and len(text) < 3000, text)
    raw.process.stdin.close()
    begun = time.monotonic()
    try:
        code = raw.process.wait(10)
    except subprocess.TimeoutExpired:
        code = None
    checks.check("the end of stdin ends the server", code == 0, code)
    checks.check("at once", time.monotonic() - begun < 2, time.monotonic() - begun)


def doctor(checks, raw):
    done = subprocess.run([raw.binary, "doctor"], env=raw.env, capture_output=True, text=True, timeout=60)
    said = done.stdout + done.stderr
    checks.check("doctor finds what is missing", done.returncode == 1 and "adb" in said and "model" in said, said)
    done = subprocess.run([raw.binary, "no-such-command"], env=raw.env, capture_output=True, text=True, timeout=60)
    checks.equal("a wrong command line is a usage error", done.returncode, 2)


if __name__ == "__main__":
    main()
