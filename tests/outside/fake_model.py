"""A model that is not there: OpenAI's chat completions over HTTP, replies in GELab-Zero's format.

It checks what it is sent, reads the task and the user's answers out of the prompt, and lets the product's
scripted model (`ayeaye phone --model`) decide, which sees the phone's own state instead of the picture.
A process of its own, standard library only.

    fake_model.py --port 9100 --script http://127.0.0.1:9300/v1 --key SECRET --log model.jsonl

Besides the endpoint: `GET /log` (every request so far, one object each) and
`POST /fault {"kind": "html", "times": 3}` (the next replies are wrong in that way; -1 for all).
"""

import argparse
import base64
import binascii
import json
import re
import threading
import time
import urllib.error
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import tasks
from harness import post_json

SCRIPTED = "ayeaye-scripted-gelab"
# Tries to open an app that is not there, then gives in.
NO_APP_REPLIES = [
    "<THINK> It may be there. </THINK>\nexplain:Open it\taction:AWAKE\tvalue:Nosuch\tsummary:Tried to open Nosuch",
    "<THINK> It is not there. </THINK>\nexplain:Say so\taction:COMPLETE\treturn:There is no such app.\tsummary:Done",
]
FAULTS = ["html", "empty", "garbage", "half", "off-screen", "500-once", "429-once"]
# What a request to judge begins with, and the judgement.
JUDGED = "What the user asked for:"
VERDICT = json.dumps(
    {"reason": "Seen at the end.", "sub_scores": [{"name": "all of it", "evaluation": "yes"}], "complete": "yes"}
)
MAX_BODY = 16 * 1024 * 1024
# The places in GELab's prompt: what the user wants, word for word, and what was done: the model's last summary,
# then each answer that was given since.
STATE = re.compile("用户的任务：(.*?)\n\n操作记录：(.*?)\n(?:系统提示：|\n?手机此刻的屏幕：)", re.DOTALL)
NOTHING_DONE = "暂无历史操作"
ANSWERED = "用户回复说： "
# What may stand behind an answer, or between it and the summary.
NEXT = re.compile("\n(?:你问过：|用户回复说： |你记下了：)")
ASKED = re.compile("action:INFO\tvalue:([^\t]*)")


class Wrong(Exception):
    """The request is not one that a real endpoint would take, or not one that our server should send."""


class Fake:
    """What all requests share."""

    def __init__(self, script, key, latency, log, fault):
        self.script = script
        self.key = key
        self.latency = latency
        self.log_path = log
        self.lock = threading.Lock()
        # By task: the answers by the summary they came behind, and the last question.
        self.answers = {}
        self.questions = {}
        self.log = []
        self.fault = None
        if fault:
            self.set_fault(fault, -1)

    def set_fault(self, kind, times):
        if kind is not None and kind not in FAULTS:
            raise Wrong(f"no fault called {kind}")
        if kind in ("500-once", "429-once"):
            times = 1
        with self.lock:
            self.fault = (kind, times) if kind else None

    def take_fault(self):
        with self.lock:
            if self.fault is None:
                return None
            kind, times = self.fault
            self.fault = None if times == 1 else (kind, times - 1 if times > 0 else times)
            return kind

    def note(self, entry):
        with self.lock:
            self.log.append(entry)
            if self.log_path:
                with open(self.log_path, "a", encoding="utf-8") as log:
                    log.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def check(self, headers, body):
        """The prompt's text, the picture's part and whether to stream, or what is wrong with the request."""
        given = headers.get("authorization", "")
        if given != f"Bearer {self.key}":
            raise Wrong("no bearer key, or another one")
        try:
            request = json.loads(body)
        except ValueError as error:
            raise Wrong(f"the body is not JSON: {error}") from error
        if not isinstance(request.get("model"), str) or not request["model"]:
            raise Wrong("no model name")
        if self.key in body.decode("utf-8", "replace"):
            raise Wrong("the key is in the body")
        texts, pictures = [], []
        for message in request.get("messages") or []:
            if message.get("role") not in ("system", "user", "assistant"):
                raise Wrong(f"a message of role {message.get('role')!r}")
            content = message.get("content")
            for part in [{"type": "text", "text": content}] if isinstance(content, str) else content or []:
                if part.get("type") == "text":
                    texts.append(part["text"])
                elif part.get("type") == "image_url":
                    pictures.append(part)
                else:
                    raise Wrong(f"a part of type {part.get('type')!r}")
        if len(pictures) != 1:
            raise Wrong(f"{len(pictures)} pictures instead of one")
        return "\n".join(texts), pictures[0], bool(request.get("stream"))

    def decide(self, prompt, picture):
        """The reply with the next action for the task in the prompt."""
        if JUDGED in prompt:
            return VERDICT
        found = STATE.search(prompt)
        if not found:
            raise Wrong("the prompt names no task")
        task, history = found[1], found[2]
        if history == NOTHING_DONE:
            history = ""
        summary, _, rest = history.partition(ANSWERED)
        summary = summary.split("你问过：")[0].split("你记下了：")[0].strip()
        if task == tasks.NO_APP:
            return NO_APP_REPLIES[bool(summary)]
        told = [NEXT.split(answer)[0] for answer in rest.split(ANSWERED)] if rest else []
        with self.lock:
            if not history:
                self.answers.pop(task, None)
            # An answer is told once: whoever is told it has to keep it.
            known = self.answers.setdefault(task, {})
            if told:
                question = self.questions.get(task, "")
                known[summary] = [{"question": question, "text": text} for text in told]
            replies = [reply for some in known.values() for reply in some]
        progress = {
            "task": tasks.NOTE_IN_FULL if task == tasks.NOTE else task,
            "last_summary": summary,
            "replies": replies,
        }
        messages = [
            {"role": "system", "content": json.dumps(progress, ensure_ascii=False)},
            {"role": "user", "content": [picture]},
        ]
        request = {"model": SCRIPTED, "messages": messages}
        try:
            answer = post_json(f"{self.script}/chat/completions", request)
        except urllib.error.HTTPError as error:
            raise Wrong(f"the scripted model: {error.read().decode()}") from error
        reply = json.loads(answer)["choices"][0]["message"]["content"]
        if asked := ASKED.search(reply):
            with self.lock:
                self.questions[task] = asked[1]
        return reply


def jpeg_size(url):
    """Width and height of a JPEG in a data URL that is whole."""
    head, comma, data = url.partition(",")
    if not comma or head not in ("data:image/jpeg;base64", "data:image/jpg;base64"):
        raise Wrong(f"a picture that is no JPEG data URL: {url[:40]}")
    try:
        jpeg = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Wrong(f"a picture whose base64 is broken: {error}") from error
    if not jpeg.startswith(b"\xff\xd8") or not jpeg.endswith(b"\xff\xd9"):
        raise Wrong("a JPEG without beginning or end")
    at = 2
    while at + 4 <= len(jpeg):
        if jpeg[at] != 0xFF:
            raise Wrong(f"a JPEG with no marker at byte {at}")
        marker, length = jpeg[at + 1], int.from_bytes(jpeg[at + 2 : at + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = (int.from_bytes(jpeg[at + n : at + n + 2], "big") for n in (5, 7))
            if not 200 <= width <= 4096 or not 200 <= height <= 4096:
                raise Wrong(f"a picture of {width}x{height}")
            decode(jpeg)
            return [width, height]
        at += 2 + length
    raise Wrong("a JPEG without a frame")


def decode(jpeg):
    """Really decodes it, where Pillow is installed (it is when run.py is the caller)."""
    try:
        from PIL import Image
    except ImportError:
        return
    from io import BytesIO

    try:
        Image.open(BytesIO(jpeg)).load()
    except Exception as error:
        raise Wrong(f"a JPEG that does not decode: {error}") from error


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake = None

    def log_message(self, *_):
        pass

    def answer(self, status, body, kind="application/json", extra=()):
        data = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        for name, value in extra:
            self.send_header(name, value)
        try:
            self.end_headers()
            self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            # Who asks may have given up: a cancelled task does.
            self.close_connection = True

    def do_GET(self):
        if self.path == "/v1/models":
            self.answer(200, {"object": "list", "data": [{"id": "gelab-zero-4b-preview", "object": "model"}]})
        elif self.path == "/log":
            with self.fake.lock:
                self.answer(200, self.fake.log)
        else:
            self.answer(404, {"error": {"message": "nothing here"}})

    def do_POST(self):
        length = int(self.headers.get("content-length") or 0)
        if length > MAX_BODY:
            self.close_connection = True
            return self.answer(413, {"error": {"message": "too large"}})
        body = self.rfile.read(length)
        if self.path == "/fault":
            wanted = json.loads(body)
            self.fake.set_fault(wanted.get("kind"), wanted.get("times", -1))
            return self.answer(200, {})
        if self.path != "/v1/chat/completions":
            return self.answer(404, {"error": {"message": f"no such path: {self.path}"}})
        entry = {"time": time.time()}
        try:
            prompt, picture, stream = self.fake.check(self.headers, body)
            entry["picture"] = jpeg_size(picture["image_url"]["url"])
            entry["fault"] = fault = self.fake.take_fault()
            entry["reply"] = self.fake.decide(prompt, picture)
        except Wrong as wrong:
            entry["complaint"] = str(wrong)
            entry["prompt"] = body[-400:].decode("utf-8", "replace")
            self.fake.note(entry)
            return self.answer(400, {"error": {"message": str(wrong)}})
        self.fake.note(entry)
        time.sleep(self.fake.latency)
        self.reply(fault, entry["reply"], len(prompt), stream)

    def reply(self, fault, text, prompt_length, stream):
        finish = "stop"
        if fault == "html":
            return self.answer(200, b"<!doctype html><title>Welcome</title><p>It works!", "text/html")
        if fault == "500-once":
            return self.answer(500, {"error": {"message": "the fake model fell over"}})
        if fault == "429-once":
            return self.answer(429, {"error": {"message": "slow down"}}, extra=[("retry-after", "1")])
        if fault == "empty":
            text = ""
        elif fault == "garbage":
            text = "I would rather talk about the weather: action sunshine, point up there."
        elif fault == "half":
            text, finish = text[: len(text) // 2], "length"
        elif fault == "off-screen":
            text = "<THINK> Over there. </THINK>\nexplain:Tap it\taction:CLICK\tpoint:4000,500\tsummary:Tapped"
        usage = {"prompt_tokens": prompt_length // 3 + 600, "completion_tokens": len(text) // 3 + 1}
        usage["total_tokens"] = sum(usage.values())
        about = {"id": "fake", "created": 0, "model": "gelab-zero-4b-preview"}
        if not stream:
            message = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
            whole = about | {"object": "chat.completion", "choices": [message], "usage": usage}
            return self.answer(200, whole)
        chunk = about | {"object": "chat.completion.chunk"}
        middle = len(text) // 3
        events = [
            chunk | {"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
            for piece in (text[:middle], text[middle:])
        ]
        events.append(chunk | {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        events.append(chunk | {"choices": [], "usage": usage})
        lines = [json.dumps(event, ensure_ascii=False) for event in events] + ["[DONE]"]
        self.answer(200, "".join(f"data: {line}\n\n" for line in lines).encode(), "text/event-stream")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--port", type=int, required=True)
    arguments.add_argument("--script", required=True, help="the scripted model's endpoint")
    arguments.add_argument("--key", required=True)
    arguments.add_argument("--latency", type=float, default=0.05, help="seconds a reply takes")
    arguments.add_argument("--log", help="append every request here, one JSON object a line")
    arguments.add_argument("--fault", choices=FAULTS)
    given = arguments.parse_args()
    Handler.fake = Fake(given.script, given.key, given.latency, given.log, given.fault)
    server = ThreadingHTTPServer(("127.0.0.1", given.port), Handler)
    server.daemon_threads = True
    server.serve_forever()


if __name__ == "__main__":
    main()
