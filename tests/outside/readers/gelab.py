"""GELab-Zero's readers of a trace: its server, which rebuilds a session from it, and its web page."""

import json
import tempfile
from pathlib import Path

from PIL import Image

from . import need

# The formats that its server has a parser for, in all its versions.
TASK_TYPES = {"parser_0922_summary", "parser_0920"}
# What its parser knows, and what each action must have. Of others it is an error to be the last.
ARGUMENTS = {
    "TYPE": ["value"],
    "CLICK": ["point"],
    "AWAKE": ["value"],
    "INFO": ["value"],
    "WAIT": ["value"],
    "COMPLETE": ["return"],
    "ABORT": [],
    "SLIDE": ["point1", "point2"],
    "LONGPRESS": ["point"],
}


def logs_of(folder, session):
    text = (Path(folder) / f"{session}.jsonl").read_text(encoding="ascii")
    return [json.loads(line) for line in text.splitlines()]


def as_words(value):
    """A value as the parser writes it back into a prompt: lists, numbers, and text; nothing else."""
    if isinstance(value, list):
        return ",".join(str(part).strip() for part in value)
    if isinstance(value, (bool, int, float)):
        return str(value)
    return value.replace("\n", "").replace("\t", "").strip()


def action_back(action):
    """An action as its own reply format again."""
    need("explain" in action and "cot" in action, f"an action without explain or cot: {action}")
    kind = action.get("action_type", action.get("action"))
    need(action["action"] == kind, "two names for one action")
    for name in ARGUMENTS.get(kind, []):
        need(name in action, f"a {kind} without {name}: {action}")
        as_words(action[name])
        if name.startswith("point"):
            need(len(action[name]) == 2 and all(isinstance(it, int) for it in action[name]), f"no point: {action}")
    return kind


def rebuilt(folder, session):
    """Task, what was seen and what was done, as the server takes a session up again, and whether it refuses to."""
    logs = logs_of(folder, session)
    need(logs, "an empty trace")
    config = logs[0]["message"]
    for key in ("task_type", "model_config", "task"):
        need(key in config, f"the first line has no {key}")
    need("model_name" in config["model_config"], "no model's name")
    seen, done, talk = [], [], []
    for log in logs[1:]:
        message = log["message"]
        need("environment" in message and "action" in message, f"a line that is no step: {log}")
        seen.append(message["environment"])
        done.append(message["action"])
    for before, after in zip(done, seen[1:]):
        said = after["user_comment"].strip()
        if before["action"] == "INFO":
            talk.append((before["value"], said))
        elif said:
            talk.append((None, said))
    kinds = [action_back(action) for action in done]
    if done:
        need(isinstance(done[-1].get("summary", ""), str), "a summary that is no text")
    facts = {"task": config["task"], "kinds": kinds, "talk": talk, "steps": len(done), "logs": logs}
    return facts | {"refused": refusal(config["task_type"], kinds)}


def refusal(task_type, kinds):
    """Why its server does not take the session up, in the words of its errors, or None."""
    if task_type not in TASK_TYPES:
        return f"Unknown parser name: {task_type}"
    if kinds and kinds[-1] not in ARGUMENTS:
        return f"Unknown action type {kinds[-1]}"
    return None


# Where its programs look for traces, from the folder they are started in. Pictures too are opened from there.
TRACES = "running_log/server_log/os-copilot-local-eval-logs/traces"


def page(folder, session):
    """What the web page shows of each step, the traces being where it looks for them; it opens every
    picture."""
    shown = []
    with tempfile.TemporaryDirectory() as home:
        traces = Path(home) / TRACES
        traces.parent.mkdir(parents=True)
        traces.symlink_to(Path(folder).resolve(), target_is_directory=True)
        for log in logs_of(traces, session)[1:]:
            environment, action = log["message"]["environment"], log["message"]["action"]
            if environment["image"]:
                with Image.open(Path(home) / environment["image"]) as image:
                    image.convert("RGB")
            shown.append((action.get("cot", ""), action.get("action_type", ""), json.dumps(action)))
    return shown
