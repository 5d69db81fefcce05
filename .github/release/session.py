"""An MCP client on bare pipes: what a client does with the server, whatever command starts it. Runs on Windows too."""

import json
import queue
import signal
import subprocess
import sys
import threading
import time

QUESTION, DONE = "INFO_ACTION_NEEDS_REPLY", "TASK_COMPLETED_SUCCESSFULLY"
TASK = "In Messages, tell Anna: I am ten minutes late"
ANSWER = "Anna Berg"


class Failed(Exception):
    pass


class Server:
    """`command` started, and spoken to line by line."""

    def __init__(self, command, env, log):
        self.log = log
        self.stderr = open(log, "ab")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.stderr, env=env)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.last = 0

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params=None, limit=120):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params or {}})
        until = time.monotonic() + limit
        while True:
            try:
                line = self.lines.get(timeout=max(0.01, until - time.monotonic()))
            except queue.Empty:
                raise Failed(f"no answer to {method} in {limit} s; {self.said()}")
            if line is None:
                raise Failed(f"the server ended before it answered {method}; {self.said()}")
            try:
                message = json.loads(line)
            except ValueError:
                raise Failed(f"not a message on stdout: {line[:200]!r}")
            if message.get("id") == self.last and "method" not in message:
                if "error" in message:
                    raise Failed(f"{method}: {message['error']}")
                return message["result"]

    def tool(self, name, **arguments):
        result = self.ask("tools/call", {"name": name, "arguments": arguments})
        if result.get("isError"):
            raise Failed(f"{name}: {result['content']}")
        return result["structuredContent"]

    def said(self):
        self.stderr.flush()
        with open(self.log, "rb") as file:
            return "it said: " + file.read()[-1500:].decode(errors="replace")

    def hello(self):
        info = {"name": "packages", "version": "1"}
        result = self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info})
        self.send({"method": "notifications/initialized"})
        return result

    def silent(self, limit):
        """Whether every process that could write to its output ends within `limit` seconds."""
        until = time.monotonic() + limit
        while True:
            try:
                if self.lines.get(timeout=max(0.01, until - time.monotonic())) is None:
                    return True
            except queue.Empty:
                return False

    def close(self, limit=30):
        """Its exit code after the end of its input, as a client ends it."""
        self.process.stdin.close()
        return self.wait(limit)

    def wait(self, limit=30):
        try:
            return self.process.wait(limit)
        except subprocess.TimeoutExpired:
            raise Failed(f"it still runs after {limit} s; {self.said()}")
        finally:
            self.stop()

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.stderr.close()


def whole_session(command, env, log):
    """Everything a client wants: the tools, the phone, a task with a question, and a clean end. Seconds to the list of tools."""
    begun = time.monotonic()
    server = Server([*command, "serve", "--virtual"], env, log)
    try:
        version = server.hello()["serverInfo"]["version"]
        tools = {it["name"] for it in server.ask("tools/list")["tools"]}
        listed = time.monotonic() - begun
        if "ask_agent_start_new_task" not in tools:
            raise Failed(f"the tools are {sorted(tools)}")
        (phone,) = server.tool("list_connected_devices")["devices"]
        result = follow(server, server.tool("ask_agent_start_new_task", device_id=phone["device_id"], task=TASK))
        if result["stop_reason"] != QUESTION:
            raise Failed(f"no question came: {result}")
        answer = server.tool("ask_agent_continue", session_id=result["session_id"], reply_from_client=ANSWER)
        result = follow(server, answer)
        if result["stop_reason"] != DONE:
            raise Failed(f"the task is not done: {result}")
        code = server.close()
        if code != 0:
            raise Failed(f"exit code {code} at the end of input; {server.said()}")
        return version, listed
    finally:
        server.stop()


def follow(server, result):
    while result["stop_reason"] == "STILL_RUNNING":
        result = server.tool("ask_agent_continue", session_id=result["session_id"])
    return result


def ends_by_signal(command, env, log):
    """(exit code, whether nothing of it runs any more) after SIGTERM to the process that a client knows, which may be a launcher."""
    server = Server([*command, "serve", "--virtual"], env, log)
    try:
        server.hello()
        server.process.send_signal(signal.SIGTERM)
        code = server.process.wait(30)
        alone = server.silent(5)
        # What a client does as well. Whatever is left must end by this.
        server.process.stdin.close()
        if not alone and not server.silent(30):
            raise Failed("the server goes on after SIGTERM to its launcher and the end of its input")
        return code, alone
    except subprocess.TimeoutExpired:
        raise Failed(f"it still runs 30 s after SIGTERM; {server.said()}")
    finally:
        server.stop()


def exit_code(command, env, *words):
    return subprocess.run([*command, *words], env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode


def on_windows():
    return sys.platform == "win32"
