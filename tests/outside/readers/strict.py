"""Our own contract: every field of every line and file, of its type, with numbers that have no gaps.

The tables are those of the specification of the logs: the documents of UFO's step log and rounds, of
PyCatan's responses, and the names that readers of several generations look for.
"""

import json
import re
import xml.etree.ElementTree as ElementTree
from datetime import datetime
from pathlib import Path

from PIL import Image

from . import need
from .record import of

STATUS = {"FINISH", "CONTINUE", "PENDING", "ASSIGN", "CONFIRM", "SCREENSHOT", "FAIL", "ERROR"}
PHASES = ["DATA_COLLECTION", "LLM_INTERACTION", "ACTION_EXECUTION", "MEMORY_UPDATE"]


def text(value):
    return isinstance(value, str)


def words(value):
    return isinstance(value, str) and value != ""


def texts(value):
    return isinstance(value, list) and all(map(text, value))


def whole(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def amount(value):
    return isinstance(value, float) and value >= 0


def table(value):
    return isinstance(value, dict)


def objects(value):
    return isinstance(value, list) and all(map(table, value))


def times(value):
    return table(value) and list(value) == PHASES and all(map(amount, value.values()))


def is_name(value):
    return text(value) and re.fullmatch(r"[A-Za-z0-9._-]+", value) is not None


def index(value):
    return value == -1 or whole(value)


# Documentation's names, and who of the two agents has them: both have all.
DOCUMENTED = {
    "observation": text, "thought": text, "comment": text, "current_subtask": text, "message": texts,
    "control_label": text, "control_text": text, "plan": texts, "status": lambda it: it in STATUS,
    "questions": texts, "function": text, "action": objects, "save_screenshot": table, "step": whole,
    "round_step": whole, "agent_step": whole, "round_num": whole, "subtask": words, "subtask_index": index,
    "action_type": text, "request": words, "agent_type": lambda it: it in ("HostAgent", "AppAgent"),
    "agent_name": is_name, "application": text, "cost": amount, "result": text,
    "screenshot_clean": text, "screenshot_annotated": text, "screenshot_concat": text,
    "screenshot_selected_control": text, "time_cost": times,
}  # fmt: skip
# Names of today's code.
CODE = {
    "session_step": whole, "function_call": texts, "action_representation": texts, "action_success": objects,
    "arguments": table, "app_root": text, "application_process_name": text, "llm_cost": amount,
    "results": text, "execution_times": times, "total_time": amount, "clean_screenshot_path": words,
    "annotated_screenshot_path": words, "concat_screenshot_path": words,
    "selected_control_screenshot_path": words, "desktop_screenshot_path": text,
    "control_log": lambda it: table(it) or objects(it), "cost_known": lambda it: isinstance(it, bool),
    "last_error": lambda it: it is None or words(it),
}  # fmt: skip
# Names of the code before, and what stands under the same thing today.
OLD = {
    "Step": "step", "Round": "round_num", "RoundStep": "round_step", "AgentStep": "agent_step",
    "Subtask": "subtask", "SubtaskIndex": "subtask_index", "Observation": "observation",
    "Thought": "thought", "Plan": "plan", "Comment": "comment", "ControlLabel": "control_label",
    "ControlText": "control_text", "Function": "function", "Action": "action", "ActionType": "action_type",
    "Request": "request", "Agent": "agent_type", "AgentName": "agent_name", "Application": "application",
    "Status": "status", "Cost": "cost", "Results": "result", "session_step": "step", "llm_cost": "cost",
    "results": "result", "execution_times": "time_cost", "app_root": "application",
    "application_process_name": "application",
}  # fmt: skip
PICTURES = {
    "screenshot_clean": "clean_screenshot_path", "screenshot_annotated": "annotated_screenshot_path",
    "screenshot_concat": "concat_screenshot_path",
    "screenshot_selected_control": "selected_control_screenshot_path",
}  # fmt: skip


def one_action(action, where):
    for key, fits in {
        "function": words, "status": text, "arguments": table, "result": table, "action_string": words,
        "action_representation": text, "target": lambda it: it is None or table(it),
    }.items():  # fmt: skip
        need(key in action and fits(action[key]), f"{where}: action.{key} is {action.get(key)!r}")
    result = action["result"]
    need(result["status"] in ("success", "failure", "skipped", "none"), f"{where}: result {result}")
    need({"error", "result", "namespace", "call_id"} <= set(result), f"{where}: result {result}")
    target = action["target"]
    if target is not None:
        need(target["kind"] in ("window", "control", "third_party_agent"), f"{where}: target {target}")
        need({"name", "id", "type", "rect"} <= set(target), f"{where}: target {target}")
    if "repeat_time" in action:
        need(whole(action["repeat_time"]), f"{where}: repeat_time")


def ufo(folder, found, images):
    """A task folder against the record it was made from. Returns its lines."""
    folder = Path(folder)
    lines = [json.loads(line) for line in (folder / "response.log").read_text(encoding="ascii").split("\n")[:-1]]
    ends, looks = of(found, "step.end"), {event.get("step") for event in of(found, "observe") if event["data"].get("screenshot")}
    need(len(lines) == len(ends), f"{len(lines)} lines for {len(ends)} steps that are over")
    agent_steps, round_steps = {}, {}
    for number, (line, end) in enumerate(zip(lines, ends)):
        where = f"step {number}"
        for fields in (DOCUMENTED, CODE):
            for key, fits in fields.items():
                need(key in line, f"{where} has no {key}")
                need(fits(line[key]), f"{where}: {key} is {line[key]!r}")
        for old, new in OLD.items():
            need(line.get(old) == line[new], f"{where}: {old} is {line.get(old)!r}, {new} is {line[new]!r}")
        nulls = [key for key, value in line.items() if value is None and key not in ("error", "last_error")]
        need(not nulls, f"{where}: null {nulls}")
        need(line["step"] == number == end["step"], f"{where} is numbered {line['step']}")
        need(line["round_num"] == end["round"], f"{where}: round {line['round_num']}")
        round_step = round_steps.setdefault(line["round_num"], 0)
        need(line["round_step"] == round_step, f"{where}: round_step {line['round_step']}, not {round_step}")
        round_steps[line["round_num"]] += 1
        agent_step = agent_steps.setdefault(line["agent_name"], 0)
        need(line["agent_step"] == agent_step, f"{where}: agent_step {line['agent_step']}, not {agent_step}")
        agent_steps[line["agent_name"]] += 1
        need(line["status"] == end["data"]["status"], f"{where}: status {line['status']}")
        need(abs(line["total_time"] - sum(line["time_cost"].values())) < 1e-5, f"{where}: times do not add up")
        need(len(line["action"]) <= 1, f"{where}: several actions")
        for action in line["action"]:
            one_action(action, where)
            need(line["action_type"] == action["function"], f"{where}: action_type {line['action_type']}")
        need(not line["action"] or words(line["action_type"]), f"{where}: an action without a type")
        if line["status"] == "ERROR":
            need(words(line.get("error")), f"{where} failed without an error")
        for key, path in PICTURES.items():
            need(line[key] in ("", line[path]), f"{where}: {key} {line[key]!r}, {path} {line[path]!r}")
            need((images != "none") == (folder / line[path]).exists(), f"{where}: {path} names {line[path]!r}, {images}")
            need(images != "none" or not line[key], f"{where}: {key} is {line[key]!r}, without pictures")
            usual = f"action_step{number}.png" if number in looks else "no_screenshot.png"
            need(line[key] or images == "none" or line[path] == usual, f"{where}: {path} is {line[path]!r}")
        for key in ("screen_size", "screenshot_size"):
            need(len(line[key]) == 2 and all(map(whole, line[key])), f"{where}: {key} is {line[key]!r}")
            need(all(line[key]) or number not in looks, f"{where} saw the screen, and {key} is {line[key]!r}")
        if images != "none" and number in looks:
            need(line["screenshot_clean"] == f"action_step{number}.png", f"{where} saw the screen and has no picture")
        if images == "all" and number in looks:
            need(line["screenshot_annotated"] and line["screenshot_concat"], f"{where} has no drawn pictures")
    need(sorted(round_steps) == list(range(len(round_steps))) or not ends, f"rounds {sorted(round_steps)}")
    if images == "none":
        need(not list(folder.glob("*.png")), "pictures though none are wanted")
    ufo_files(folder, found, images)
    return lines


def ufo_files(folder, found, images):
    for path in folder.glob("*.png"):
        with Image.open(path) as image:
            need(image.format == "PNG", f"{path.name} is a {image.format}")
            image.load()
    for path in folder.glob("xml/*.xml"):
        ElementTree.parse(path)
    snapshots = of(found, "snapshot")
    for event in snapshots:
        data, number = event["data"], event.get("round")
        name = {
            "sub_round": f"action_round_{number}_sub_round_{data.get('sub_round')}_final",
            "round": f"action_round_{number}_final",
            "session": "action_step_final",
        }[data["scope"]]
        if images != "none" and data.get("screenshot"):
            need((folder / f"{name}.png").exists(), f"{name}.png is missing")
        if data.get("ui_tree"):
            need((folder / "xml" / f"{name}.xml").exists(), f"xml/{name}.xml is missing")
    subs = {}
    for path in folder.glob("action_round_*_sub_round_*_final.png"):
        number, sub = map(int, re.findall(r"\d+", path.name))
        subs.setdefault(number, []).append(sub)
    for number, all_subs in subs.items():
        need(sorted(all_subs) == list(range(len(all_subs))), f"sub-rounds of round {number}: {all_subs}")
    requests = [json.loads(line) for line in (folder / "request.log").read_text(encoding="ascii").split("\n")[:-1]]
    # Its lines wait for the elements of the screen, so a step that was cut off has none yet.
    over = {event["step"] for event in of(found, "step.end")}
    asked = [event for event in of(found, "llm.request") if event.get("step") in over]
    need(len(requests) == len(asked), f"{len(requests)} requests for {len(asked)} calls")
    trees = {event["step"] for event in of(found, "observe") if event["data"].get("ui_tree") and "step" in event}
    for request, event in zip(requests, asked):
        need(request["step"] == event["step"], "a request of another step")
        # A host agent's line has no place for them.
        if "control_info" in request:
            need(objects(request["control_info"]), "control_info")
            need(request["control_info"] or event["step"] not in trees, f"a request of step {event['step']} without its elements")
        need(objects(request["prompt"]) and request["prompt"], "a request without a prompt")
        need(texts(request["image_list"]), "a request without its pictures")
        for name in request["image_list"]:
            need(name.startswith("sha256:") or (folder / name).exists(), f"a request names {name}")
    judged = [event for event in of(found, "evaluation")]
    path = folder / "evaluation.log"
    need(path.exists() == bool(judged), "evaluation.log is there without a judgement, or is not")
    if judged:
        told = json.loads(path.read_text(encoding="ascii"))
        for key in ("reason", "complete", "level", "request", "type"):
            need(text(told.get(key)), f"evaluation.log: {key} is {told.get(key)!r}")
        need(told["complete"] in ("yes", "no", "unsure") and told["type"] == "evaluation_result", told)
        need(objects(told["sub_scores"]), "sub_scores are no list")
    page = (folder / "output.md").read_text(encoding="utf-8")
    for name in re.findall(r'(?:src="|\]\()\.?/?([^")]+\.png)', page):
        need((folder / name).exists(), f"output.md shows {name}, which is not there")


PROMPT = ["request_number", "timestamp", "player_name", "is_active_turn", "prompt", "response_schema",
          "what_happened", "allowed_actions", "tools_schema"]  # fmt: skip
AGAIN = ["original_request_number", "iteration", "timestamp", "player_name", "type", "tool_results",
         "full_context_sent", "tools_schema", "tools_enabled", "response_schema"]  # fmt: skip
BETWEEN = ["request_number", "iteration", "timestamp", "player_name", "type", "success", "raw_content",
           "has_tool_calls", "tool_calls", "model", "tokens", "latency_seconds", "error"]  # fmt: skip
FINAL = ["request_number", "timestamp", "player_name", "type", "success", "raw_content", "parsed", "model",
         "tokens", "latency_seconds", "error"]  # fmt: skip
BATCH = ["timestamp", "total_calls", "successful", "failed", "total_time_ms", "tokens", "calls"]
CALL = ["id", "name", "parameters", "result", "success", "error", "execution_time_ms", "tokens"]
KINDS = "API_SEND|API_RECV|API_STATUS|SEND|RECV|TOOL_REQUEST|TOOL|TOOL_RESULTS|INFO|WARNING|ERROR"


def in_order(facts, keys, where, optional=()):
    """The format's keys, in its order, before any of ours."""
    want = [key for key in keys if key in facts or key not in optional]
    need(list(facts)[: len(want)] == want, f"{where}: keys {list(facts)}, want {want}")
    if "timestamp" in facts:
        stamp(facts["timestamp"], where)


def stamp(value, where):
    shape = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}"
    need(text(value) and re.fullmatch(shape, value), f"{where}: time {value!r}")
    return datetime.fromisoformat(value)


def tokens_of(facts, where):
    need(list(facts)[:4] == ["prompt", "completion", "thinking", "total"], f"{where}: tokens {list(facts)}")
    need(all(map(whole, facts.values())), f"{where}: tokens {facts}")
    parts = facts["prompt"] + facts["completion"] + facts["thinking"] + facts.get("tools", 0)
    need(parts == facts["total"], f"{where}: total {facts['total']}, parts {parts}")
    return facts


def pycatan(folder, found, cut=False):
    """A session folder against the record; `cut`: the last request may be without an answer. Returns how
    many requests there are."""
    folder = Path(folder)
    started = datetime.fromisoformat(found[0]["ts"].replace("Z", "+00:00"))
    name = started.strftime("session_%Y%m%d_%H%M%S")
    need(re.fullmatch(name + r"(_\d+)?", folder.name), f"{folder.name}, though it began at {started}")
    about = load(folder / "session_metadata.json")
    in_order(about, ["session_id", "start_time", "version"], "session_metadata.json")
    stamp(about["start_time"], "session_metadata.json")
    need(about["version"] == "2.0" and about.get("timezone") == "UTC", f"session_metadata.json: {about}")
    players = [path for path in sorted(folder.iterdir()) if path.is_dir()]
    total = {}
    for player in players:
        total[player.name] = one_player(player, found, cut)
    asked = {event["data"]["call_id"] for event in of(found, "llm.request")}
    written = sum(len(list(folder.glob(f"*/prompts/{name}"))) for name in ("prompt_*.json", "iterations/prompt_*.json"))
    need(len(asked) == written, f"{written} prompts for {len(asked)} calls")
    batches = load(folder / "tool_executions.json") if (folder / "tool_executions.json").exists() else []
    # An entry has the outcome and the time of a call. What was under way at a kill has neither until the session
    # is continued, which writes a tool.end first, with `unknown`.
    started_tools = [event["data"]["tool_call_id"] for event in of(found, "tool.start")]
    ended_tools = [event["data"]["tool_call_id"] for event in of(found, "tool.end")]
    told_tools = [call["tool_call_id"] for batch in batches for call in batch["calls"] if call["tool_call_id"] is not None]
    need(cut or started_tools == ended_tools, f"tools {started_tools} of which {ended_tools} ended")
    need(told_tools == ended_tools, f"tools {ended_tools} of which {told_tools} are told")
    for at, batch in enumerate(batches):
        where = f"tool_executions.json[{at}]"
        in_order(batch, BATCH, where)
        need(batch["total_calls"] == len(batch["calls"]), where)
        need(batch["successful"] + batch["failed"] == batch["total_calls"], where)
        sums = {"input": 0, "output": 0, "total": 0}
        for call in batch["calls"]:
            in_order(call, CALL, where)
            need(table(call["parameters"]) and isinstance(call["success"], bool), f"{where}: {call}")
            need(call["success"] or words(call["error"]), f"{where}: failed without an error")
            for key in sums:
                sums[key] += call["tokens"][key]
        need(sums == batch["tokens"], f"{where}: tokens {batch['tokens']}, sum {sums}")
    if of(found, "session.end"):
        summary = load(folder / "session_summary.json")
        in_order(summary, ["session_id", "start_time", "end_time", "duration_seconds", "agents"], "session_summary.json")
        need(sorted(summary["agents"]) == sorted(total), f"session_summary.json: {list(summary['agents'])}")
        # Written when a run ends: of a run that was cut off after it, it knows nothing.
        if found[-1]["type"] == "session.end":
            for name, stats in summary["agents"].items():
                tokens_of(stats["tokens"], f"session_summary.json, {name}")
                for key, value in total[name].items():
                    need(stats[key] == value, f"session_summary.json, {name}: {key} {stats[key]}, files say {value}")
    chat = load(folder / "chat_history.json")
    need(list(chat) == ["messages"], "chat_history.json")
    for message in chat["messages"]:
        in_order(message, ["timestamp", "from", "to", "message"], "chat_history.json")
    if (folder / "agent_memories.json").exists():
        for memory in load(folder / "agent_memories.json").values():
            in_order(memory, ["note_to_self", "last_updated"], "agent_memories.json")
    communication(folder, found)
    return sum(it["total_requests"] for it in total.values())


def load(path):
    return json.loads(Path(path).read_text(encoding="ascii"))


def one_player(player, found, cut):
    where = player.name
    need((player / f"{where}.md").exists(), f"{where} has no page")
    prompts = numbered(player / "prompts", r"prompt_(\d+)\.json")
    answers = numbered(player / "responses", r"response_(\d+)\.json")
    need(prompts == list(range(1, len(prompts) + 1)), f"{where}: prompts {prompts}")
    whole_or_cut = [prompts, prompts[:-1]] if cut else [prompts]
    need(answers in whole_or_cut, f"{where}: prompts {prompts}, responses {answers}")
    for path in player.glob("prompts/**/prompt_*.json"):
        need(path.with_suffix(".txt").stat().st_size > 0, f"{path.name} has no text beside it")
    counted = {"total_requests": len(prompts), "successful_requests": 0, "failed_requests": 0, "withdrawn_requests": 0, "intermediate_responses": 0}
    for number in prompts:
        prompt = load(player / "prompts" / f"prompt_{number}.json")
        in_order(prompt, PROMPT, f"{where} prompt_{number}", PROMPT[5:])
        need(prompt["request_number"] == number and prompt["player_name"] == where, f"{where} prompt_{number}")
        need(isinstance(prompt["is_active_turn"], bool) and table(prompt["prompt"]), f"{where} prompt_{number}")
        again = numbered(player / "prompts" / "iterations", rf"prompt_{number}_iter(\d+)\.json")
        between = numbered(player / "responses" / "intermediate", rf"response_{number}_iter(\d+)\.json")
        need(again == list(range(2, len(again) + 2)), f"{where} {number}: follow-ups {again}")
        need(between == list(range(1, len(between) + 1)), f"{where} {number}: replies in between {between}")
        need(len(again) <= len(between) <= len(again) + 1, f"{where} {number}: follow-ups {again}, between {between}")
        last = stamp(prompt["timestamp"], where)
        sums = {"prompt": 0, "completion": 0, "thinking": 0}
        for iteration in range(1, len(between) + 1):
            if iteration > 1:
                facts = load(player / "prompts" / "iterations" / f"prompt_{number}_iter{iteration}.json")
                in_order(facts, AGAIN, f"{where} prompt_{number}_iter{iteration}", ("tools_schema", "response_schema"))
                need(stamp(facts["timestamp"], where) >= last, f"{where} {number}: a follow-up before its reason")
                last = stamp(facts["timestamp"], where)
                need(text(facts["tool_results"]) and words(facts["full_context_sent"]), f"{where} {number}: follow-up")
            facts = load(player / "responses" / "intermediate" / f"response_{number}_iter{iteration}.json")
            in_order(facts, BETWEEN, f"{where} response_{number}_iter{iteration}")
            need(facts["type"] == "intermediate" and facts["iteration"] == iteration, f"{where} {number}: {facts}")
            need(facts["has_tool_calls"] == bool(facts["tool_calls"]), f"{where} {number}: tool calls")
            need(facts["success"] or words(facts["error"]), f"{where} {number}: failed without an error")
            need(amount(facts["latency_seconds"]), f"{where} {number}: latency {facts['latency_seconds']!r}")
            need(stamp(facts["timestamp"], where) >= last, f"{where} {number}: a reply before its prompt")
            last = stamp(facts["timestamp"], where)
            told = tokens_of(facts["tokens"], f"{where} response_{number}_iter{iteration}")
            sums = {key: sums[key] + told[key] for key in sums}
            counted["intermediate_responses"] += 1
        if number not in answers:
            continue
        facts = load(player / "responses" / f"response_{number}.json")
        in_order(facts, FINAL, f"{where} response_{number}")
        need(facts["type"] == "final" and facts["request_number"] == number, f"{where} {number}: {facts}")
        need(facts["player_name"] == where and words(facts["model"]), f"{where} {number}: {facts}")
        need(facts["success"] or words(facts["error"]), f"{where} {number}: failed without an error")
        need(amount(facts["latency_seconds"]), f"{where} {number}: latency {facts['latency_seconds']!r}")
        need(stamp(facts["timestamp"], where) >= last, f"{where} {number}: a response before its prompt")
        if facts["success"] and where != "EvaluationAgent":
            need(words(facts["raw_content"]), f"{where} {number}: nothing raw")
            need(words(facts["parsed"]["action_type"]) and table(facts["parsed"]["parameters"]), f"{where} {number}: parsed")
        told = tokens_of(facts["tokens"], f"{where} response_{number}")
        # A model is asked before the screen has settled, and the call is taken back if it moves on.
        withdrawn = False
        for event in of(found, "llm.response"):
            data = event["data"]
            same = data["request_number"] == number and event.get("agent", "AppAgent") == where
            if same:
                withdrawn = data.get("withdrawn", False)
            # One that called tools has been counted among the replies in between.
            if same and data["kind"] == "final" and not data.get("tool_calls"):
                sums["prompt"] += data["tokens"]["prompt"]
                sums["completion"] += data["tokens"]["completion"] - data["tokens"]["thinking"]
                sums["thinking"] += data["tokens"]["thinking"]
        for key, value in sums.items():
            need(told[key] == value, f"{where} response_{number}: {key} {told[key]}, the calls had {value}")
        counted["successful_requests" if facts["success"] else "withdrawn_requests" if withdrawn else "failed_requests"] += 1
    return counted


def numbered(folder, pattern):
    if not folder.exists():
        return []
    return sorted(int(match[1]) for path in folder.iterdir() if (match := re.fullmatch(pattern, path.name)))


def communication(folder, found):
    lines = (folder / "llm_communication.log").read_text(encoding="utf-8").split("\n")
    need(lines[0] == "=== LLM Communication Log ===", lines[0])
    need(lines[1].startswith("Session: session_") and lines[2].startswith("Started: "), lines[1:3])
    need(lines[3] == "=" * 50, lines[3])
    rest = [line for line in lines[4:] if line]
    odd = [line for line in rest if not re.match(rf"\[\d\d:\d\d:\d\d\] \[({KINDS})\] ", line)]
    odd = [line for line in odd if not re.match(r"💰 CUMULATIVE COST: \$|   Input:  |   Output: |={50}$", line)]
    need(not odd, f"lines that are no lines of the log: {odd[:3]}")
    sent = [int(it) for it in re.findall(r"API Call #(\d+) SENT", "\n".join(rest))]
    need(sent == [event["data"]["call_id"] for event in of(found, "llm.request")], f"calls {sent}")
    need(sorted(sent) == list(range(1, len(sent) + 1)), f"calls {sent}")


def gelab(folder, session, found):
    """A trace: a line for the session, then one for each step that is over, numbered from 1."""
    lines = [json.loads(line) for line in (Path(folder) / f"{session}.jsonl").read_text(encoding="ascii").split("\n")[:-1]]
    ends = of(found, "step.end")
    need(len(lines) == len(ends) + 1, f"{len(lines) - 1} lines for {len(ends)} steps")
    looks = {event.get("step") for event in of(found, "observe") if event["data"].get("screenshot")}
    for number, line in enumerate(lines[1:], 1):
        need(line["session_id"] == session and line["step"] == number, f"line {number}: {line['step']}")
        need(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", line["timestamp"]), line["timestamp"])
        message = line["message"]
        need(text(message["environment"]["user_comment"]), f"line {number}: user_comment")
        need(text(message["environment"]["image"]), f"line {number}: image")
        need(text(message["action"]["action"]) and text(message["model_response"]), f"line {number}: {message}")
        need(all(amount(it) for it in message["llm_cost"].values()), f"line {number}: {message['llm_cost']}")
        need(words(message["model_config"]["model_name"]), f"line {number}: no model")
        if number - 1 in looks:
            need(line["image"] and (Path(folder) / line["image"]).exists(), f"line {number} saw the screen and has no picture")
