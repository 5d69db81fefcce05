"""The logs of real sessions, read as the field's programs read them.

    logs.py --binary target/debug/ayeaye --device SERIAL --phone http://... --model http://... --folder DIR

Drives the server over HTTP through everything a session can come to, kills it in the middle, and after
each session has every reader go over what it left: live, and exported twice, which must be the same
bytes. The format that the fake model speaks has no way to ask for leave (CONFIRM): that is tested in Rust.
"""

import argparse
import asyncio
import contextlib
import filecmp
import os
import random
import subprocess
import time
from pathlib import Path

import tasks
from client import ASKS, DONE, Agent
from harness import Checks, Processes, free_port, phone_state, post_json, show_logs, wait_until
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from readers import Broken, gelab, pycatan, record, report, strict, ufo
from run import get_text

# What GELab's own parser knows.
GELAB_ACTIONS = ["TYPE", "CLICK", "AWAKE", "INFO", "WAIT", "COMPLETE", "ABORT", "SLIDE", "LONGPRESS"]
FORMATS = ["ufo", "pycatan", "gelab", "html"]
# Kill points of each kind; where they fall is drawn from this number.
KILLS = 5
SEED = 20260


class Quiet(Checks):
    """Says what does not hold, and of what holds how much it was: there are a thousand of these."""

    def __init__(self):
        super().__init__()
        self.held = 0

    def check(self, name, holds, detail=""):
        if holds:
            self.held += 1
            return True
        return super().check(name, holds, detail)

    def sum_up(self):
        super().check(f"{self.held} checks hold", self.held > 0)
        self.held = 0


class Bench:
    """A server at a time, its data, and the checks."""

    def __init__(self, given, processes):
        self.given = given
        self.processes = processes
        self.folder = Path(given.folder)
        self.checks = Quiet()
        self.server = None
        self.exports = 0

    def data(self, name):
        return self.folder / f"logs-{name}"

    def env(self, name, images):
        settings = {"AYEAYE_DATA_DIR": str(self.data(name)), "AYEAYE_LOGS_IMAGES": images}
        # A phone that goes away is to be given up soon.
        settings |= {"AYEAYE_RUN_DEVICE_WAIT": "3s", "AYEAYE_LOG": "info"}
        return dict(os.environ) | settings

    def start(self, name, images="clean", **more):
        port = free_port()
        command = [self.given.binary, "serve", "--http", f"127.0.0.1:{port}"]
        self.server = self.processes.start(f"logs-{name}", command, self.env(name, images) | more)
        wait_until("the server", lambda: get_text(f"http://127.0.0.1:{port}/healthz"))
        self.url = f"http://127.0.0.1:{port}/mcp"

    def stop(self):
        self.server.terminate()
        self.server.wait(20)

    def kill(self):
        self.server.kill()
        self.server.wait(20)

    @contextlib.asynccontextmanager
    async def agent(self):
        headers = {"authorization": f"Bearer {os.environ['AYEAYE_HTTP_TOKEN']}"}
        async with create_mcp_http_client(headers=headers) as http:
            async with Client(streamable_http_client(self.url, http_client=http), mode="auto") as client:
                yield Agent(client, self.checks)

    async def run(self, task, **more):
        async with self.agent() as agent:
            return await agent.follow(await agent.start(self.given.device, task, **more))

    async def go_on(self, session, **more):
        async with self.agent() as agent:
            return await agent.go_on(session, **more)

    def export(self, name, session, images, kind, out):
        command = [self.given.binary, "sessions", "export", session, "--format", kind, "--out", out]
        env = self.env(name, images)
        done = subprocess.run([str(it) for it in command], env=env, capture_output=True, text=True, timeout=120)
        if done.returncode:
            raise Broken(f"export as {kind} ended with {done.returncode}: {done.stderr[-300:]}")


def unlike_others():
    """A word for texts of this run. Letters only: long numbers can be taken for a card's and kept secret."""
    return "".join("abcdefghij"[int(digit)] for digit in str(time.time_ns())[:13])


def only(folder):
    """The one folder in a folder."""
    found = [path for path in Path(folder).iterdir() if path.is_dir()]
    if len(found) != 1:
        raise Broken(f"{folder} has {len(found)} folders")
    return found[0]


def pycatan_of(data, session):
    """The folder that says it is this session's."""
    for path in (Path(data) / "llm").iterdir():
        if path.is_dir() and (path / ".session").read_text().strip() == session:
            return path
    raise Broken(f"no session folder of {session}")


def difference(one, other, choose=lambda path: True):
    """What differs between two folders, hidden files aside."""

    def names(root):
        found = {path.relative_to(root) for path in Path(root).rglob("*") if path.is_file() and choose(path)}
        return {name for name in found if not any(part.startswith(".") for part in name.parts)}

    left, right = names(one), names(other)
    wrong = [f"only in one: {name}" for name in sorted(map(str, left ^ right))]
    wrong += [str(name) for name in sorted(left & right) if not filecmp.cmp(one / name, other / name, shallow=False)]
    return wrong or ([] if left else ["nothing there"])


def readers(bench, task, ufo_folder, pycatan_folder, traces, page, events, images, cut):
    """Every reader on one copy of a session's logs."""
    checks = bench.checks

    def hold(name, work):
        try:
            value = work()
        except Exception as broken:  # Whatever ends a reader is a finding.
            kind = "" if isinstance(broken, Broken) else f"{type(broken).__name__}: "
            checks.check(name, False, f"{kind}{broken}")
            return None
        checks.check(name, True)
        return value

    session = events[0]["data"]["task_name"]
    lines = hold("UFO: every field of every line", lambda: strict.ufo(ufo_folder, events, images))
    read = hold("UFO: trajectory", lambda: ufo.trajectory(ufo_folder))
    if lines and read:
        rounds = {line["round_num"] for line in lines}
        checks.equal("UFO: its steps, rounds, agents", (read["step_number"], len(read["rounds"]), len(read["apps"])),
                     (len(lines), len(rounds), len(lines)))  # fmt: skip
        seen = [line["step"] for line in read["steps"] if ufo.is_screen(line["pictures"]["clean_screenshot_path"])]
        named = [line["step"] for line in lines if line["screenshot_clean"]]
        checks.equal("UFO: its pictures", seen, named)
        ended = {event["round"] for event in record.of(events, "round.end") if event["data"]["status"] != "DROPPED"}
        finals = {number for number, found in enumerate(read["rounds"]) if found["final"] is not None}
        checks.check("UFO: rounds that ended have their last screen", images == "none" or ended <= finals or cut, (ended, finals))
        made = hold("UFO: Markdown", lambda: ufo.markdown(read))
        checks.check("UFO: Markdown has every step", made and made.count("### Step") == len(lines))
        broken = [name for name in ufo.shown_in(made or "") if not (ufo_folder / name).is_file()]
        checks.check("UFO: Markdown shows no broken picture", images == "none" or not broken, broken)
        checks.check("UFO: and the request", read["steps"][0]["request"] == task, read["steps"][0]["request"])
    made = hold("UFO: second Markdown", lambda: ufo.second_markdown(ufo_folder))
    found = hold("UFO: evaluator's input", lambda: ufo.evaluator_input(ufo_folder, task))
    if found and lines is not None and images != "none":
        checks.equal("UFO: the evaluator sees every picture", found["pictures"], sum(bool(it["screenshot_clean"]) for it in lines))
    if lines:
        hold("UFO: experience", lambda: ufo.experience(ufo_folder, encode=False))
        said = hold("UFO: the documentation's snippet", lambda: ufo.snippet(ufo_folder))
        checks.equal("UFO: the snippet's lines", len(said or []), 2 * len(lines))

    count = hold("PyCatan: every key of every file", lambda: strict.pycatan(pycatan_folder, events, cut))
    view = hold("PyCatan: web viewer", lambda: pycatan.viewer(pycatan_folder, cut))
    if view and count is not None:
        checks.equal("PyCatan: the viewer's requests", len(view["requests"]), count)
        checks.check("PyCatan: pages, chat", view["players"] or not count, view["players"].keys())
        checks.check("PyCatan: the task in the chat", any(it["message"] == task for it in view["chat"]), view["chat"])
        answered = [it for it in view["requests"] if it["answered"] and it["player"] != "EvaluationAgent"]
        hold("PyCatan: analysis", lambda: [pycatan.analysis(pycatan_folder, it["player"], it["number"]) for it in answered])
    hold("GELab: every field", lambda: strict.gelab(traces, session, events))
    again = hold("GELab: read by its server", lambda: gelab.rebuilt(traces, session))
    shown = hold("GELab: web page", lambda: gelab.page(traces, session))
    if again and shown is not None and lines is not None:
        checks.equal("GELab: its steps", (again["steps"], len(shown)), (len(lines), len(lines)))
        checks.equal("GELab: its actions", [kind for _, kind, _ in shown], [line["action_type"] for line in lines])
        checks.equal("GELab: its task", again["task"], task)
        # A step that failed has no action, and some of ours are not GELab's.
        last = lines[-1]["action_type"] if lines else "CLICK"
        refused = None if last in GELAB_ACTIONS else f"Unknown action type {last}"
        checks.equal("GELab: taken up by its server", again["refused"], refused)
        later = [event["data"]["request"] for event in record.of(events, "round.start")[1:]]
        told = "\n".join(said for _, said in again["talk"])
        checks.check("GELab: what later rounds ask for", cut or all(it in told for it in later), (later, told))
    told = hold("HTML: complete in itself", lambda: report.alone(page))
    if told:
        checks.check("HTML: the task", task in told[0], told[0][:200])
        looks = {event["step"] for event in record.of(events, "observe") if event["data"].get("screenshot")}
        checks.check("HTML: its pictures", told[1] >= len(looks) or 200 < len(looks), (told[1], len(looks)))


def complete(bench, name, session):
    """Waits until the logs say that they are."""
    mark = bench.data(name) / "projecting" / session
    wait_until("the logs to be complete", lambda: mark.exists() and mark.stat().st_size == 0)


def examine(bench, name, session, images="clean", cut=False, live=True):
    """Reads a session's logs, live and exported, and compares the two. `cut`: its last run was
    killed and not continued, so that the last request may be without an answer."""
    checks, data = bench.checks, bench.data(name)
    events = record.events(data, session)
    task = record.of(events, "round.start")[0]["data"]["request"]
    copies = []
    for _ in range(2):
        bench.exports += 1
        out = bench.folder / f"export-{bench.exports}"
        for kind in FORMATS:
            bench.export(name, session, images, kind, out / kind)
        copies.append(out)
    one, other = copies
    for kind in FORMATS:
        checks.equal(f"{kind}: two exports are the same", difference(one / kind, other / kind), [])
        # Once more over what is there.
        bench.export(name, session, images, kind, other / kind)
        checks.equal(f"{kind}: and a third over the second", difference(one / kind, other / kind), [])
    folders = (one / "ufo", only(one / "pycatan"), one / "gelab" / "traces", one / "html" / f"{session}.html")
    if not live:
        readers(bench, task, *folders, events, images, cut)
        return
    complete(bench, name, session)
    folders_live = (
        data / "logs" / session, pycatan_of(data, session), data / "traces", data / "reports" / f"{session}.html",
    )  # fmt: skip
    readers(bench, task, *folders_live, events, images, cut)
    if pycatan.current(data / "llm") == folders_live[1] and record.of(events, "llm.request"):
        checks.check("PyCatan: the console follows it", pycatan.console(data / "llm"))
    checks.equal("ufo: live and exported are the same", difference(folders_live[0], folders[0]), [])
    checks.equal("pycatan: live and exported are the same", difference(folders_live[1], folders[1]), [])
    mine = lambda path: path.name.startswith(session)  # noqa: E731
    checks.equal("gelab: live and exported are the same", difference(folders_live[2], folders[2], mine), [])
    same = filecmp.cmp(folders_live[3], folders[3], shallow=False)
    checks.check("html: live and exported are the same", same)


async def scenarios(bench):
    """One session for each thing that can happen; all pictures are wanted."""
    checks, given = bench.checks, bench.given
    name, images = "all", "all"
    bench.start(name, images)

    def begin(what):
        if checks.held:
            checks.sum_up()
        checks.prefix = f"logs {what}: "

    def ends(report, *stops):
        checks.check("stop reason", report["stop_reason"] in stops, report)
        return report["session_id"]

    def look(session):
        examine(bench, name, session, images)

    stamp = unlike_others()
    begin("plain")
    look(ends(await bench.run(tasks.memo_task(f"晚饭 7点 {stamp}")), DONE))

    begin("a question that waits")
    text = f"See you soon {stamp}"
    session = ends(await bench.run(tasks.message_task(text)), ASKS)
    look(session)
    begin("a question, answered")
    look(ends(await bench.go_on(session, reply_from_client="Anna Bauer"), DONE))

    begin("given up")
    look(ends(await bench.run(tasks.GIVE_UP), "TASK_ABORTED_BY_AGENT"))

    begin("out of steps")
    look(ends(await bench.run(tasks.memo_task(f"Never written {stamp}"), max_steps=2), "MAX_STEPS_REACHED"))

    begin("asked again")
    post_json(f"{given.model}/fault", {"kind": "garbage", "times": 1})
    session = ends(await bench.run(tasks.LOOK), DONE)
    responses = record.of(record.events(bench.data(name), session), "llm.response")
    checks.equal("a reply was asked for again", [it["data"]["kind"] for it in responses][:2], ["intermediate", "final"])
    look(session)

    begin("a model that fails")
    post_json(f"{given.model}/fault", {"kind": "garbage"})
    session = ends(await bench.run(tasks.LOOK), "MODEL_FAILED")
    post_json(f"{given.model}/fault", {"kind": None})
    look(session)

    begin("an action that fails")
    session = ends(await bench.run(tasks.NO_APP), DONE)
    tools = record.of(record.events(bench.data(name), session), "tool.end")
    checks.check("an action failed", any(not it["data"]["success"] for it in tools), tools)
    look(session)

    begin("a lost phone")
    async with bench.agent() as agent:
        first = await agent.start(given.device, tasks.memo_task(f"Lost and found {stamp}"), wait_seconds=0)
        wait_until("a step", lambda: record.of(record.events(bench.data(name), first["session_id"]), "step.end"))
        post_json(f"{given.phone}/fault", {"link": "offline"})
        session = ends(await agent.follow(first), "DEVICE_LOST")
    post_json(f"{given.phone}/fault/clear", {})
    look(session)
    begin("a lost phone that is found")
    await back(bench)
    look(ends(await bench.go_on(session), DONE))

    begin("two rounds")
    session = ends(await bench.run(tasks.LOOK), DONE)
    look(ends(await bench.go_on(session, task=tasks.memo_task(f"Second round {stamp}")), DONE))
    page = bench.data(name) / "reports" / f"{session}.html"
    if report.browser():
        picture, strange = await asyncio.to_thread(report.shown, page, bench.folder)
        checks.check("a browser draws the report", picture.stat().st_size > 20_000)
        checks.equal("and asks nobody for anything", strange, [])
    else:
        checks.check("a browser draws the report", False, "no browser here")
    bench.stop()

    begin("judged")
    name, images = "judged", "none"
    bench.start(name, images, AYEAYE_RUN_EVALUATE="both")
    session = ends(await bench.run(tasks.LOOK), DONE)
    look(ends(await bench.go_on(session, task=tasks.memo_task(f"Judged {stamp}")), DONE))
    checks.check("a judgement was read", ufo.judgement(bench.data(name) / "logs" / session).get("complete") == "yes")
    checks.sum_up()
    bench.stop()


async def back(bench):
    """The phone is there again."""
    async with bench.agent() as agent:

        async def ready():
            devices = (await agent.report("list_connected_devices", {}))["devices"]
            return any(it["device_id"] == bench.given.device and it["state"] == "device" for it in devices)

        end = time.monotonic() + 20
        while not await ready() and time.monotonic() < end:
            await asyncio.sleep(0.2)


async def killed(bench, number, when, go_on):
    """Kills the server while a task runs, and has the logs completed by what comes after it."""
    checks, name = bench.checks, f"kill-{number}"
    checks.prefix = f"logs killed after {when:.2f} s, {'continued' if go_on else 'left'}: "
    bench.start(name)
    text = f"Killed {unlike_others()}"
    async with bench.agent() as agent:
        first = await agent.start(bench.given.device, tasks.memo_task(text), wait_seconds=0)
    session = first["session_id"]
    await asyncio.sleep(when)
    bench.kill()
    path = bench.data(name) / "sessions" / session / "events.jsonl"
    before = path.read_bytes()
    seen = before[: before.rfind(b"\n") + 1]
    # Nothing has looked after it yet: the export alone must do.
    prefix = checks.prefix
    checks.prefix = f"{prefix}before any server, "
    examine(bench, name, session, cut=True, live=False)
    checks.prefix = prefix
    bench.start(name)
    if go_on:
        await back(bench)
        told = await bench.go_on(session)
        checks.equal("it goes on to its end", told["stop_reason"], DONE)
        notes = [it for it in phone_state(bench.given.phone)["notes"] if it["body"] == text]
        checks.equal("what it did was done once", len(notes), 1)
    else:
        complete(bench, name, session)
    checks.check("nothing that was recorded is lost", path.read_bytes().startswith(seen))
    examine(bench, name, session, cut=not go_on)
    checks.sum_up()
    bench.stop()


async def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--binary", required=True)
    arguments.add_argument("--device", required=True)
    arguments.add_argument("--phone", required=True, help="the virtual phone's control endpoint")
    arguments.add_argument("--model", required=True, help="the fake model's address")
    arguments.add_argument("--folder", required=True, help="where data and exports go")
    arguments.add_argument("--kills", type=int, default=KILLS, help="kill points of each kind")
    arguments.add_argument("--seed", type=int, default=SEED, help="where the kill points are drawn from")
    given = arguments.parse_args()
    with Processes(given.folder) as processes:
        bench = Bench(given, processes)
        await scenarios(bench)
        chance = random.Random(given.seed)
        for number in range(2 * given.kills):
            await killed(bench, number, chance.uniform(0.1, 5.0), go_on=number % 2 == 0)
        if bench.checks.failed:
            show_logs(given.folder)
    bench.checks.exit()


if __name__ == "__main__":
    asyncio.run(main())
