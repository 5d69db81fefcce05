"""A model that follows a script, in the four ways hosts talk to one. Standard library only.

OpenAI chat completions and responses, Anthropic messages, Gemini generateContent; each streamed or not. The script
is the main job of the product: list the phones, start a task that asks a question, answer it, then start one without
waiting and follow it. What the host lets the model see decides what it can do next: a session id that did not get
through ends the script.
"""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOOLS = ("list_connected_devices", "ask_agent_start_new_task", "ask_agent_continue")
DIRECT = ("list_connected_devices", "launch_app", "get_screenshot", "press_key")
ASKING = "Tell Anna that I am late."
PLAIN = "Switch Wi-Fi off."
ANSWER = "Anna Bauer"
SEARCHED = re.compile(r"<functions>|tool_reference|^---\nmode: details")  # the answer to a search for tools
FOLLOWS = 20  # at most, so that a run that never ends ends the script


def said(name, text):
    """A field of a result, however often the text was quoted on its way."""
    found = re.search(rf'{name}\\*"\s*:\s*\\*"([^"\\]+)', text)
    return found and found.group(1)


class Script:
    """Decides the next call from the results so far. `seen` is what the model got, for the checks."""

    wanted = TOOLS

    def __init__(self):
        self.seen = []
        self.calls = []
        self.prompts = []
        self.tools = {}
        self.lock = threading.Lock()

    def step(self, results):
        """The call to make after these results, or None when there is nothing left to do."""
        with self.lock:
            done = len(results)
            if done < len(self.calls):  # a request that is sent again gets the same answer
                return self.calls[done]
            self.seen = results
            call = self.decide(results)
            if call:
                self.calls.append(call)
            return call

    def decide(self, results):
        if not results:
            return "list_connected_devices", {}
        made, last = self.calls[-1], results[-1]
        if made[0] == "list_connected_devices":
            return "ask_agent_start_new_task", {"device_id": said("device_id", last) or "?", "task": ASKING}
        session, reason = said("session_id", last), said("stop_reason", last)
        if not session or len(self.calls) > FOLLOWS:
            return None
        if reason == "STILL_RUNNING":
            # As `next` says: some hosts end a turn at the fifth call in a row that is the same.
            number = re.search(r"call_number (\d+)", last)
            return "ask_agent_continue", {"session_id": session} | ({"call_number": int(number[1])} if number else {})
        if reason == "INFO_ACTION_NEEDS_REPLY":
            return "ask_agent_continue", {"session_id": session, "reply_from_client": ANSWER}
        if not any(args.get("wait_seconds") == 0 for _, args in self.calls):
            device = said("device_id", results[0])
            return "ask_agent_start_new_task", {"device_id": device, "task": PLAIN, "wait_seconds": 0}
        return None

    @property
    def reasons(self):
        return [said("stop_reason", text) for text in self.seen[1:]]


class Driving(Script):
    """The host's own model drives: it opens an app, looks, and goes home. Nothing is handed to an agent."""

    wanted = DIRECT

    def decide(self, results):
        if not results:
            return "list_connected_devices", {}
        phone = {"device_id": said("device_id", results[0]) or "?"}
        acts = [("launch_app", {**phone, "app": "Settings"}), ("get_screenshot", phone)]
        acts.append(("press_key", {**phone, "key": "HOME"}))
        return acts[len(results) - 1] if len(results) <= len(acts) else None


def flat(content):
    """The text of a content that may be a string, a list of parts, or an object; pictures are named, not shown."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(flat(part) for part in content)
    if isinstance(content, dict):
        for key in ("text", "content", "output"):
            if key in content:
                return flat(content[key])
        return json.dumps(content, ensure_ascii=False)
    return "" if content is None else str(content)


def offered(body):
    """Our tools under the names this host gives them: name as we know it -> (name, namespace)."""
    found = {}

    def look(tools, namespace):
        for tool in tools:
            if not isinstance(tool, dict):
                continue
            look(tool.get("functionDeclarations") or tool.get("function_declarations") or [], namespace)
            if tool.get("type") == "namespace":
                look(tool.get("tools") or [], tool["name"])
            name = (tool.get("function") or tool).get("name") or ""
            for ours in {*TOOLS, *DIRECT}:
                if name.endswith(ours):
                    found[ours] = (name, namespace)

    look(body.get("tools") or [], None)
    return found


def names(body):
    return [(tool.get("function") or tool).get("name") for tool in body.get("tools") or [] if isinstance(tool, dict)]


# Each dialect: the results in the order of their calls, and the answer as a list of (event, data).


def chat_results(body):
    return [flat(m.get("content")) for m in body["messages"] if m["role"] == "tool"]


def chat_answer(body, call, text, number):
    message = {"role": "assistant", "content": None if call else text}
    if call:
        function = {"name": call[0][0], "arguments": json.dumps(call[1])}
        message["tool_calls"] = [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]
    end = "tool_calls" if call else "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    base = {"id": f"chat-{number}", "created": 1, "model": "scripted"}
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": end}
        return {**base, "object": "chat.completion", "choices": [choice], "usage": usage}
    chunk = {**base, "object": "chat.completion.chunk"}
    return [
        (None, {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
        (None, {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": end}], "usage": usage}),
        (None, "[DONE]"),
    ]


def responses_results(body):
    items = body.get("input") or []
    if isinstance(items, str):
        return []
    return [flat(i.get("output")) for i in items if str(i.get("type", "")).endswith("_call_output")]


def responses_answer(body, call, text, number):
    if call:
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": call[0][0]}
        item |= {"arguments": json.dumps(call[1]), "status": "completed"}
        if call[0][1]:
            item["namespace"] = call[0][1]
    else:
        part = {"type": "output_text", "text": text, "annotations": []}
        item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": [part]}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    whole = {"id": f"resp_{number}", "object": "response", "created_at": 1, "model": "scripted", "output": [item]}
    whole |= {"status": "completed", "usage": usage, "tools": [], "tool_choice": "auto", "parallel_tool_calls": False}
    if not body.get("stream"):
        return whole
    started = {**whole, "status": "in_progress", "output": [], "usage": None}
    events = [
        ("response.created", {"response": started}),
        ("response.output_item.added", {"output_index": 0, "item": item}),
        ("response.output_item.done", {"output_index": 0, "item": item}),
        ("response.completed", {"response": whole}),
    ]
    return [(name, {"type": name, "sequence_number": at, **data}) for at, (name, data) in enumerate(events)]


def anthropic_results(body):
    blocks = [b for m in body["messages"] if isinstance(m["content"], list) for b in m["content"]]
    return [flat(b.get("content")) for b in blocks if b.get("type") == "tool_result"]


def anthropic_answer(body, call, text, number):
    if call:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": call[0][0], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
        whole = {**block, "input": call[1]}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": text}
        whole = {"type": "text", "text": text}
    end = "tool_use" if call else "end_turn"
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": body.get("model", "scripted")}
    message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    if not body.get("stream"):
        return {**message, "content": [whole], "stop_reason": end}
    events = [
        ("message_start", {"message": message}),
        ("content_block_start", {"index": 0, "content_block": block}),
        ("content_block_delta", {"index": 0, "delta": delta}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": {"stop_reason": end, "stop_sequence": None}, "usage": {"output_tokens": 1}}),
        ("message_stop", {}),
    ]
    return [(name, {"type": name, **data}) for name, data in events]


def gemini_results(body):
    parts = [p for c in body.get("contents") or [] for p in c.get("parts") or []]
    return [flat(p["functionResponse"].get("response")) for p in parts if "functionResponse" in p]


def gemini_answer(body, call, text, number):
    part = {"functionCall": {"name": call[0][0], "args": call[1]}} if call else {"text": text}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    whole = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}
    return [(None, whole)] if body.get("__stream") else whole


DIALECTS = {
    "chat/completions": (chat_results, chat_answer),
    "responses": (responses_results, responses_answer),
    "messages": (anthropic_results, anthropic_answer),
    "generateContent": (gemini_results, gemini_answer),
    "streamGenerateContent": (gemini_results, gemini_answer),
}


class Model:
    """The endpoint, in this process. `log` gets every request and answer, one JSON line each."""

    def __init__(self, log, script=None):
        self.script = script or Script()
        self.log = log
        self.number = 0
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args):
                pass

            def do_GET(self):
                self.answer({"object": "list", "data": [{"id": "scripted", "object": "model"}], "models": []})

            def do_POST(self):
                size = int(self.headers.get("content-length") or 0)
                body = json.loads(self.rfile.read(size) or b"{}")
                self.answer(model.reply(self.path, body))

            def answer(self, said):
                if isinstance(said, list):
                    lines = [f"event: {e}\n" * bool(e) + f"data: {d if d == '[DONE]' else json.dumps(d)}\n\n" for e, d in said]
                    kind, raw = "text/event-stream", "".join(lines).encode()
                else:
                    kind, raw = "application/json", json.dumps(said).encode()
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()

    def reply(self, path, body):
        end = path.split("?")[0].rstrip("/")
        if end.endswith("count_tokens") or end.endswith("countTokens"):
            return {"input_tokens": 1, "totalTokens": 1}
        dialect = next((d for d in DIALECTS if re.search(rf"[/:]{d}$", end)), None)
        if not dialect:
            return {}
        body["__stream"] = end.endswith("streamGenerateContent")
        read, write = DIALECTS[dialect]
        tools = offered(body)
        call, text = None, "Done."
        if tools or {"ToolSearch", "tool_search", "run_typescript"} & set(names(body)):
            results = read(body)
            call = self.next_call(tools, results, body)
        else:
            text = "A chat about a phone"  # a title, a summary, a probe: not our job
        self.number += 1
        answer = write(body, call, text, self.number)
        with open(self.log, "a", encoding="utf-8") as file:
            line = {"path": path, "tools": names(body), "call": call, "request": body, "answer": answer}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
        return answer

    def next_call(self, tools, results, body):
        """The script's call under the host's name for it. Claude Code shows a tool only when it was searched for. Qwen
        Code shows the search's result alone, and calls what was found through a tool of its own; Mistral Vibe through
        a program."""
        needed, shown = self.script.wanted, names(body)
        hidden = not set(needed) <= set(tools)
        through = next((tool for tool in ("tool_call", "run_typescript") if hidden and tool in shown), None)
        ours = [result for result in results if not SEARCHED.search(result[:200])]
        select = {"query": "select:" + ",".join(f"mcp__ayeaye__{tool}" for tool in needed), "max_results": 5}
        if hidden and "ToolSearch" in shown:
            return ("ToolSearch", None), select
        if through and len(ours) == len(results):  # nothing was searched for yet
            if through == "tool_call":
                return ("tool_search", None), select
            functions = [f"mcp_ayeaye.{tool}" for tool in needed]
            return ("search_tool_functions", None), {"mode": "details", "functions": functions}
        self.script.tools |= tools
        step = self.script.step(ours)
        if step and through == "tool_call":
            return ("tool_call", None), {"name": f"mcp__ayeaye__{step[0]}", "arguments": step[1]}
        if step and through == "run_typescript":
            call = f"tools.mcp_ayeaye.{step[0]}({json.dumps(step[1])})"
            return ("run_typescript", None), {"code": f"async function main() {{ return await {call}; }}"}
        return step and (tools.get(step[0], (step[0], None)), step[1])
