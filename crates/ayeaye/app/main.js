// The page: puts together what the host and the session say.
"use strict";

import { chooseLanguage, isSaid, say } from "./words.js";
import { connectHost, factsOf, pictureOf, textOf } from "./host.js";
import { byId, forPeople, write, writeOrHide } from "./elements.js";
import { addStep } from "./steps.js";
import { clearPicture, isMarked, markTouch, showPicture } from "./screen.js";
import { holdAnswers, showQuestion } from "./question.js";
import { Watch } from "./session.js";

// What the person did, they need not be told.
const STOPPED = ["CANCELLED", "USER_PAUSED"];
const BAD = ["TASK_ABORTED_BY_AGENT", "MODEL_FAILED", "DEVICE_LOST", "NO_PROGRESS", "STORAGE_FAILED"];
// How a run ends that the agent ends, with words of its own.
const OWN = ["TASK_COMPLETED_SUCCESSFULLY", "TASK_ABORTED_BY_AGENT"];

let host = null;
let watch = null;
let context = {};
let facts = null;
// The task of the call that the page belongs to.
let asked = "";
// What it came back with, where that has a session.
let callResult = null;
// Whether the call that the page belongs to has come back; from then on the model does not see what happens here.
let returned = false;
// Whether nothing has begun by that call.
let refused = false;
// Whether the person has done something here since, so that the model has to be told what came of it.
let steered = false;

function applyContext(changes) {
  context = { ...context, ...changes };
  const root = document.documentElement;
  root.lang = chooseLanguage(context.locale || navigator.language);
  root.style.colorScheme = context.theme === "dark" || context.theme === "light" ? context.theme : "light dark";
  for (const [name, value] of Object.entries(context.styles?.variables || {})) {
    if (/^--[a-z0-9-]+$/.test(name) && typeof value === "string") root.style.setProperty(name, value);
  }
  const inset = context.safeAreaInsets;
  if (inset) byId("run").style.padding = ["top", "right", "bottom", "left"].map((it) => `${16 + inset[it]}px`).join(" ");
  root.dataset.mode = context.displayMode || "inline";
  const large = context.displayMode === "fullscreen";
  byId("larger").hidden = !large && !(context.availableDisplayModes || []).includes("fullscreen");
  write("larger", say(large ? "smaller" : "larger"));
  write("pause", say("pause"));
  write("continue", say("continue"));
  write("stop", say("stop"));
  byId("steps").setAttribute("aria-label", say("steps"));
  if (!byId("trouble").dataset.text) writeOrHide("trouble", "");
  render();
}

function render() {
  // Before the run has come to rest it would take a reply for advice.
  const question = facts?.running ? null : facts?.question;
  const running = facts ? facts.running : !refused;
  const onlyShown = !host.calls;
  // Nothing is done to a session that may be somebody else's.
  const ours = !onlyShown && !watch?.guessed;
  let name = facts ? "running" : "starting";
  // Nobody looks whether it still is.
  if (onlyShown) name = facts ? "STILL_RUNNING" : "running";
  if (question) name = question.kind === "takeover" ? "takeover" : "asks";
  else if (!running) name = facts?.stop_reason || "NOT_STARTED";
  let tone = running && name !== "STILL_RUNNING" ? "running" : "neutral";
  if (question) tone = "waiting";
  else if (name === "TASK_COMPLETED_SUCCESSFULLY") tone = "good";
  else if (refused || BAD.includes(name)) tone = "bad";
  byId("status").dataset.tone = tone;
  write("status-text", isSaid(name) ? say(name) : name);
  const phone = facts?.device_info;
  write("device", phone ? say("on", phone.model || phone.device_id) : "");
  if (facts) write("task", facts.task);
  byId("phone").hidden = refused || (onlyShown && byId("screen").hidden);
  const said = (!question && !STOPPED.includes(name) && facts?.message) || "";
  writeOrHide("message", OWN.includes(name) ? said : forPeople(said));
  // It names the question that was read: another one may be asked by now.
  const answer = (reply) => ({ reply_from_client: reply, question_step: question.step, wait_seconds: 0 });
  showQuestion(ours || onlyShown ? question : null, (reply) => act("ask_agent_continue", answer(reply)));
  byId("pause").hidden = byId("stop").hidden = !facts?.running || !ours;
  byId("continue").hidden = !facts || !ours || running || Boolean(question) || facts.is_over;
  writeOrHide("only-shown", onlyShown && !refused && say("onlyShown"));
  // It comes with a call's result alone.
  write("advice-name", say("advice"));
  write("advice-text", forPeople(facts?.next || ""));
  byId("advice").hidden = !facts?.next;
}

// Does something to the session for the person who asked for it.
async function act(tool, given) {
  hold(true);
  complain("");
  try {
    const session = { session_id: facts.session_id };
    // A client that only follows a run is told how it has ended before it goes on: here its person has seen that.
    if (tool === "ask_agent_continue" && !given.reply_from_client) await host.call("get_session", session);
    await host.call(tool, { ...session, ...given });
    steered = returned;
    watch.follow(facts.session_id);
  } catch (error) {
    hold(false);
    if (host.calls) complain(forPeople(error.message));
    else showCall();
  }
}

// What was asked for is under way: nothing else can be, until there is news.
function hold(held) {
  for (const name of ["pause", "continue", "stop"]) byId(name).disabled = held;
  holdAnswers(held);
}

function complain(text) {
  byId("trouble").dataset.text = text;
  writeOrHide("trouble", text);
}

// What the watch has to tell. A mark stays to be seen before another picture takes its place.
async function told({ facts: now, picture, live, trouble }) {
  if (trouble !== undefined) {
    if (!host.calls) showCall();
    else if (!byId("trouble").dataset.text) writeOrHide("trouble", trouble && say("unreachable"));
    return;
  }
  const phone = (now || facts).device_info.model;
  if (live) {
    if (!isMarked()) showPicture(live, phone);
    return;
  }
  if (facts?.session_id !== now.session_id) byId("steps").replaceChildren();
  const ended = facts?.running && !now.running;
  // A run that was asked to stop may do another step before it does.
  if (!now.running || !facts?.running) hold(false);
  facts = now;
  now.steps.forEach(addStep);
  const last = now.steps.at(-1);
  if (picture) showPicture(picture, phone, now.picture);
  if (last && last.step === now.picture) markTouch(last.action);
  render();
  if (ended && steered && host.can.updateModelContext) {
    steered = false;
    await tellModel(now.session_id);
  }
}

// The call of the model has come back, and then its user went on here: what came of that, it is told in the
// same words as by its own calls.
async function tellModel(id) {
  try {
    await host.tellModel(textOf(await host.call("get_session", { session_id: id })));
  } catch {
    // It learns it with its next call.
  }
}

// Shows another session, or none.
function forget() {
  facts = null;
  byId("steps").replaceChildren();
  clearPicture();
  if (asked) write("task", asked);
}

// The call that the page belongs to has come back with its session, which may not be the one that was guessed.
function follow(id) {
  if (facts && facts.session_id !== id) forget();
  watch.follow(id);
  render();
}

// What the call came back with, or that it goes on: all that there is to show where the host calls no tools for the
// page.
function showCall() {
  watch.close();
  forget();
  refused = false;
  complain("");
  if (callResult) {
    const came = factsOf(callResult);
    const gap = came.omitted_logs ? "omitted" : "cut";
    const steps = came.intermediate_logs.map((it) => ({ ...it, step: it.global_step_idx - 1, gap }));
    facts = { ...came, steps, running: came.stop_reason === "STILL_RUNNING" };
    steps.forEach(addStep);
    showPicture(pictureOf(callResult), facts.device_info.model);
  }
  render();
}

// The call that the page belongs to is over, and there may be no session to show.
function cameToNothing(why) {
  if (host.calls && watch.id && !watch.guessed) return;
  if (facts) forget();
  refused = true;
  complain(forPeople(String(why || "")) || say("noSession"));
  watch.close();
  render();
}

function watchSize() {
  let last = "";
  const tell = () => {
    const { width, height } = byId("run").getBoundingClientRect();
    const now = `${Math.ceil(width)} ${Math.ceil(height)}`;
    if (now !== last) host.sized(Math.ceil(width), Math.ceil(height));
    last = now;
  };
  new ResizeObserver(tell).observe(byId("run"));
}

// Out of sight, nobody looks. What was asked before may not be asked any more: no answer is taken until the next look.
function watchSight() {
  let inView = true;
  const tell = () => {
    const seen = inView && document.visibilityState === "visible";
    if (!seen) holdAnswers(true);
    watch.seenNow(seen);
  };
  document.addEventListener("visibilitychange", tell);
  new IntersectionObserver((entries) => {
    inView = entries.at(-1).isIntersecting;
    tell();
  }).observe(byId("run"));
}

byId("pause").addEventListener("click", () => act("pause_task", {}));
byId("stop").addEventListener("click", () => act("stop_task", {}));
byId("continue").addEventListener("click", () => act("ask_agent_continue", { wait_seconds: 0 }));
byId("larger").addEventListener("click", async () => {
  const wanted = context.displayMode === "fullscreen" ? "inline" : "fullscreen";
  const { mode } = await host.show(wanted).catch(() => ({}));
  // What the host does not do, although it has offered it, is not offered again.
  applyContext(mode === wanted ? { displayMode: mode } : { availableDisplayModes: [] });
});

host = await connectHost({
  "tool-input": ({ arguments: given }) => {
    asked = String(given?.task || "");
    if (asked) write("task", asked);
    callResult = null;
    if (host.calls) watch.seek(given || {});
    else showCall();
  },
  "tool-result": (result) => {
    returned = true;
    const { session_id: id } = factsOf(result) || {};
    callResult = id ? result : null;
    if (!id) cameToNothing(textOf(result));
    else if (host.calls) follow(id);
    else showCall();
  },
  "tool-cancelled": ({ reason }) => {
    returned = true;
    cameToNothing(reason);
  },
  "host-context-changed": applyContext,
  teardown: () => watch.close(),
});
watch = new Watch(host, told);
applyContext(host.context);
watchSize();
watchSight();
host.begin();
