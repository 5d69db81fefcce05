// The stream of events: the state of everything now, then what changes. A stream that breaks is opened again,
// for as long as the page is open.

import { get, refusal } from "./api.js";
import { announce } from "./announce.js";
import { phoneName } from "./phones.js";
import { shown } from "./routes.js";
import { state, toast, update } from "./store.js";
import { t } from "./words.js";
import { isAsked, readSession, takeSession } from "./sessions.js";

// A UUID, as every session has for its name.
const NAME = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;
// After this long in the background the stream may have died unnoticed, as it does while a computer sleeps.
const STALE = 45_000;
// A browser has six connections to a server for all its tabs together. A tab that is not seen for this long lets go of
// its stream, except one of them, whose title tells of questions.
const HIDDEN = 5000;
// A server that says nothing for so many of its heartbeats is gone, although the connection has not been closed.
const BEATS = 2.3;
// How long it may take to say who is signed in, when it is asked whether it is there.
const ANSWERS = 10_000;
// Where a browser does not let tabs agree on that one, each of them asks so often instead.
const ASK = 30_000;
/// Held by the one of several hidden tabs that stays awake.
const AWAKE = "ayeaye-hidden";

let source = null;
let watched = "";
let wait = FIRST_WAIT;
let retry = null;
let hiddenAt = null;
let falling = null;
let asleep = false;
let letGo = null;
/// Ends the wait for the turn to stay awake.
let turn = null;
let broke = false;
/// Ends a silence that is too long, and how long that is; the server says.
let silence = null;
let longest = Infinity;
let doubting = false;
/// Whether the server has answered a request since the stream broke.
let answered = false;
/// The version of the server that this page came from.
let version = null;
/// Asks now and then, where nothing tells of questions.
let asks = null;
let backAgain = () => undefined;
// Sessions whose questions are being read.
const asking = new Set();

/// Opens the stream, for the sessions that the route shows; does nothing where it is open for them already.
export function follow() {
  const ids = wanted();
  if (source && ids === watched) return;
  if (retry && ids === watched) return;
  open(ids);
}

function open(ids) {
  close();
  watched = ids;
  if (asleep) return;
  source = new EventSource(`/page/api/${events(ids)}`);
  for (const [name, use] of Object.entries(EVENTS)) {
    source.addEventListener(name, ({ data }) => {
      hear();
      read(data, use);
    });
  }
  source.addEventListener("error", lost);
  hear();
}

const EVENTS = {
  hello: welcome,
  alive: () => undefined,
  devices: takeDevices,
  sessions: (sessions) => takeLines(list(sessions, "sessions")),
  session: takeSession,
  gone: ({ session_id: id }) => update((s) => s.open.set(id, { missing: true })),
};

/// The server is there. A connection that is cut without a word brings no error: only the silence tells.
function hear() {
  clearTimeout(silence);
  if (longest < Infinity) silence = setTimeout(lost, longest);
}

/// Whoever waits for an answer for long has the server asked whether it is there at all.
export async function doubt() {
  if (state.link !== "open" || doubting) return;
  doubting = true;
  await get("me", ANSWERS).catch(({ status }) => status === 0 && state.link === "open" && lost());
  doubting = false;
}

const events = (ids) => (ids ? `events?sessions=${ids.split(",").map(encodeURIComponent).join(",")}` : "events");

/// The sessions that are shown and can be followed; what cannot be a session's name is told as not there.
function wanted() {
  const ids = shown(state.route);
  const wrong = ids.filter((id) => !NAME.test(id) && !state.open.has(id));
  if (0 < wrong.length) update((s) => wrong.forEach((id) => s.open.set(id, { missing: true })));
  return ids.filter((id) => NAME.test(id)).join(",");
}

export function close() {
  source?.close();
  source = null;
  clearTimeout(retry);
  retry = null;
  clearTimeout(silence);
}

function read(data, use) {
  let value;
  try {
    value = JSON.parse(data);
  } catch {
    return;
  }
  use(value);
}

const list = (value, name) => (Array.isArray(value) ? value : (value[name] ?? []));

function welcome({ server, heartbeat_ms: heartbeat }) {
  longest = BEATS * heartbeat || Infinity;
  hear();
  const restarted = state.server !== null && state.server !== server;
  if (broke) {
    toast(t(restarted ? restartedWords() : "link.again"), restarted ? "neutral" : "good");
    backAgain();
  }
  broke = answered = false;
  wait = FIRST_WAIT;
  version ??= state.me.version;
  update((s) => {
    s.link = "open";
    s.server = server;
    s.refusal = null;
  });
  if (restarted) compareVersions();
}

/// A newer server has a newer page. This one goes on with it where something is being written or driven, and says so.
async function compareVersions() {
  const me = await get("me").catch(() => null);
  if (!me || me.version === version) return;
  const fields = [...document.querySelectorAll("main textarea, main input:not([type=checkbox])")];
  if (state.control || fields.some((one) => one.value !== one.defaultValue)) update((s) => (s.newer = true));
  else location.reload();
}

/// What was at work when a server ended is cut short; what asked or was done is as it was.
const restartedWords = () => (state.sessions?.some((line) => line.running) ? "link.restarted.cut" : "link.restarted");

function takeDevices(told) {
  update((s) => Object.assign(s, { devices: list(told, "devices"), hint: told.hint ?? null }));
}

/// The newest sessions; a question that is new among them is said aloud.
function takeLines(lines) {
  const asked = new Set((state.sessions ?? []).filter((line) => line.waiting).map((line) => line.session_id));
  const fresh = lines.find((line) => line.waiting && !asked.has(line.session_id));
  if (fresh && state.sessions) {
    announce(`${t("question.asks", { phone: phoneName(fresh) })}: ${fresh.question ?? ""}`, true);
  }
  update((s) => (s.sessions = lines));
  lines.filter((line) => line.waiting).forEach(readQuestion);
}

/// A list has a question's words only; its kind and choices are those of the session.
function readQuestion(line) {
  const { session_id: id } = line;
  if (asking.has(id) || isAsked(state.open.get(id)?.session?.question, line)) return;
  asking.add(id);
  readSession(id)
    .catch(() => undefined)
    .finally(() => asking.delete(id));
}

function lost() {
  close();
  if (state.signIn.needed) return;
  if (state.link === "open") announce(t("link.lost.text"), true);
  broke ||= state.link !== "connecting";
  update((s) => (s.link = "lost"));
  retry = setTimeout(again, wait);
  wait = Math.min(wait * 2, LONGEST_WAIT);
}

/// A stream does not say why it was refused; a request does, and finds out whether to sign in. Where the server answers
/// and the stream fails all the same, that one is asked for as a request, too.
async function again() {
  retry = null;
  try {
    const me = await get("me", ANSWERS);
    const why = answered ? await refusal(events(wanted())) : null;
    answered = true;
    update((s) => Object.assign(s, { me, refusal: why }));
    open(wanted());
  } catch (refused) {
    answered = false;
    update((s) => (s.refusal = null));
    if (refused.status !== 401) lost();
  }
}

/// Somebody may have signed in with another tab since.
async function signedInElsewhere() {
  try {
    await get("me");
    location.reload();
  } catch {
    // Not yet.
  }
}

function hurry() {
  if (state.signIn.needed) signedInElsewhere();
  if (state.link !== "lost" || state.signIn.needed) return;
  clearTimeout(retry);
  wait = FIRST_WAIT;
  again();
}

/// `back` is called when the stream has come back after it broke.
export function watchSleep(back) {
  backAgain = back;
  window.addEventListener("online", hurry);
  document.addEventListener("visibilitychange", () => (document.hidden ? hide() : wake()));
  if (document.hidden) hide();
}

function hide() {
  hiddenAt = Date.now();
  clearTimeout(falling);
  falling = setTimeout(fallAsleep, HIDDEN);
}

/// Unless this is the tab that stays awake, which it is until it is seen again. A tab that sleeps takes its place when
/// that one is closed or seen.
function fallAsleep() {
  if (asleep || letGo) return;
  const rest = () => {
    if (!document.hidden) return;
    asleep = true;
    close();
  };
  if (!navigator.locks) {
    rest();
    asks ??= setInterval(() => get("sessions").then(({ sessions }) => takeLines(sessions), () => {}), ASK);
    return;
  }
  const asked = navigator.locks.request(AWAKE, { ifAvailable: true }, (lock) => {
    if (!document.hidden) return undefined;
    if (lock) return stayAwake();
    rest();
    waitForTurn();
    return undefined;
  });
  asked.catch(rest);
}

const stayAwake = () => new Promise((done) => (letGo = done));

function waitForTurn() {
  turn = new AbortController();
  const asked = navigator.locks.request(AWAKE, { signal: turn.signal }, () => {
    turn = null;
    if (!document.hidden) return undefined;
    asleep = false;
    if (state.me) follow();
    return stayAwake();
  });
  // Seen meanwhile; or the browser gives no turns, and it sleeps on.
  asked.catch(() => {});
}

function wake() {
  clearTimeout(falling);
  clearInterval(asks);
  asks = null;
  letGo?.();
  letGo = null;
  turn?.abort();
  turn = null;
  const slept = asleep;
  asleep = false;
  if (state.link === "lost" || state.signIn.needed) hurry();
  else if (slept && state.me) follow();
  else if (source && hiddenAt && STALE < Date.now() - hiddenAt) open(watched);
}
