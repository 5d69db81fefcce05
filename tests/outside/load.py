"""Many at once, slow ones and rubbish, over HTTP against the real server: a good call is answered all the same.

    300 parallel calls, 500 and 1,000 slow sockets, 100,000 junk requests; then SIGTERM with an idle
    stream open and a run under way. Standard library only.
"""

import argparse
import http.client
import json
import multiprocessing
import os
import re
import signal
import socket
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from harness import Checks, Processes, free_port, show_logs, wait_until

TOKEN = "load-main-token-0123456789abcdef"
JUNK = "load-junk-token-0123456789abcdef"
# A good call must be answered within this, whatever others do; in seconds.
BOUND = 1.0
# How far memory may be above where it was, when all is over; in MiB.
MORE = 20


def busy():
    """How many are at work for each processor; the last minute counts."""
    return os.getloadavg()[0] / os.cpu_count()


def bound(before):
    """The bound on a machine that was `before` as busy. What others do there comes in waves, and the junk and the
    server wait for each other's turns too: twice as long as the busier end of it tells."""
    return BOUND if before <= 1.0 else 2 * BOUND * max(before, busy())


def rpc(method, params, number=1):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


def modern(method, params):
    """A request of 2026-07-28: no session, so every connection can make one."""
    params = params | {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    }
    return rpc(method, params)


def head(port, token, body, *more):
    lines = [
        "POST /mcp HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Authorization: Bearer {token}",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        f"Content-Length: {len(body)}",
        *more,
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


MODERN = ("Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: list_connected_devices")
CALL = modern("tools/call", {"name": "list_connected_devices", "arguments": {}})


def good_call(port, timeout=30.0):
    """Seconds until a good call was answered, on a connection of its own."""
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as stream:
        stream.sendall(head(port, TOKEN, CALL, *MODERN, "Connection: close"))
        answer = b""
        while chunk := stream.recv(65536):
            answer += chunk
    if not answer.startswith(b"HTTP/1.1 200 ") or b"device_id" not in answer:
        raise RuntimeError(answer[:300])
    return time.monotonic() - begun


def probe(port, stop, results):
    """Good calls, one after the other, until told to stop; the slowest and how many."""
    slowest, count, wrong = 0.0, 0, ""
    while not stop.is_set() or not count:
        try:
            slowest = max(slowest, good_call(port))
        except (OSError, RuntimeError) as error:
            wrong = repr(error)
        count += 1
        stop.wait(0.02)
    results.put((slowest, count, wrong))


class Probed:
    """Good calls from another process while the body of the `with` makes trouble."""

    def __init__(self, checks, port, what):
        self.checks, self.port, self.what = checks, port, what

    def __enter__(self):
        self.stop, self.results = multiprocessing.Event(), multiprocessing.Queue()
        self.process = multiprocessing.Process(target=probe, args=(self.port, self.stop, self.results))
        self.process.start()
        self.busy, self.begun = busy(), time.monotonic()
        return self

    def __exit__(self, kind, *_):
        self.stop.set()
        slowest, count, wrong = self.results.get(timeout=60)
        self.process.join(10)
        took = time.monotonic() - self.begun
        print(f"      {self.what}: {count} good calls in {took:.1f} s, the slowest {slowest * 1000:.0f} ms", flush=True)
        if kind is None:
            self.checks.check(f"{self.what}: every good call is answered", not wrong, wrong)
            most = bound(self.busy)
            self.checks.check(f"{self.what}: within {most:.1f} s", slowest < most, f"{slowest:.3f} s")


def parallel(port, number):
    """So many calls at once, on as many connections; how many were answered well."""
    streams = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(number)]
    request = head(port, TOKEN, CALL, *MODERN, "Connection: close")
    for stream in streams:
        stream.sendall(request)
    good = 0
    for stream in streams:
        answer = b""
        while chunk := stream.recv(65536):
            answer += chunk
        good += answer.startswith(b"HTTP/1.1 200 ") and b"device_id" in answer
        stream.close()
    return good


def slow(port, number, seconds):
    """Half of them say nothing, half of them a byte now and then."""
    streams = []
    for _ in range(number):
        stream = socket.create_connection(("127.0.0.1", port), timeout=5)
        stream.setblocking(False)
        streams.append(stream)
    request = head(port, TOKEN, CALL, *MODERN)
    end, at = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        for stream in streams[: number // 2]:
            try:
                stream.send(request[at : at + 1])
            except OSError:
                pass
        # Never a whole head.
        at = min(at + 1, 60)
        time.sleep(0.2)
    for stream in streams:
        stream.close()


def flood(port, request, number, lanes=8, batch=50):
    """So many requests, many in flight on each of a few connections; statuses and their counts."""
    lock, left, seen = threading.Lock(), [number], {}

    def lane():
        stream, pattern = None, re.compile(rb"HTTP/1\.1 (\d{3}) ")
        while True:
            with lock:
                take = min(batch, left[0])
                left[0] -= take
            if not take:
                break
            got, tail = 0, b""
            try:
                stream = stream or socket.create_connection(("127.0.0.1", port), timeout=30)
                stream.sendall(request * take)
                while got < take:
                    chunk = stream.recv(65536)
                    if not chunk:
                        raise ConnectionResetError
                    found = pattern.findall(tail + chunk)
                    # A status line may be cut in two; what was counted is not kept.
                    last = max((match.end() for match in pattern.finditer(tail + chunk)), default=0)
                    tail = (tail + chunk)[last:][-16:]
                    got += len(found)
                    with lock:
                        for status in found:
                            seen[int(status)] = seen.get(int(status), 0) + 1
            except OSError:
                # The server has had enough of this connection: the rest counts as sent.
                with lock:
                    seen[0] = seen.get(0, 0) + take - got
                stream = None
        if stream:
            stream.close()

    threads = [threading.Thread(target=lane) for _ in range(lanes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return seen


def memory(pid):
    """Resident memory in MiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024


def silent_model(listener, asked):
    """Takes requests and never answers."""
    held = []
    while True:
        try:
            stream, _ = listener.accept()
        except OSError:
            return
        held.append(stream)
        # A look at whether the model is there is not yet a run's call to it.
        stream.settimeout(5)
        try:
            if stream.recv(4, socket.MSG_PEEK) == b"POST":
                asked.set()
        except OSError:
            pass


def ends_soon(checks, port, process, asked):
    """SIGTERM while a client listens and another waits for its run."""

    def session():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        body = rpc("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "l", "version": "0"}})
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        headers["Accept"] = "application/json, text/event-stream"
        connection.request("POST", "/mcp", body, headers)
        answer = connection.getresponse()
        headers["Mcp-Session-Id"] = answer.getheader("mcp-session-id")
        answer.read()
        connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}), headers)
        connection.getresponse().read()
        return connection, headers

    idle, headers = session()
    idle.request("GET", "/mcp", headers={name: value for name, value in headers.items() if name != "Content-Type"})
    stream = idle.getresponse()
    checks.equal("an idle stream is open", stream.status, 200)
    waiting, headers = session()
    device = json.loads(re.search(rb'"device_id":"([^"]+)"', call_tool(waiting, headers, "list_connected_devices", {}))[0].split(b":", 1)[1])
    task = {"device_id": device, "task": "wait for the model"}
    waiting.request("POST", "/mcp", rpc("tools/call", {"name": "ask_agent_start_new_task", "arguments": task}), headers)
    answer = waiting.getresponse()
    checks.check("a run is under way", asked.wait(20))
    before, begun = busy(), time.monotonic()
    process.send_signal(signal.SIGTERM)
    text = answer.read()
    code = process.wait(20)
    took = time.monotonic() - begun
    print(f"      SIGTERM: ended after {took * 1000:.0f} ms", flush=True)
    checks.check("the waiting call got its answer", b"session_id" in text, text[-300:])
    checks.equal("exit code", code, 0)
    most = bound(before)
    checks.check(f"ended within {most:.1f} s", took < most, f"{took:.3f} s")


def call_tool(connection, headers, name, arguments):
    connection.request("POST", "/mcp", rpc("tools/call", {"name": name, "arguments": arguments}), headers)
    return connection.getresponse().read().replace(b'\\"', b'"')


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--binary", required=True)
    arguments.add_argument("--junk", type=int, default=100_000)
    given = arguments.parse_args()
    checks = Checks()
    folder = Path(tempfile.mkdtemp(prefix="ayeaye-load-"))
    data = folder / "data"
    data.mkdir(mode=0o700)
    tokens = data / "http-tokens"
    tokens.touch(mode=0o600)
    tokens.write_text(f"junk {JUNK}\n")
    port, asked = free_port(), threading.Event()
    model = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=silent_model, args=(model, asked), daemon=True).start()
    env = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    env |= {
        "HOME": str(folder),
        "ADB_SERVER_SOCKET": "tcp:127.0.0.1:1",
        "AYEAYE_ADB_START_SERVER": "false",
        "AYEAYE_DATA_DIR": str(data),
        "AYEAYE_MODEL_BASE_URL": f"http://127.0.0.1:{model.getsockname()[1]}/v1",
        "AYEAYE_HTTP_TOKEN": TOKEN,
        "AYEAYE_HTTP_RATE_LIMIT": "60000",
    }
    whole = False
    try:
        with Processes(folder) as processes:
            process = processes.start("serve", [Path(given.binary).resolve(), "serve", "--http", f"127.0.0.1:{port}", "--virtual"], env)
            wait_until("the server", lambda: good_call(port))
            print(f"      the machine is {busy():.1f} times as busy as it can be at full speed", flush=True)
            url = f"http://127.0.0.1:{port}/readyz"
            with urllib.request.urlopen(url, timeout=5) as answer:
                checks.equal("ready", answer.read(), b"ready\n")
            # As much as there will be at once: memory that was needed once is kept for the next time.
            parallel(port, 300)
            before = memory(process.pid)
            with Probed(checks, port, "nothing else"):
                time.sleep(1)
            with Probed(checks, port, "300 parallel calls"):
                checks.equal("300 parallel calls: all answered", parallel(port, 300), 300)
            for number in (500, 1000):
                with Probed(checks, port, f"{number} slow sockets"):
                    slow(port, number, 5)
            big = ("X-Big: " + "x" * 300_000,)
            kinds = [
                ("wrong tokens", head(port, "wrong-token-0123456789abcdef", CALL), 0.80, {401, 429}),
                ("broken JSON", head(port, JUNK, b'{"jsonrpc":', *MODERN), 0.19, {400, 415, 429}),
                ("big headers", head(port, TOKEN, CALL, *big), 0.01, {0, 431}),
            ]
            for what, request, share, statuses in kinds:
                number = int(given.junk * share)
                with Probed(checks, port, f"{number} posts with {what}"):
                    seen = flood(port, request, number, batch=1 if "big" in what else 50)
                checks.check(f"{what}: refused, all of them", set(seen) <= statuses and sum(seen.values()) == number, seen)
            after = None
            end = time.monotonic() + 20
            # Connections end by themselves within ten seconds.
            while time.monotonic() < end and (after is None or before + MORE < after):
                time.sleep(0.5)
                after = memory(process.pid)
            print(f"      memory: {before:.0f} MiB before, {after:.0f} MiB after", flush=True)
            checks.check(f"memory is back within {MORE} MiB", after <= before + MORE, f"{before:.1f} -> {after:.1f} MiB")
            ends_soon(checks, port, process, asked)
            whole = True
    finally:
        model.close()
        if not whole or checks.failed:
            show_logs(folder)
    checks.exit()


if __name__ == "__main__":
    main()
