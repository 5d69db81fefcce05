"""A registry on loopback with the packages of one folder (or two), spoken to by the real `pip`, `uv`, `pipx` and `npm` as they speak to
PyPI and npm. What it does not have it does not have: nothing is asked elsewhere."""

import base64
import email
import hashlib
import json
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote


def wheels(folder):
    """Wheels by the name of their project."""
    found = {}
    for path in sorted(folder.glob("*.whl")):
        with zipfile.ZipFile(path) as wheel:
            name = next(it for it in wheel.namelist() if it.endswith(".dist-info/METADATA"))
            project = email.message_from_bytes(wheel.read(name))["Name"]
        found.setdefault(project.lower().replace("_", "-"), []).append(path)
    return found


def npm_packages(folder):
    """(manifest, path) by name."""
    found = {}
    for path in sorted(folder.glob("*.tgz")):
        with tarfile.open(path) as package:
            manifest = json.load(package.extractfile("package/package.json"))
        found[manifest["name"]] = (manifest, path)
    return found


class Registry:
    """Serves until the block ends. `npm` and `simple` are the addresses to give to the clients."""

    def __init__(self, folder, tools=None):
        """`tools`: wheels that the clients themselves ask for, such as the newest pip that an older pipx wants."""
        self.folder = Path(folder)
        self.tools = Path(tools) if tools else self.folder
        self.wheels = {**wheels(self.tools), **wheels(self.folder)}
        self.packages = npm_packages(self.folder)

    def __enter__(self):
        registry = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                kind, body = registry.answer(unquote(self.path.split("?")[0]))
                self.send_response(200 if body is not None else 404)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body or b"")))
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(body or b"")

            # uv asks how long a wheel is before it fetches it.
            do_HEAD = do_GET

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        address = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.npm, self.simple = f"{address}/npm", f"{address}/simple/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, path):
        """(type, bytes), or no bytes for what is not here."""
        if path.startswith("/files/"):
            name = path[len("/files/") :]
            found = [it / name for it in (self.folder, self.tools) if "/" not in name and (it / name).is_file()]
            return "application/octet-stream", found[0].read_bytes() if found else None
        if path.startswith("/simple/"):
            return "text/html", self.project(path[len("/simple/") :].strip("/"))
        if path.startswith("/npm/"):
            return "application/json", self.package(path[len("/npm/") :])
        return "text/plain", None

    def project(self, name):
        if name not in self.wheels:
            return None
        rows = [
            f'<a href="/files/{it.name}#sha256={hashlib.sha256(it.read_bytes()).hexdigest()}">{it.name}</a>' for it in self.wheels[name]
        ]
        return ("<!DOCTYPE html><html><body>" + "<br>".join(rows) + "</body></html>").encode()

    def package(self, name):
        if name not in self.packages:
            return None
        manifest, path = self.packages[name]
        digest = base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
        base = self.npm[: -len("/npm")]
        version = {**manifest, "dist": {"tarball": f"{base}/files/{path.name}", "integrity": f"sha512-{digest}"}}
        number = manifest["version"]
        return json.dumps({"name": name, "dist-tags": {"latest": number}, "versions": {number: version}}).encode()
