"""A person in the loop, by the official Python SDK: questions in the way the client is able to.

    people.py --stdio BINARY | --http URL --era 2025-11-25|2026-07-28 --device SERIAL --phone URL

For each transport and era: a client that cannot ask, one that asks and gets an answer, one whose
person declines, one that shows progress meanwhile, and one that cancels in the middle. Prints a line
for every check; exits with 1 when one does not hold.
"""

import argparse
import asyncio
import json
import os
import time

import tasks
from harness import Checks, phone_state
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_types import ElicitResult

DONE = "TASK_COMPLETED_SUCCESSFULLY"
ASKS = "INFO_ACTION_NEEDS_REPLY"
RUNS = "STILL_RUNNING"
RUN_LIMIT = 120
NOBODY, ANSWERS, DECLINES = "cannot ask", "answers", "declines"


class Person:
    """Who sits before the client. Fills in a form as it is put, knowing nothing of our tools."""

    def __init__(self, way, answer):
        self.way = way
        self.answer = answer
        self.asked = []

    async def fill_in(self, _context, form):
        self.asked.append(form)
        if self.way == DECLINES:
            return ElicitResult(action="decline")
        [(name, field)] = form.requested_schema["properties"].items()
        options = field.get("enum") or [option["const"] for option in field.get("oneOf", [])]
        content = next((option for option in options if self.answer in option), options[0] if options else self.answer)
        return ElicitResult(action="accept", content={name: content})


class Session:
    """A client with a person before it, on one transport and in one era."""

    def __init__(self, given, person):
        self.given = given
        self.person = person
        self.progress = []

    async def __aenter__(self):
        given = self.given
        able = {} if self.person.way == NOBODY else {"elicitation_callback": self.person.fill_in}
        able["mode"] = "legacy" if given.era == "2025-11-25" else given.era
        self.http = None
        if given.stdio:
            passed_on = ("AYEAYE_", "ADB_", "ANDROID_")
            env = {name: value for name, value in os.environ.items() if name.startswith(passed_on)}
            server = StdioServerParameters(command=given.stdio, args=["serve"], env=env)
        else:
            headers = {"authorization": f"Bearer {os.environ['AYEAYE_HTTP_TOKEN']}"}
            self.http = create_mcp_http_client(headers=headers)
            server = streamable_http_client(given.http, http_client=await self.http.__aenter__())
        self.client = Client(server, **able)
        await self.client.__aenter__()
        return self

    async def __aexit__(self, *error):
        await self.client.__aexit__(*error)
        if self.http:
            await self.http.__aexit__(*error)

    async def report(self, name, arguments):
        async def told(value, total, message):
            self.progress.append((value, message))

        result = await self.client.call_tool(
            name, arguments, read_timeout_seconds=RUN_LIMIT, progress_callback=told
        )
        text = "".join(block.text for block in result.content if block.type == "text")
        if result.is_error:
            raise RuntimeError(f"{name}: {text}")
        told = json.loads(text)
        assert told == result.structured_content, "text and structure agree"
        return told

    async def follow(self, report):
        end = time.monotonic() + RUN_LIMIT
        while report["stop_reason"] == RUNS and time.monotonic() < end:
            report = await self.report("ask_agent_continue", {"session_id": report["session_id"]})
        return report

    async def start(self, text):
        arguments = {"device_id": self.given.device, "task": tasks.message_task(text)}
        return await self.follow(await self.report("ask_agent_start_new_task", arguments))

    async def reply(self, session, words):
        arguments = {"session_id": session, "reply_from_client": words}
        return await self.follow(await self.report("ask_agent_continue", arguments))


async def one_way(checks, given, way):
    person = Person(way, "Anna Bauer")
    checks.prefix = f"{given.label}, {way}: "
    text = f"Never mind ({given.label}, {way})"
    async with Session(given, person) as session:
        checks.equal("protocol", session.client.protocol_version, given.era)
        report = await session.start(text)
        if way == ANSWERS:
            checks.equal("asked once", len(person.asked), 1)
        else:
            checks.equal("the question comes as a result", report["stop_reason"], ASKS)
            checks.equal("asked in the call", len(person.asked), 1 if way == DECLINES else 0)
            report = await session.reply(report["session_id"], "Anna Bauer")
        checks.equal("done", report["stop_reason"], DONE)
        for form in person.asked:
            checks.check("the question is put", "Anna" in form.message, form.message)
            checks.check("with the notice that a screen may deceive", "deceive" in form.message, form.message)
            checks.equal("one field", len(form.requested_schema["properties"]), 1)
        values = [value for value, _ in session.progress]
        per_call_rises = all(a < b or b <= 2 for a, b in zip(values, values[1:]))
        checks.check("progress was told, rising", values and per_call_rises, session.progress)
        checks.check("in words", all(message for _, message in session.progress), session.progress)
        tasks.check_message(checks, phone_state(given.phone), text)


async def cancelled(checks, given):
    checks.prefix = f"{given.label}, cancels: "
    text = f"Never mind ({given.label}, cancels)"
    async with Session(given, Person(NOBODY, "")) as session:
        before = {item["session_id"] for item in (await session.report("list_sessions", {}))["sessions"]}
        call = asyncio.create_task(session.start(text))
        end = time.monotonic() + 30
        new = []
        while not new and time.monotonic() < end:
            listed = (await session.report("list_sessions", {}))["sessions"]
            new = [item for item in listed if item["session_id"] not in before and item["global_step_idx"] > 0]
        call.cancel()
        try:
            await call
        except asyncio.CancelledError:
            pass
        name = new[0]["session_id"]
        report = {"stop_reason": RUNS}
        while report["stop_reason"] == RUNS and time.monotonic() < end:
            report = await session.report("get_session", {"session_id": name})
        checks.equal("the run stops", report["stop_reason"], "CANCELLED")
        report = await session.follow(await session.report("ask_agent_continue", {"session_id": name}))
        checks.equal("and goes on where it was", report["stop_reason"], ASKS)
        report = await session.reply(name, "Anna Bauer")
        checks.equal("to its end", report["stop_reason"], DONE)
        tasks.check_message(checks, phone_state(given.phone), text)


async def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--stdio", metavar="BINARY")
    arguments.add_argument("--http", metavar="URL")
    arguments.add_argument("--era", default="2025-11-25", choices=["2025-11-25", "2026-07-28"])
    arguments.add_argument("--device", required=True)
    arguments.add_argument("--phone", required=True, help="the virtual phone's control endpoint")
    arguments.add_argument("--label", default="py")
    given = arguments.parse_args()
    checks = Checks()
    for way in (NOBODY, ANSWERS, DECLINES):
        await one_way(checks, given, way)
    await cancelled(checks, given)
    checks.exit()


if __name__ == "__main__":
    asyncio.run(main())
