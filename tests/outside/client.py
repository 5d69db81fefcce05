"""An MCP client by the official Python SDK: the main job, the five tasks, broken models.

    client.py --stdio target/debug/ayeaye --device SERIAL --phone http://127.0.0.1:9200 --job message
    client.py --http http://127.0.0.1:9300/mcp ...          (token in AYEAYE_HTTP_TOKEN)

Prints a line for every check; exits with 1 when one does not hold.
"""

import argparse
import asyncio
import json
import os
import time

import tasks
from harness import Checks, phone_state, post_json
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

TOOLS = {
    "list_connected_devices": set(),
    "ask_agent_start_new_task": {"device_id", "task", "max_steps", "reply_mode", "wait_seconds"},
    "ask_agent_continue": {"session_id", "device_id", "task", "reply_from_client", "max_steps"},
    "get_screenshot": {"device_id"},
    "stop_task": {"session_id"},
    "list_sessions": set(),
    "get_session": {"session_id"},
}
DONE = "TASK_COMPLETED_SUCCESSFULLY"
ASKS = "INFO_ACTION_NEEDS_REPLY"
RUNS = "STILL_RUNNING"
# No run here may take longer, whatever happens to the model.
RUN_LIMIT = 120


class Agent:
    """The tools, as a host would call them: results are read from the text, as most hosts do."""

    def __init__(self, client, checks):
        self.client = client
        self.checks = checks
        self.progress = []

    async def call(self, name, arguments=None, progress=False):
        async def told(value, total, message):
            self.progress.append((value, total, message))

        return await self.client.call_tool(
            name, arguments or {}, read_timeout_seconds=RUN_LIMIT, progress_callback=told if progress else None
        )

    async def report(self, name, arguments, progress=False):
        """A result that must not be an error, and must say the same in text and in structure."""
        result = await self.call(name, arguments, progress)
        text = "".join(block.text for block in result.content if block.type == "text")
        if result.is_error:
            self.checks.check(f"{name} is no error", False, text)
            raise SystemExit(1)
        told = json.loads(text)
        if told != result.structured_content:
            self.checks.check(f"{name}: text and structure agree", False, text)
        return told

    async def follow(self, report, progress=False):
        """Goes on asking while the run goes on."""
        end = time.monotonic() + RUN_LIMIT
        while report["stop_reason"] == RUNS and time.monotonic() < end:
            report = await self.report("ask_agent_continue", {"session_id": report["session_id"]}, progress)
        return report

    async def start(self, device, task, **more):
        return await self.report("ask_agent_start_new_task", {"device_id": device, "task": task, **more})

    async def go_on(self, session, **more):
        return await self.follow(await self.report("ask_agent_continue", {"session_id": session, **more}))

    async def refused(self, what, name, arguments, *words):
        """Must be an error that says what is wrong, in words that a person can use."""
        result = await self.call(name, arguments)
        text = "".join(block.text for block in result.content if block.type == "text")
        holds = result.is_error and all(word.lower() in text.lower() for word in words)
        self.checks.check(f"{what} is refused with a reason", holds, text)


async def look_around(agent, device, version):
    """What a host does first."""
    client, checks = agent.client, agent.checks
    checks.equal("protocol version", client.protocol_version, version)
    checks.equal("server's name", client.server_info and client.server_info.name, "ayeaye")
    checks.check("server's instructions", len(client.instructions or "") > 200, client.instructions)
    listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    for name, arguments in TOOLS.items():
        tool = listed.get(name)
        has = set((tool.input_schema or {}).get("properties", {})) if tool else None
        checks.check(
            f"tool {name}", tool and arguments <= has and tool.description and tool.annotations, has and sorted(has)
        )
    devices = (await agent.report("list_connected_devices", {}))["devices"]
    ours = [found for found in devices if found["device_id"] == device]
    checks.check(
        "the phone is listed, ready",
        len(ours) == 1 and ours[0]["state"] == "device" and ours[0]["screen"] == {"width": 1080, "height": 2400},
        devices,
    )
    picture = await agent.call("get_screenshot", {"device_id": device})
    images = [block for block in picture.content if block.type == "image"]
    checks.check(
        "a screenshot is one picture and nothing structured",
        len(images) == 1 and len(images[0].data) > 5000 and picture.structured_content is None,
        [block.type for block in picture.content],
    )


async def message_job(agent, given):
    """The main job: start, be asked, answer, done, in one session, by any host's means."""
    checks = agent.checks
    text = f"I am ten minutes late ({given.label})"
    first = await agent.start(given.device, tasks.message_task(text), wait_seconds=0)
    session = first["session_id"]
    checks.equal("no waiting: the run goes on by itself", first["stop_reason"], RUNS)
    await agent.refused(
        "a second task while one runs", "ask_agent_start_new_task", {"device_id": given.device, "task": tasks.WIFI}, "busy"
    )
    asked = await agent.follow(first, progress=True)
    checks.equal("the agent asks", asked["stop_reason"], ASKS)
    checks.equal("in the same session", asked["session_id"], session)
    question = asked.get("question") or {}
    checks.check("which Anna", question.get("kind") == "info" and "Anna" in question.get("text", ""), asked)
    checks.check("and says what to do next", "ask_agent_continue" in asked.get("next", ""), asked.get("next"))
    values = [value for value, _, _ in agent.progress]
    checks.check("progress was told, rising", values and values == sorted(set(values)), agent.progress)
    again = await agent.go_on(session)
    checks.equal("asked again, the same question", again.get("question"), asked.get("question"))
    checks.equal("nothing is sent yet", [said for said in sent(given) if said[1] == text], [])
    await agent.refused(
        "task and reply at once",
        "ask_agent_continue",
        {"session_id": session, "task": "x", "reply_from_client": "y"},
        "task",
        "reply_from_client",
    )
    done = await agent.go_on(session, reply_from_client="Anna Bauer")
    checks.equal("answered, it is done", done["stop_reason"], DONE)
    checks.equal("still in the same session", done["session_id"], session)
    checks.check("steps are counted through", done["global_step_idx"] > asked["global_step_idx"], done)
    checks.check("time is split", done["usage"]["model_ms"] > 0 and done["usage"]["other_ms"] > 0, done.get("usage"))
    checks.equal("the last action", done["final_action"]["action_type"], "COMPLETE")
    tasks.check_message(checks, phone_state(given.phone), text)
    sessions = await agent.report("list_sessions", {})
    checks.check("the session is in the list", session in json.dumps(sessions), sessions)
    one = await agent.report("get_session", {"session_id": session})
    checks.check("and can be read", session in json.dumps(one), one)
    pictured = await agent.call("ask_agent_continue", {"session_id": session, "screenshot": "end"})
    kinds = [block.type for block in pictured.content]
    checks.check("with a picture where one is wanted", kinds.count("image") == 1 and not pictured.is_error, kinds)
    checks.equal("beside the same facts", pictured.structured_content, one)


def sent(given):
    return tasks.sent_messages(phone_state(given.phone))


async def tasks_job(agent, given):
    """Four tasks more; with the message they are five."""

    def state():
        return phone_state(given.phone)

    async def run(name, task, check, max_steps=30):
        checks.prefix = f"{given.label} {name}: "
        before = state()
        report = await agent.follow(await agent.start(given.device, task, max_steps=max_steps))
        if report["stop_reason"] == ASKS:
            checks.check("asks for the code", "code" in report["question"]["text"].lower(), report["question"])
            code = str(state()["one_time_code"])
            report = await agent.go_on(report["session_id"], reply_from_client=f"It is {code}", max_steps=max_steps)
        checks.check("completed", report["stop_reason"] == DONE, report)
        check(checks, before, state())

    checks = agent.checks
    await run("Wi-Fi", tasks.WIFI, tasks.check_wifi)
    await run("note", tasks.NOTE, tasks.check_note)
    await run("shoes", tasks.SHOES, tasks.check_shoes)
    await run("sign-in", tasks.SIGN_IN, tasks.check_sign_in)


async def faults_job(agent, given):
    """A model that answers wrongly stops the run with a reason, and the session goes on afterwards."""
    checks = agent.checks
    for kind, stop in [
        ("empty", "MODEL_FAILED"),
        ("garbage", "MODEL_FAILED"),
        ("half", "MODEL_FAILED"),
        ("off-screen", "MODEL_FAILED"),
        ("html", "MODEL_FAILED"),
        ("500-once", ASKS),
        ("429-once", ASKS),
    ]:
        checks.prefix = f"{given.label} model says {kind}: "
        text = f"Never mind ({given.label} {kind})"
        post_json(f"{given.model}/fault", {"kind": kind})
        begun = time.monotonic()
        report = await agent.follow(await agent.start(given.device, tasks.message_task(text)))
        checks.equal("stop reason", report["stop_reason"], stop)
        checks.check("inside its limit", time.monotonic() - begun < 60, time.monotonic() - begun)
        post_json(f"{given.model}/fault", {"kind": None})
        if stop == "MODEL_FAILED":
            checks.check("a message says why", len(report.get("message", "")) > 10, report)
            report = await agent.go_on(report["session_id"])
            checks.equal("the session goes on", report["stop_reason"], ASKS)
    checks.prefix = f"{given.label} after all faults: "
    report = await agent.go_on(report["session_id"], reply_from_client="Anna Bauer")
    checks.equal("answered, it is done", report["stop_reason"], DONE)
    tasks.check_message(checks, phone_state(given.phone), text)
    await agent.refused("an unknown device", "ask_agent_start_new_task", {"device_id": "nobody", "task": "x"}, "nobody")
    await agent.refused("an empty task", "ask_agent_start_new_task", {"device_id": given.device, "task": "  "}, "task")
    await agent.refused(
        "no steps", "ask_agent_start_new_task", {"device_id": given.device, "task": "x", "max_steps": 0}, "max_steps"
    )
    await agent.refused("no session's name", "ask_agent_continue", {"session_id": "../../etc"}, "session_id")


async def phone_job(agent, given):
    """A phone that fails in the middle of a run: a clear end inside a limit, and the session goes on."""
    checks = agent.checks
    for what, plan, stops in [
        ("drops in the middle of a capture", {"drop_capture_after": 1_000_000}, {ASKS}),
        ("cuts a capture short", {"truncate_capture_to": 5_000}, {ASKS}),
        ("hangs once in a capture", {"hang_capture": "next"}, {ASKS}),
        ("shows black", {"black": "every"}, {ASKS}),
    ]:
        checks.prefix = f"{given.label} {what}: "
        text = f"Never mind ({given.label} {what})"
        begun = time.monotonic()
        first = await agent.start(given.device, tasks.message_task(text), wait_seconds=0)
        post_json(f"{given.phone}/fault", plan)
        report = await agent.follow(first)
        checks.check("stop reason", report["stop_reason"] in stops, report)
        checks.check("inside its limit", time.monotonic() - begun < 60, time.monotonic() - begun)
        kind = "takeover" if "black" in plan else "info"
        checks.equal("asks for the right thing", (report.get("question") or {}).get("kind"), kind)
        post_json(f"{given.phone}/fault/clear", {})
        if kind == "takeover":
            report = await agent.go_on(report["session_id"], reply_from_client="Done, go on.")
        report = await agent.go_on(report["session_id"], reply_from_client="Anna Bauer")
        checks.equal("the session goes on to its end", report["stop_reason"], DONE)
        tasks.check_message(checks, phone_state(given.phone), text)


JOBS = {"message": message_job, "tasks": tasks_job, "faults": faults_job, "phone": phone_job}


async def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--stdio", metavar="BINARY")
    arguments.add_argument("--http", metavar="URL")
    arguments.add_argument("--device", required=True)
    arguments.add_argument("--phone", required=True, help="the virtual phone's control endpoint")
    arguments.add_argument("--model", help="the fake model's address, for --job faults")
    arguments.add_argument("--job", choices=JOBS, default="message")
    arguments.add_argument("--protocol", default="2025-11-25", choices=["2025-11-25", "2026-07-28"])
    arguments.add_argument("--label", default="py")
    given = arguments.parse_args()
    checks = Checks(f"{given.label}: ")

    # "auto" asks `server/discover`; only a server that knows the newest protocol gets it.
    mode = "legacy" if given.protocol == "2025-11-25" else "auto"
    if given.stdio:
        passed_on = ("AYEAYE_", "ADB_", "ANDROID_")
        env = {name: value for name, value in os.environ.items() if name.startswith(passed_on)}
        server = StdioServerParameters(command=given.stdio, args=["serve"], env=env)
        async with Client(server, mode=mode) as client:
            await everything(client, checks, given)
    else:
        headers = {"authorization": f"Bearer {os.environ['AYEAYE_HTTP_TOKEN']}"}
        async with create_mcp_http_client(headers=headers) as http:
            async with Client(streamable_http_client(given.http, http_client=http), mode=mode) as client:
                await everything(client, checks, given)
    checks.exit()


async def everything(client, checks, given):
    agent = Agent(client, checks)
    if given.job == "message":
        await look_around(agent, given.device, given.protocol)
    await JOBS[given.job](agent, given)


if __name__ == "__main__":
    asyncio.run(main())
