"""How much memory a server takes that drives phones behind Debian's adb server, all at full speed.

Each phone is an `ayeaye phone` of its own process, at 1080x2400; the model answers at once; all four logs are written.
Resident memory: of the idle server before any client, of phones and clients connected, at the peak as the kernel has it,
and ten seconds after the last step. The acts are apps opened and swipes, so lists of elements do not count.

    python3 tests/outside/memory.py --binary target/release/ayeaye [--phones 1,8] [--steps 20]

Ends with 1 where a promise is missed.
"""

import argparse
import collections
import http.client
import itertools
import json
import os
import re
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from harness import Processes, free_port, phone_state, shorten, show_logs, wait_until
from load import TOKEN, good_call, memory, rpc

# By the number of phones, in MiB: the peak. And how much more than idle ten seconds after the last step.
PROMISED = {1: 64, 8: 128, 50: 384}
MORE_AFTERWARDS = 16
LOGS = "ufo,pycatan,gelab,html"
# Acts in GELab-Zero's format that need no list of elements. Each task goes through them in turn, so that each changes the
# screen: of acts picked at random several could be the same, and a run of which nothing comes ends.
APPS = ["Settings", "Messages", "Notes", "Clock", "Nimbus"]
TASK = re.compile(rb"look around on phone ([0-9.:]+)")
ACTS = [*(f"AWAKE\tvalue:{app}" for app in APPS), "SLIDE\tpoint1:500,700\tpoint2:500,300"]


class Model(ThreadingHTTPServer):
    """Answers at once."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.turns = collections.defaultdict(lambda: itertools.cycle(ACTS))
        self.lock = threading.Lock()

    def act(self, request):
        """The next act of the task that a request names."""
        with self.lock:
            return next(self.turns[TASK.search(request)[1]])


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer({"data": [{"id": "at-once"}]})

    def do_POST(self):
        act = self.server.act(self.rfile.read(int(self.headers["Content-Length"])))
        text = f"<THINK> On. </THINK>\nexplain:On\taction:{act}\tsummary:Went on"
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020}
        self.answer({"id": "1", "object": "chat.completion", "model": "at-once", "choices": [choice], "usage": usage})

    def answer(self, told):
        body = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def client(port):
    """A session of MCP: what sends a call and returns its answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

    def send(body):
        connection.request("POST", "/mcp", body, headers)
        answer = connection.getresponse()
        return answer, answer.read()

    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "memory", "version": "0"}}
    answer, _ = send(rpc("initialize", hello))
    headers["Mcp-Session-Id"] = answer.getheader("mcp-session-id")
    send(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    return lambda name, arguments: send(rpc("tools/call", {"name": name, "arguments": arguments}))[1].decode()


def run(call, device, steps, ends):
    task = f"look around on phone {device}"
    ends.append(call("ask_agent_start_new_task", {"device_id": device, "task": task, "max_steps": steps}))


def peak_memory(pid):
    """The most resident memory since the process began, in MiB."""
    return int(re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def measure(binary, phones, steps, folder):
    port, adb_port, model = free_port(), free_port(), Model()
    threading.Thread(target=model.serve_forever, daemon=True).start()
    env = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    env |= {
        "HOME": str(folder),
        "ADB_LOCAL_TRANSPORT_MAX_PORT": "5554",
        "ADB_SERVER_SOCKET": f"tcp:127.0.0.1:{adb_port}",
        "AYEAYE_DATA_DIR": str(folder / "data"),
        "AYEAYE_HTTP_TOKEN": TOKEN,
        "AYEAYE_MODEL_BASE_URL": f"http://127.0.0.1:{model.server_port}/v1",
        "AYEAYE_MODEL_NAME": "gelab-zero",
        "AYEAYE_LOGS_FORMATS": LOGS,
    }
    try:
        with Processes(folder) as processes:
            processes.start("adb", ["adb", "-P", adb_port, "server", "nodaemon"], env)
            devices = []
            for number in range(phones):
                at, control = free_port(), free_port()
                command = [binary, "phone", "--port", at, "--control", f"127.0.0.1:{control}"]
                processes.start(f"phone-{number}", command, env)
                wait_until("a virtual phone", lambda: phone_state(f"http://127.0.0.1:{control}"))
                connect = ["adb", "connect", f"127.0.0.1:{at}"]
                wait_until("adb to have it", lambda: processes.start("connect", connect, env).wait() == 0)
                devices.append(f"127.0.0.1:{at}")
            server = processes.start("serve", [binary, "serve", "--http", f"127.0.0.1:{port}"], env)
            wait_until("the server", lambda: good_call(port))
            idle = memory(server.pid)
            clients = [client(port) for _ in devices]
            wait_until("the server to see the phones", lambda: all(it in clients[0]("list_connected_devices", {}) for it in devices))
            time.sleep(1)
            before, ends = memory(server.pid), []
            runs = [threading.Thread(target=run, args=(call, device, steps, ends)) for call, device in zip(clients, devices)]
            for thread in runs:
                thread.start()
            for thread in runs:
                thread.join()
            wrong = [end for end in ends if "MAX_STEPS_REACHED" not in end]
            if wrong or len(ends) != phones:
                raise SystemExit(f"a run did not take its {steps} steps: {shorten(''.join(wrong))}")
            time.sleep(10)
            return idle, before, peak_memory(server.pid), memory(server.pid)
    except BaseException:
        show_logs(folder)
        raise
    finally:
        model.shutdown()
        model.server_close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--phones", default="1,8", help="how many at once; several, one after the other")
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()
    missed = False
    for phones in map(int, options.phones.split(",")):
        with tempfile.TemporaryDirectory(prefix="ayeaye-memory-") as folder:
            idle, before, peak, after = measure(Path(options.binary).resolve(), phones, options.steps, Path(folder))
        most = PROMISED.get(phones)
        is_missed = most is not None and most < peak or MORE_AFTERWARDS < after - idle
        missed |= is_missed
        print(
            f"{phones} phones: {idle:.0f} MiB idle, {before:.0f} connected, {peak:.0f} at the peak (promised: {most or '-'}), "
            f"{after - idle:+.0f} to idle ten seconds later (promised: at most +{MORE_AFTERWARDS})" + (" MISSED" if is_missed else ""),
            flush=True,
        )
    return missed


if __name__ == "__main__":
    raise SystemExit(main())
