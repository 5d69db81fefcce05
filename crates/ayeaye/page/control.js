// A person drives a phone: gestures on its picture and keys become acts, each recorded as a step and judged by
// the same gate as the agent's. One act at a time; the next ones wait for it.

import { announce, hush } from "./announce.js";
import { get, postToPhone, send as request, sessionPath } from "./api.js";
import { goOn, once, reason } from "./actions.js";
import { link } from "./routes.js";
import { lookAgain } from "./screens.js";
import { state, toast, update } from "./store.js";
import { named, t } from "./words.js";

// Letters that come within this time go to the phone as one text.
const PAUSE_IN_TYPING = 700;

// A session that seems to run although it is driven here is asked about, at most so often.
const DOUBT = 2000;

let queue = Promise.resolve();
let typing = null;
let keeping = null;
let doubted = 0;

const controlPath = (device, id) =>
  `devices/${encodeURIComponent(device)}/control${id ? `?control=${encodeURIComponent(id)}` : ""}`;

/// Begins to drive the phone of a session, which is paused for it, or one that nobody drives. Nobody else's task begins
/// there before it is given back.
export async function take({ session, device }) {
  const place = session?.session_id ?? device;
  const control = {
    // Which takeover it is: there may be a newer one, of another tab.
    id: null,
    place,
    device,
    session: session?.session_id ?? null,
    ready: false,
    typed: "",
    cursor: null,
    waiting: 0,
    note: null,
    leave: null,
  };
  update((s) => {
    s.control = control;
    s.looked.delete(place);
  });
  const taken = await once(place, () => postToPhone(controlPath(device), session ? { session_id: session.session_id } : {}));
  // It may have been left, or begun anew, while the server was asked.
  if (state.control !== control) return taken && giveBack(device, taken.control);
  if (!taken) return end();
  update(() => Object.assign(control, { ready: true, id: taken.control }));
  clearInterval(keeping);
  keeping = setInterval(() => keep(control), taken.keep_after_ms);
}

/// Drives a phone on its own page.
export function drive(device) {
  location.hash = link("phone", device);
  take({ device });
}

/// Keeps the phone, which is nobody's any more when this page says nothing for long.
async function keep(control) {
  try {
    await request("PUT", controlPath(control.device, control.id));
  } catch (refused) {
    if (refused.status === 409) lost(control);
  }
}

/// The phone is in other hands from now on, and whoever looks here has to know. In whose the server says; what the page
/// has been told of the phone may be from before.
async function lost(control) {
  if (state.control !== control) return;
  end();
  const now = await Promise.all([
    get("devices").then(({ devices }) => devices.find((one) => one.device_id === control.device)),
    control.session && get(sessionPath(control.session)),
  ]).catch(() => []);
  const [device, session] = now;
  const theirs = device?.by_hand && (typeof device.by_hand === "string" ? "tab" : "person");
  toast(t(`control.lost.${theirs || (session?.running ? "agent" : "over")}`), "bad");
}

/// Whether the phone is still this page's: it may be taken over in another tab, its run may be continued by whoever else
/// may see it, or the server has been started again. What is on the way looks like that, too, so the server is asked.
export function watchControl({ control, open, devices, busy, link: way }) {
  if (!control?.ready || way !== "open" || 0 < control.waiting || busy.has(control.place)) return;
  const device = devices?.find((one) => one.device_id === control.device);
  const running = open.get(control.session)?.session?.running;
  if (!running && device?.by_hand === control.id) return;
  if (Date.now() < doubted + DOUBT) return;
  doubted = Date.now();
  keep(control);
}

/// Whoever closes the page gives the phone back.
export function watchLeaving() {
  window.addEventListener("pagehide", () => {
    if (state.control?.id) giveBack(state.control.device, state.control.id);
  });
}

function end() {
  clearTimeout(typing);
  clearInterval(keeping);
  update((s) => (s.control = null));
}

// Sent even while the page is being closed.
const giveBack = (device, id) => request("DELETE", controlPath(device, id), { keepalive: true }).catch(() => undefined);

/// Stops driving, after what is on its way; the phone stays as it is, and is given to whoever waits for it.
export async function leave() {
  flush(false);
  const { control } = state;
  end();
  await queue;
  if (control?.id) await giveBack(control.device, control.id);
}

/// Goes on with a session. Where its phone is driven here, what was written goes to the phone first, and the agent has
/// it from then on.
export async function proceed(id, words) {
  if (state.control?.session !== id) return goOn(id, words);
  flush(false);
  await queue;
  const done = await goOn(id, words);
  // Its task takes the phone out of the hand: nobody else's can come between.
  if (done && state.control?.session === id) end();
  return done;
}

/// Gives the phone back to the agent, which goes on with its request. `words`: what it is told with that.
export async function handBack(words) {
  const id = state.control?.session;
  if (id) await proceed(id, words);
}

/// Sends one act, after those before it and what was typed before it.
export function act(what) {
  flush(false);
  const { control } = state;
  if (!control?.ready) return;
  note(control, null, 1);
  queue = queue.then(() => send(what, control));
}

async function send(what, control) {
  const path = control.session ? sessionPath(control.session, "/act") : `devices/${encodeURIComponent(control.device)}/act`;
  try {
    const came = await postToPhone(path, { ...what, control: control.id });
    if (came.outcome === "needs_leave") {
      note(control, null, -1);
      // Whoever has left the phone meanwhile is not asked: it is not done.
      if (state.control !== control) return;
      const leave = { question: came.question ?? "", why: came.why ?? "", what: { ...what, agreed: came.agree } };
      update(() => (control.leave = leave));
      announce(`${t("leave")}: ${came.question ?? ""}`, true);
    } else {
      note(
        control,
        {
          tone: came.outcome,
          text: came.outcome === "done" ? t("outcome.done") : `${named("outcome", came.outcome)}: ${came.why ?? ""}`,
        },
        -1,
      );
    }
  } catch (refused) {
    note(control, { tone: "not_done", text: reason(refused) }, -1);
  }
  lookAgain(control.device);
}

/// Of this takeover only: there may be another one by the time that an act is over.
function note(control, said, more) {
  update(() => {
    control.note = said;
    control.waiting += more;
  });
}

/// The answer to whether an act may be done that needs a person's leave.
export function answerLeave(yes) {
  const { leave: asked } = state.control ?? {};
  if (!asked) return;
  update((s) => (s.control.leave = null));
  hush();
  focusPicture();
  if (yes) act(asked.what);
  else note(state.control, { tone: "not_done", text: t("leave.no.said") }, 0);
}

/// Keys go to the phone again.
const focusPicture = () => document.querySelector(".glass.driven .writing")?.focus({ preventScroll: true });

/// A letter typed on the picture; `text` null takes the last one back.
export function type(text) {
  update((s) => {
    if (!s.control) return;
    // Enter is for what is written from here on, and not for a place that was aimed at before.
    s.control.cursor = null;
    s.control.typed = text === null ? [...s.control.typed].slice(0, -1).join("") : s.control.typed + text;
  });
  clearTimeout(typing);
  typing = setTimeout(() => flush(false), PAUSE_IN_TYPING);
}

/// Sends what has been typed so far.
export function flush(submit) {
  clearTimeout(typing);
  const text = state.control?.typed;
  if (!text) return;
  // Empty before the act, which sends what is typed.
  update((s) => (s.control.typed = ""));
  act({ action: "type", text, submit });
}

export function forgetTyped() {
  clearTimeout(typing);
  update((s) => s.control && (s.control.typed = ""));
}
