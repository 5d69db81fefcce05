"""How near our requests are to those of each model's own client, measured.

    fidelity/run.py --binary target/debug/ayeaye --checkouts DIR [--only FAMILY] [--show]

One task of three acts, a question and its answer, for every family: `ayeaye run` on the virtual phone against
an endpoint that records what it is asked; then the client's own code, from the checkout in DIR/OWNER/NAME, for
the same task, replies, date and apps. With the prompt that `ayeaye model prompt import` reads out of that
checkout, roles, parts and texts are compared; without a checkout only what ours have to say. Prints a table.
"""

import argparse
import difflib
import json
import os
import subprocess
import sys
import tempfile
import threading
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import Checks  # noqa: E402
from replies import ANSWER, QUESTION, REPLIES, SAID, TASK  # noqa: E402
from terminal import Terminal  # noqa: E402

# Of each row: the profile, the variant of its prompt, the model's name, the checkout.
FAMILIES = {
    "gelab": ("gelab", "", "gelab-zero-4b-preview", "stepfun-ai/gelab-zero"),
    "autoglm": ("autoglm", "", "autoglm-phone-9b", "zai-org/Open-AutoGLM"),
    "autoglm-multilingual": ("autoglm", "multilingual", "autoglm-phone-9b-multilingual", "zai-org/Open-AutoGLM"),
    "ui-tars": ("ui-tars", "", "ui-tars-1.5-7b", "bytedance/UI-TARS"),
    "mai-ui": ("mai-ui", "", "mai-ui-8b", "Tongyi-MAI/MAI-UI"),
    "gui-owl": ("gui-owl", "", "gui-owl-1.5-8b", "X-PLUG/MobileAgent"),
    "qwen3-vl": ("qwen3-vl", "", "qwen3-vl-8b-instruct", "QwenLM/Qwen3-VL"),
    "ui-venus": ("ui-venus", "", "ui-venus-1.5-8b", "inclusionAI/UI-Venus"),
    "ui-venus-english": ("ui-venus", "english", "ui-venus-1.5-8b", "inclusionAI/UI-Venus"),
    "agentcpm-gui": ("agentcpm-gui", "", "agentcpm-gui", "OpenBMB/AgentCPM-GUI"),
}

# When the virtual phone's clock begins, by which models are told the date.
PHONE_BEGINS = datetime(2026, 5, 12, 9, 41)
# Whose clients tell the user's answer, and so have the last request as we do.
TELLS_ANSWERS = {"gelab", "mai-ui", "ui-tars"}
# Whose clients send a system message that no part of the published prompt is, so that ours is known to differ.
OWN_SYSTEM = {"ui-venus-english"}


class Recorder(ThreadingHTTPServer):
    """A model's endpoint that keeps what it is asked and replies by the script."""

    def __init__(self, replies):
        self.replies, self.asked = replies, []
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append(body)
        reply = self.server.replies[min(len(self.server.asked), len(self.server.replies)) - 1]
        answer = {
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply}}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1},
        }
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def run_ours(binary, folder, name, checkout):
    """The requests of our own run, and whether they carry an imported prompt."""
    profile, variant, model, _ = FAMILIES[name]
    settings = folder / "ayeaye.toml"
    # Not streamed, so that the recorder may answer at once; everything else is as it is by default.
    settings.write_text(f'[model]\nname = "{model}"\nprofile = "{profile}"\nstream = false\n')
    home = {"HOME": str(folder), "PATH": os.environ["PATH"], "AYEAYE_CONFIG": str(settings), "AYEAYE_DATA_DIR": str(folder)}
    if checkout.is_dir():
        words = ["model", "prompt", "import", "--from", checkout, "--family", profile, "--use"]
        words += ["--variant", variant] if variant else []
        done = subprocess.run([binary, *words], env=home, capture_output=True, text=True)
        if done.returncode or "It is as published" not in done.stdout:
            raise SystemExit(f"{name}: {done.stdout}{done.stderr}")
    recorder = Recorder(REPLIES[name])
    url = f"http://127.0.0.1:{recorder.server_port}/v1"
    terminal = Terminal([binary, "run", TASK, "--virtual", "--max-steps", "8", "--model-base-url", url,
                         "--config", settings, "--data-dir", folder], folder)
    terminal.until(QUESTION).answer(ANSWER + "\n")
    code = terminal.end()
    recorder.shutdown()
    if code or len(recorder.asked) != len(REPLIES[name]):
        raise SystemExit(f"{name}: {len(recorder.asked)} requests, exit {code}:\n{terminal.said}")
    return recorder.asked


def plain(body):
    """A request's messages as [role, parts]: texts, and {"picture": true}."""
    result = []
    for message in body["messages"]:
        content = message["content"]
        parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
        result.append([message["role"], [it["text"] if it["type"] == "text" else {"picture": True} for it in parts]])
    return result


def picture_formats(asked):
    urls = (
        it["image_url"]["url"]
        for body in asked
        for message in body["messages"]
        if isinstance(message["content"], list)
        for it in message["content"]
        if it["type"] == "image_url"
    )
    return sorted({url.split(";")[0].removeprefix("data:image/") for url in urls})


def run_official(name, checkout, asked):
    """The requests of the client's own code, told what our run was told."""
    apps = [app_in(plain(body)) for body in asked]
    told = {
        "task": TASK,
        "replies": REPLIES[name],
        "said": SAID.get(name, []),
        "answers_before": [""] * (len(REPLIES[name]) - 1) + [ANSWER],
        "apps": apps,
        "now": PHONE_BEGINS.isoformat(),
    }
    command = [sys.executable, str(HERE / "official.py"), name, str(checkout)]
    done = subprocess.run(command, input=json.dumps(told), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name}: its client does not run:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout)


def app_in(messages):
    """The app in front as our request names it, for clients that tell it."""
    for role, parts in reversed(messages):
        for text in parts:
            if role == "user" and isinstance(text, str) and '{"current_app": ' in text:
                return json.loads(text[text.index('{"current_app": ') :].splitlines()[0])["current_app"]
    return ""


def shape(messages):
    """Roles and the kinds of parts, texts aside."""
    return [[role, ["picture" if isinstance(it, dict) else "text" for it in parts]] for role, parts in messages]


def differences(ours, theirs):
    """Lines of a diff of two requests, long texts by lines."""

    def lines(messages):
        for role, parts in messages:
            for it in parts:
                text = "(picture)" if isinstance(it, dict) else it
                yield from (f"{role}: {line!r}" for line in text.split("\n"))

    diff = difflib.unified_diff(list(lines(theirs)), list(lines(ours)), "official", "ours", n=0, lineterm="")
    return [line for line in diff if not line.startswith(("---", "+++", "@@"))]


def says_it(body):
    """Whether the task is in a request, character by character."""
    return any(isinstance(it, str) and TASK in it for _, parts in plain(body) for it in parts)


def compare(checks, name, checkout, asked, show):
    """The row of one family, and whether it is as promised."""
    profile, formats = f"`{name}`", ", ".join(picture_formats(asked))
    if not checkout.is_dir():
        return f"| {profile} | {len(asked)} | {formats} | no checkout of {FAMILIES[name][3]} | |"
    ours, theirs = [plain(body) for body in asked], run_official(name, checkout, asked)
    pairs = list(zip(ours, theirs))
    # A client of which only the template is published makes one request: it is the front of all of ours.
    if len(theirs) == 1:
        pairs = [([["user", [mine[0][1][0]]]], theirs[0]) for mine in ours]
    # Of a template alone nothing is known of turns.
    shapes = "–" if len(theirs) == 1 else sum(shape(mine) == shape(other) for mine, other in pairs)
    texts = sum(mine == other for mine, other in pairs)
    if show:
        for number, (mine, other) in enumerate(pairs, 1):
            for line in differences(mine, other):
                print(f"request {number} {line[:300]}")
    row = f"| {profile} | {len(pairs)} | {formats} | {shapes} | {texts} |"
    if name in OWN_SYSTEM:
        return row
    # The last one has the user's answer, which not every client tells.
    wanted = len(pairs) - (name not in TELLS_ANSWERS)
    checks.check(f"{name}: {wanted} of {len(pairs)} requests are its client's", texts >= wanted, f"{texts} are")
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, type=Path)
    parser.add_argument("--checkouts", type=Path, default=Path("/nonexistent"))
    parser.add_argument("--only", action="append", choices=FAMILIES)
    parser.add_argument("--show", action="store_true", help="show what differs")
    args = parser.parse_args()
    checks, rows = Checks("fidelity: "), []
    for name in args.only or FAMILIES:
        checkout = args.checkouts / FAMILIES[name][3]
        with tempfile.TemporaryDirectory() as folder:
            asked = run_ours(args.binary.resolve(), Path(folder), name, checkout)
        checks.check(f"{name}: the task is said as it is in all {len(asked)} requests", all(map(says_it, asked)))
        rows.append(compare(checks, name, checkout, asked, args.show))
    print("\n| profile | requests | pictures | same roles and parts | same text |\n|---|---|---|---|---|")
    print("\n".join(rows))
    checks.exit()


if __name__ == "__main__":
    main()
