"""UFO's readers: trajectory parser, Markdown generators, evaluator's input, experience loader, and
the snippet of its documentation. They look keys up as those do, tolerant and strict in the same places.
"""

import base64
import json
import os
import re
from io import BytesIO
from pathlib import Path

from PIL import Image

from . import need

PICTURES = [
    f"{kind}_screenshot_path" for kind in ("clean", "annotated", "concat", "selected_control")
]
MARKDOWN_KEYS = ("request", "subtask", "thought", "status", "action", "error")


def opened(path):
    """A picture as UFO opens it: whatever exists under that name must be one, also a folder."""
    if not os.path.exists(path):
        return None
    image = Image.open(path)
    image.load()
    return image


def lines_of(folder):
    """Lines that are JSON; others are skipped. What is not UTF-8 ends it all."""
    found = []
    for line in (Path(folder) / "response.log").read_text(encoding="utf-8").splitlines():
        try:
            found.append(json.loads(line.strip()))
        except json.JSONDecodeError:
            continue
    return found


def judgement(folder):
    path = Path(folder) / "evaluation.log"
    if not path.exists():
        return {}
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError:
        return {}


def counted(steps, key):
    numbers = [step.get(key) for step in steps if isinstance(step.get(key), int)]
    return max(numbers) + 1 if numbers else 0


def trajectory(folder):
    """Steps with their pictures, rounds with theirs, the judgement."""
    steps = lines_of(folder)
    for step in steps:
        pictures = {}
        for key in PICTURES:
            named = step.get(key)
            # An empty name is joined to the folder itself, which exists, by all but the latest code.
            pictures[key] = None if named is None else opened(os.path.join(folder, os.path.basename(named)))
        step["pictures"] = pictures
    rounds = []
    for number in range(counted(steps, "Round")):
        pattern = re.compile(rf"action_round_{number}_sub_round_(\d+)_final\.png")
        subs = [int(found[1]) for name in os.listdir(folder) if (found := pattern.match(name))]
        rounds.append(
            {
                "final": opened(os.path.join(folder, f"action_round_{number}_final.png")),
                "subs": [
                    opened(os.path.join(folder, f"action_round_{number}_sub_round_{sub}_final.png"))
                    for sub in range(max(subs, default=-1) + 1)
                ],
            }
        )
    return {
        "steps": steps,
        "rounds": rounds,
        "step_number": counted(steps, "Step"),
        "final": opened(os.path.join(folder, "action_step_final.png")),
        "judgement": judgement(folder),
        "apps": [step for step in steps if step.get("agent_type") == "AppAgent"],
        "hosts": [step for step in steps if step.get("agent_type") == "HostAgent"],
    }


def markdown(read):
    """The page that is made of app agents' steps."""
    page = [f"{key.title()}: {value}" for key, value in read["judgement"].items()]
    for step in read["apps"]:
        page.append(f"### Step {step.get('session_step')}:")
        for key, value in step.items():
            if key not in MARKDOWN_KEYS:
                continue
            if key == "action" and len(value) > 0:
                page.append(f"Action: {value[0].get('action_string')}, {value[0].get('result')}")
            else:
                page.append(f"{key.title()}: {value}")
        for key in ("annotated_screenshot_path", "selected_control_screenshot_path"):
            page.append("./" + os.path.basename(step.get(key, "")))
    return "\n".join(page)


def second_markdown(folder):
    """Galaxy's page of all steps: it adds costs and times up and formats them as numbers."""
    steps = lines_of(folder)
    total = sum(step.get("total_time", 0.0) for step in steps)
    cost = sum(step.get("cost", 0.0) for step in steps)
    page = [f"{total:.2f}s ${cost:.4f}"]
    for number, step in enumerate(steps, 1):
        page.append(f"### Step {number} {step.get('agent_name', 'N/A')} {step.get('status', 'N/A')}")
        if step.get("total_time"):
            page.append(f"{step['total_time']:.2f}s")
        if step.get("cost"):
            page.append(f"${step['cost']:.4f}")
        for phase, seconds in (step.get("execution_times") or {}).items():
            if seconds > 0:
                page.append(f"{phase}: {seconds:.2f}s")
        for action in step.get("action") or []:
            page.append(action.get("function", "unknown"))
            page.append(json.dumps(action.get("arguments"), ensure_ascii=False))
        for device in (step.get("device_info") or {}).values():
            page.append(device.get("os", "N/A"))
        for key in ("constellation_before", "constellation_after"):
            need(not step.get(key), f"{key} is not ours to write")
    return "\n".join(page)


def shown_in(page):
    """The pictures that a page of [`markdown`] shows, by name."""
    return [line[2:] for line in page.splitlines() if line.startswith("./")]


def is_screen(image):
    """Whether the evaluator takes a picture for a screen: a single pixel stands for a missing one."""
    return image is not None and min(image.size) > 1 and image.getbbox() is not None


def evaluator_input(folder, request):
    """Every line must be JSON here; a picture for each step that has one, and the last screen."""
    with open(Path(folder) / "response.log", encoding="ascii") as log:
        lines = [json.loads(line) for line in log]
    content, shown = [request], 0
    for line in lines:
        step = line.get("Step")
        if step is None:
            continue
        # The only one it takes.
        picture = os.path.join(folder, os.path.basename(line.get("selected_control_screenshot_path") or ""))
        if os.path.isfile(picture) and is_screen(opened(picture)):
            content.append(base64.b64encode(Path(picture).read_bytes()))
            shown += 1
        keys = "Request Step Observation Thought ControlLabel ControlText Plan Comment Action Application Results"
        told = {key: line.get(key) for key in keys.split()}
        missing = [key for key, value in told.items() if value is None]
        need(not missing, f"step {step}: the evaluator finds no {missing}")
        content.append(json.dumps(told))
    last = os.path.join(folder, "action_step_final.png")
    if os.path.exists(last):
        content.append(base64.b64encode(Path(last).read_bytes()))
    return {"steps": len(lines), "pictures": shown, "last": os.path.exists(last), "content": content}


def experience(folder, encode=True):
    """Steps by subtask, each with its pictures encoded; at least one app agent's step is wanted."""
    groups = {}
    for step in trajectory(folder)["apps"]:
        for image in step["pictures"].values():
            if image is not None and encode:
                image.save(BytesIO(), format="PNG")
        groups.setdefault(step.get("Subtask"), []).append(step)
    partition = []
    for index, (subtask, steps) in enumerate(groups.items()):
        partition.append({"index": index, "subtask": subtask, "steps": steps, "application": steps[0]["Application"]})
        keys = "Subtask Step Observation Thought ControlLabel ControlText Function Plan Comment Action Application Results"
        for step in steps:
            missing = [key for key in keys.split() if step.get(key) is None]
            need(not missing, f"the experience loader finds no {missing}")
            need(step.get("subtask") and step.get("action_representation") is not None, "nothing to learn from")
    need(partition, "the experience loader has no step of an app agent")
    return partition


def snippet(folder):
    """What the documentation tells readers to do, key by key."""
    said = []
    with open(Path(folder) / "response.log", "r", encoding="ascii") as log:
        for line in log:
            step = json.loads(line)
            said.append(f"Step {step['step']} - Agent: {step['agent_type']}")
            said.append(f"Thought: {step['thought']}")
    return said
