// Sessions with their steps, put together from whole answers and from events that bring only what is new.

import { announce } from "./announce.js";
import { get, sessionPath } from "./api.js";
import { duration, when } from "./format.js";
import { state, update } from "./store.js";
import { language, named, t, worded } from "./words.js";

// How often each session was taken, by its id.
const taken = new Map();

/// Reads a session, for what the stream does not tell or may not have told yet. An answer that was overtaken, by the
/// stream or by another one, is dropped: nothing would ever correct it once the run is over.
export async function readSession(id) {
  const before = taken.get(id);
  const session = await get(sessionPath(id));
  if (taken.get(id) === before) takeSession(session);
}

/// Takes a session as the server tells it, with all its steps or those that are new or changed.
export function takeSession(session) {
  const id = session?.session_id;
  if (typeof id !== "string") return;
  taken.set(id, (taken.get(id) ?? 0) + 1);
  const before = state.open.get(id);
  // A long run is told by its newest steps: where they do not go on from those that are known, these begin anew, so
  // that the ones between are earlier ones, which can be asked for.
  const from = session.steps_from ?? session.first_step ?? 0;
  const goesOn = !before?.steps?.size || from <= Math.max(...before.steps.keys()) + 1;
  const steps = new Map(goesOn ? before?.steps : []);
  const known = steps.size;
  for (const step of session.steps ?? []) steps.set(step.index, step);
  const first = goesOn ? Math.min(session.first_step ?? from, before?.first ?? Infinity) : from;
  const newest = [...steps.values()].reduce((last, step) => (last && step.index < last.index ? last : step), null);
  // The summary does not count the step that is under way.
  const { steps: _, ...line } = { ...session, step_count: newest ? newest.index + 1 : 0 };
  tell(before?.session, line, newest, steps.size - known);
  update((s) => s.open.set(id, { session: line, steps, first }));
}

function tell(before, now, newest, added) {
  if (!before) return;
  if (before.running && !now.running) {
    announce(`${named("reason", now.driven ? "DRIVEN" : now.stop_reason)}. ${messageOf(now) ?? ""}`, true);
  } else if (newest && 0 < added) {
    announce(`${t("step", { n: newest.index + 1 })}: ${labelOf(newest)}`);
  }
}

/// The steps before those that are shown.
export async function earlier(id) {
  const { first } = state.open.get(id);
  const { steps } = await get(sessionPath(id, `/steps?before=${first}`));
  update((s) => {
    const open = s.open.get(id);
    for (const step of steps) open.steps.set(step.index, step);
    open.first = Math.min(first, ...steps.map((step) => step.index));
    if (steps.length === 0) open.first = 0;
  });
}

/// The steps of an open session, oldest first.
export const ordered = (open) => [...open.steps.values()].sort((a, b) => a.index - b.index);

// How the server's own messages begin, for how a run ended that nobody else ended; what agents say is never worded anew.
const OWN = /^the (operator paused the run|run was cancelled|server was shut down)/;
// How a run ends that an agent ends: with words of its own.
const AGENTS = ["TASK_COMPLETED_SUCCESSFULLY", "TASK_ABORTED_BY_AGENT", "INFO_ACTION_NEEDS_REPLY"];

/// Whether what is said of how a run ended are the server's words.
export const isServers = ({ stop_reason: reason, driven }) => !driven && !AGENTS.includes(reason);

/// What is said of how a run ended, or of what it waits for.
export function messageOf({ stop_reason: reason, message, away_until: until, driven, by_hand: untasked, acted_by: who }) {
  if (driven) return untasked ? "" : t("run.driven");
  if (until) return t("run.away", { time: when(until, state.now) });
  if (who) return t(`ended.by-${who}`);
  return OWN.test(message) ? named("ended", reason) : message;
}

/// A step in words: the server's, which are English, or those of the page's language.
export function labelOf({ action_type: type, label, about = "", target }) {
  if (language() === "en" || !worded("action", type)) return label;
  const values = { HOT_KEY: named("key", about), SCROLL: named("direction", about), WAIT: about && duration(about * 1000) };
  const what = values[type] || about;
  return `${named("action", type)}${what ? `：${what}` : target ? `“${target}”` : ""}`;
}

/// Whether a question that is known is the one of a list's line: the same may be asked twice in the same words.
export const isAsked = (known, { question, question_step: step }) =>
  known?.text === question && (step === undefined || known?.step === step);

/// The question that waits in a session, with its kind and choices once these are known.
export function questionOf(session) {
  const { session_id: id, waiting, question, question_step: step } = session;
  if (!waiting) return null;
  const known = state.open.get(id)?.session?.question;
  if (typeof question !== "string") return question ?? null;
  return isAsked(known, session) ? known : { step, text: question, options: [] };
}

// Which questions have come up, and in which order.
const came = new Map();

/// The sessions that ask, in the order in which their questions came up: a new one takes no other's place. Those that
/// are there at first have the newest above what was left unanswered long ago.
export function asking(sessions) {
  const name = (one) => `${one.session_id} ${one.question_step}`;
  const all = (sessions ?? []).filter((one) => one.waiting);
  if (0 < came.size) all.reverse();
  for (const one of all) if (!came.has(name(one))) came.set(name(one), came.size);
  return all.sort((a, b) => came.get(name(a)) - came.get(name(b)));
}

/// What a session is called: its task, or that somebody drove the phone.
export const taskOf = (session) => (session?.by_hand ? t("run.by-hand") : session?.task);

/// How a session stands, in a word that has a tone and an icon: "running", "waiting", "queued", "away", "hand", or how it
/// ended.
export function standing(session) {
  if (session.unreadable) return "bad";
  if (session.driven) return "hand";
  if (session.queued) return "queued";
  if (session.away_until) return "away";
  if (session.waiting) return "waiting";
  if (session.running) return "running";
  switch (session.stop_reason) {
    case "TASK_COMPLETED_SUCCESSFULLY":
      return "good";
    case "TASK_ABORTED_BY_AGENT":
    case "DEVICE_LOST":
    case "MODEL_FAILED":
    case "STORAGE_FAILED":
    case "NOT_STARTED":
      return "bad";
    case "USER_PAUSED":
      return "paused";
    default:
      return "neutral";
  }
}
