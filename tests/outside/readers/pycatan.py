"""PyCatan-AI's readers: the web viewer, the console that follows the log, the analysis of a session.

Files are listed in lexical order and sorted by their timestamps, times are parsed without a zone, a
prompt and its response belong together by number.
"""

import json
from datetime import datetime
from pathlib import Path

from . import need


def read(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def current(base):
    """The folder that is being written, by the file that names it."""
    named = (Path(base) / "current_session.txt").read_text(encoding="utf-8")
    need(named == named.strip(), f"current_session.txt has more than a name: {named!r}")
    folder = Path(base) / named
    need(folder.is_dir(), f"current_session.txt names {named!r}, which is not there")
    return folder


def console(base):
    """The lines of the log, each with the colour it would have."""
    colours = []
    log = current(base) / "llm_communication.log"
    for line in log.read_text(encoding="utf-8").splitlines():
        if "[SEND]" in line or "[PROMPT]" in line:
            colours.append("blue")
        elif "[RECV]" in line or "[RESPONSE]" in line:
            colours.append("green")
        elif "[ERROR]" in line or "Error" in line:
            colours.append("red")
        else:
            colours.append("plain")
    need("blue" in colours, "nothing was sent, by the log")
    return colours


def viewer(folder, cut=False):
    """What the web page shows: requests by time, players, chat, memories. Nothing is swallowed here.
    `cut`: one request may be without an answer."""
    requests, players = [], {}
    for player in sorted(Path(folder).iterdir()):
        if not player.is_dir() or not (player / "prompts").exists():
            continue
        for path in sorted((player / "prompts").glob("prompt_*.json")):
            if "iter" in path.name:
                continue
            prompt = read(path)
            number = prompt.get("request_number", 0)
            answer_path = player / "responses" / f"response_{number}.json"
            answer = read(answer_path) if answer_path.exists() else None
            again = [read(found) for found in sorted((player / "prompts" / "iterations").glob(f"prompt_{number}_iter*.json"))]
            requests.append(
                {
                    "player": player.name,
                    "number": number,
                    "timestamp": prompt.get("timestamp", ""),
                    "prompt": prompt.get("prompt", {}),
                    "parsed": answer.get("parsed", {}) if answer else None,
                    "raw": answer.get("raw_content", "") if answer else None,
                    "tokens": answer.get("tokens", {}) if answer else {},
                    "success": answer.get("success", False) if answer else False,
                    "answered": answer is not None,
                    "iterations": [(it.get("iteration", 0), it.get("tool_results", ""), it.get("timestamp", "")) for it in again],
                }
            )
        page = player / f"{player.name}.md"
        if page.exists():
            players[player.name] = page.read_text(encoding="utf-8")
    requests.sort(key=lambda request: request["timestamp"])
    times = [datetime.fromisoformat(request["timestamp"]) for request in requests]
    need(times == sorted(times) and all(time.tzinfo is None for time in times), "times that do not sort as text")
    open_ones = [request for request in requests if not request["answered"]]
    need(len(open_ones) <= int(cut), f"requests without a response: {[it['number'] for it in open_ones]}")
    for request in requests:
        need(isinstance(request["prompt"], dict), "a prompt that is no object")
        need(not request["answered"] or isinstance(request["tokens"].get("total"), int), "no total of tokens")
    chat_path, memory_path = Path(folder) / "chat_history.json", Path(folder) / "agent_memories.json"
    return {
        "requests": requests,
        "players": players,
        "chat": read(chat_path).get("messages", []) if chat_path.exists() else [],
        "memories": read(memory_path) if memory_path.exists() else {},
    }


def analysis(folder, player, number):
    """One decision: what was known, which tools were used, what was thought and done."""
    home = Path(folder) / player
    prompt = read(home / "prompts" / f"prompt_{number}.json")
    response = read(home / "responses" / f"response_{number}.json")
    tools = Path(folder) / "tool_executions.json"
    batches = read(tools) if tools.exists() else []
    need(isinstance(batches, list), "tool_executions.json is no list")
    used, trace = set(), []
    for path in sorted((home / "responses" / "intermediate").glob(f"response_{number}_iter*.json")):
        between = read(path)
        calls = between.get("tool_calls") or []
        wanted = [call["name"] for call in calls]
        then = datetime.fromisoformat(between["timestamp"])
        best = None
        for index, batch in enumerate(batches):
            names = [call["name"] for call in batch["calls"]]
            late = datetime.fromisoformat(batch["timestamp"]) - then
            if index in used or late.total_seconds() < 0 or (wanted and names[: len(wanted)] != wanted):
                continue
            if best is None or late < best[0]:
                best = (late, index)
        if best:
            used.add(best[1])
        trace.append({"iteration": int(between["iteration"]), "calls": calls, "batch": best and best[1]})
        need(not wanted or best, f"the tools of {path.name} were never run")
        tied = batches[best[1]] if best else {}
        whose = (tied.get("player_name", player), tied.get("request_number", number))
        need(whose == (player, number), f"{path.name} is tied to what was done for {whose}")
        # Words that were refused must not be tied to a gesture.
        need(wanted or not tied.get("calls"), f"{path.name} called nothing and is tied to {tied}")
    need([it["iteration"] for it in trace] == list(range(1, len(trace) + 1)), f"iterations with gaps: {trace}")
    context = prompt["prompt"].get("task_context") or {}
    parsed = response.get("parsed") or {}
    need(isinstance(context, dict) and isinstance(parsed, dict), "what the analysis takes apart is no object")
    str(context.get("what_just_happened") or "").lower()
    action = parsed.get("action_type") or (parsed.get("action") or {}).get("type")
    need(action or not response["success"], f"a response without an action: {player} {number}")
    return {
        "label": f"{player} #{number}: {action or 'decision'}",
        "thinking": parsed.get("internal_thinking") or "",
        "memory_write": parsed.get("note_to_self") or "",
        "say_outloud": parsed.get("say_outloud") or "",
        "parameters": parsed.get("parameters"),
        "trace": trace,
    }
