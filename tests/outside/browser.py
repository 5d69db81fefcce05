"""A page of another origin in a real browser (headless Chromium) tries all it can on the server.

It has the right token, knows the address, and asks for a task on the phone by fetch, form, image,
EventSource and WebSocket. It must read nothing, and the server must not even have a session. The same
page from an origin that was allowed gets through, so the attempts are good ones.
"""

import argparse
import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading
import urllib.request
from pathlib import Path

from harness import Checks, Processes, free_port, show_logs, wait_until

TOKEN = "browser-main-token-0123456789abcdef"

PAGE = """<!doctype html><meta charset="utf-8"><title>page</title><body><script>
const at = "http://127.0.0.1:SERVER", token = "TOKEN", seen = {};
const modern = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask_agent_start_new_task",
  arguments: { device_id: "DEVICE", task: "PAGE was here", wait_seconds: 0 }, _meta: modern } });
const mcp = { "Authorization": "Bearer " + token, "Accept": "application/json, text/event-stream",
  "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "ask_agent_start_new_task" };
const limit = (promise) => Promise.race([promise, new Promise((_, no) => setTimeout(() => no("time"), 4000))]);
async function attempt(name, what) {
  try { seen[name] = String(await limit(what())); } catch (error) { seen[name] = "refused: " + error; }
}
const read = async (answer) => answer.type + " " + answer.status + " " + (await answer.text()).slice(0, 300);
const event = (source, good) => new Promise((yes, no) => {
  source.addEventListener(good, () => yes("opened")); source.addEventListener("error", () => no("error")); });
async function all() {
  await attempt("fetch json", async () => read(await fetch(at + "/mcp", { method: "POST", body,
    headers: { ...mcp, "Content-Type": "application/json" } })));
  await attempt("fetch text", async () => read(await fetch(at + "/mcp", { method: "POST", body,
    headers: { "Content-Type": "text/plain" } })));
  await attempt("fetch without a type", async () => read(await fetch(at + "/mcp", { method: "POST", body: new Blob([body]) })));
  await attempt("fetch get", async () => read(await fetch(at + "/mcp")));
  await attempt("fetch healthz", async () => read(await fetch(at + "/healthz")));
  await attempt("fetch readyz", async () => read(await fetch(at + "/readyz")));
  await attempt("fetch metadata", async () => read(await fetch(at + "/.well-known/oauth-protected-resource")));
  await attempt("fetch with cookies", async () => read(await fetch(at + "/mcp", { method: "POST", body, credentials: "include",
    headers: { ...mcp, "Content-Type": "application/json" } })));
  await attempt("fetch delete", async () => read(await fetch(at + "/mcp", { method: "DELETE", headers: mcp })));
  await attempt("no-cors text", async () => read(await fetch(at + "/mcp", { method: "POST", mode: "no-cors", body,
    headers: { "Content-Type": "text/plain" } })));
  await attempt("no-cors token in the url", async () => read(await fetch(at + "/mcp?token=" + token, { method: "POST",
    mode: "no-cors", body, headers: { "Content-Type": "text/plain" } })));
  await attempt("user in the url", async () => read(await fetch("http://user:" + token + "@127.0.0.1:SERVER/mcp", { method: "POST", body })));
  await attempt("beacon", async () => { navigator.sendBeacon(at + "/mcp", new Blob([body], { type: "text/plain" })); return "sent"; });
  await attempt("event source", () => event(new EventSource(at + "/mcp"), "open"));
  await attempt("web socket", () => event(new WebSocket("ws://127.0.0.1:SERVER/mcp"), "open"));
  await attempt("image", () => { const image = new Image(); image.src = at + "/mcp"; return event(image, "load"); });
  await attempt("script", () => { const script = document.createElement("script"); script.src = at + "/healthz";
    const done = event(script, "load"); document.body.append(script); return done; });
  await attempt("form", () => new Promise((yes) => {
    const frame = document.createElement("iframe"), form = document.createElement("form"), field = document.createElement("input");
    frame.name = "target"; form.target = "target"; form.method = "post"; form.enctype = "text/plain"; form.action = at + "/mcp";
    field.name = body.slice(0, -1) + ',"x":"'; field.value = '"}';
    form.append(field); document.body.append(frame, form);
    frame.onload = () => { try { yes("read " + frame.contentDocument.body.innerText); } catch (error) { yes("opaque"); } };
    form.submit();
    setTimeout(() => yes("opaque"), 2000);
  }));
  await fetch("/report", { method: "POST", body: JSON.stringify(seen) });
}
all();
</script></body>"""


class Site:
    """A web site of its own origin: one page, and what the page reports."""

    def __init__(self, fill):
        self.fill, self.report, self.done = fill, None, threading.Event()
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                page = site.fill(PAGE).encode() if self.path == "/" else b""
                self.answer(200 if page else 404, page)

            def do_POST(self):
                site.report = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.answer(200, b"thanks")
                site.done.set()

            def answer(self, status, body):
                self.send_response(status)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Browser:
    def __init__(self, program, processes, folder):
        self.program, self.processes, self.folder, self.count = program, processes, folder, 0

    def words(self):
        self.count += 1
        return [
            self.program,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--no-proxy-server",
            "--disable-background-networking",
            "--disable-component-update",
            f"--user-data-dir={self.folder / f'profile-{self.count}'}",
            "--host-resolver-rules=MAP evil.example 127.0.0.1",
        ]

    def visit(self, site, host="127.0.0.1"):
        """Opens a site's page and waits for its report."""
        # Remote debugging keeps it open until it is ended.
        words = [*self.words(), "--remote-debugging-port=0", f"http://{host}:{site.port}/"]
        self.processes.start(f"chromium-{self.count}", words, {"HOME": str(self.folder), "PATH": os.environ["PATH"]})
        if not site.done.wait(120):
            raise SystemExit("the page did not report")
        return site.report

    def text(self, url):
        words = [*self.words(), "--dump-dom", url]
        env = {"HOME": str(self.folder), "PATH": os.environ["PATH"]}
        return subprocess.run(words, env=env, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL).stdout


def call(port, name, arguments):
    """A tool's facts, by a client that is no browser."""
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments, "_meta": meta}}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/mcp", json.dumps(body).encode(), method="POST")
    for header, value in {
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Mcp-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": name,
    }.items():
        request.add_header(header, value)
    with urllib.request.urlopen(request, timeout=20) as answer:
        text = answer.read().decode()
    line = next(line for line in text.splitlines() if "{" in line)
    return json.loads(line[line.index("{") :])["result"]["structuredContent"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--binary", required=True)
    given = arguments.parse_args()
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not program:
        raise SystemExit("there is no Chromium; `apt-get install chromium` brings it")
    checks, folder = Checks(), Path(tempfile.mkdtemp(prefix="ayeaye-browser-"))
    port = free_port()

    def fill(page):
        return page.replace("SERVER", str(port)).replace("TOKEN", TOKEN).replace("DEVICE", fill.device)

    fill.device = ""
    stranger, friend = Site(fill), Site(fill)
    env = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    env |= {
        "HOME": str(folder),
        "ADB_SERVER_SOCKET": "tcp:127.0.0.1:1",
        "AYEAYE_ADB_START_SERVER": "false",
        "AYEAYE_DATA_DIR": str(folder / "data"),
        "AYEAYE_HTTP_TOKEN": TOKEN,
        "AYEAYE_HTTP_ALLOWED_ORIGINS": f"http://127.0.0.1:{friend.port}",
    }
    whole = False
    try:
        with Processes(folder) as processes:
            command = [Path(given.binary).resolve(), "serve", "--http", f"127.0.0.1:{port}", "--virtual"]
            processes.start("serve", command, env)
            devices = wait_until("the server", lambda: call(port, "list_connected_devices", {})["devices"])
            fill.device = devices[0]["device_id"]
            browser = Browser(program, processes, folder)

            for host, name in (("127.0.0.1", "stranger"), ("evil.example", "evil.example")):
                stranger.done.clear()
                report = browser.visit(stranger, host)
                checks.check(f"{name}: all was tried", len(report) == 18, report)
                for what, got in report.items():
                    # An opaque answer has status 0 and no text: the page learns that something is there.
                    nothing = got.startswith("refused: ") or got in ("opaque 0 ", "opaque", "sent")
                    checks.check(f"{name}: {what} reads nothing", nothing, got)
            sessions = call(port, "list_sessions", {})["sessions"]
            checks.equal("the phone saw nothing: there is no session", sessions, [])
            busy = call(port, "list_connected_devices", {})["devices"][0]
            checks.check("nobody drives the phone", not busy.get("session_id") and not busy.get("busy"), busy)

            text = browser.text(f"http://evil.example:{port}/healthz")
            checks.check("a name that leads here (DNS rebinding) is refused", "does not answer to evil.example" in text, text)
            text = browser.text(f"http://127.0.0.1:{port}/healthz")
            checks.check("the address itself is answered", "ok" in text, text)

            report = browser.visit(friend)
            got = report["fetch json"]
            checks.check("allowed: the page starts a task and reads the answer", got.startswith("cors 200 ") and "session_id" in got, got)
            for what in ("fetch text", "fetch get", "fetch with cookies", "no-cors text", "event source", "web socket", "image"):
                got = report[what]
                bad = got.startswith(("cors 200", "basic", "opened")) or "session_id" in got
                checks.check(f"allowed: {what} is no way in", not bad, got)
            checks.check("allowed: without a token it may read why not", report["fetch text"].startswith("cors 401 "), report["fetch text"])
            sessions = call(port, "list_sessions", {})["sessions"]
            checks.equal("allowed: there is one session", len(sessions), 1)
            whole = True
    finally:
        if not whole or checks.failed:
            show_logs(folder)
        shutil.rmtree(folder, ignore_errors=True)
    checks.exit()


if __name__ == "__main__":
    main()
