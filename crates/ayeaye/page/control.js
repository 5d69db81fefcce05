// A person drives a phone: gestures on its picture and keys become acts, each recorded as a step and judged by
// the same gate as the agent's. One act at a time; the next ones wait for it.

import { announce } from "./announce.js";
import { post, send as request, sessionPath } from "./api.js";
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

const controlPath = (device) => `devices/${encodeURIComponent(device)}/control`;

/// Begins to drive the phone of a session, which is paused for it, or one that nobody drives. Nobody else's task begins
/// there before it is given back.
export async function take({ session, device }) {
  const place = session?.session_id ?? device;
  const control = {
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
  const taken = await once(place, () => post(controlPath(device), session ? { session_id: session.session_id } : {}));
  // It may have been left, or begun anew, while the server was asked.
  if (state.control !== control) {
    if (taken && state.control?.device !== device) giveBack(device);
    return;
  }
  if (!taken) return end();
  update(() => (control.ready = true));
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
    await request("PUT", controlPath(control.device));
  } catch (refused) {
    if (refused.status === 409 && state.control === control) lost(refused.message);
  }
}

/// The phone is driven by somebody else from now on: by its task, which was continued elsewhere, or by the next one.
function lost(why) {
  end();
  toast(why, "bad");
}

/// A session that is driven here may go on without being handed back: whoever else may see it can continue it. An
/// act seems to run, too, so the server is asked.
export function watchControl({ control, open, busy }) {
  const session = control?.ready && open.get(control.session)?.session;
  if (!session?.running || 0 < control.waiting || busy.has(control.place) || Date.now() < doubted + DOUBT) return;
  doubted = Date.now();
  keep(control);
}

/// Whoever closes the page gives the phone back.
export function watchLeaving() {
  window.addEventListener("pagehide", () => {
    if (state.control) giveBack(state.control.device);
  });
}

function end() {
  clearTimeout(typing);
  clearInterval(keeping);
  update((s) => (s.control = null));
}

// Sent even while the page is being closed.
const giveBack = (device) => request("DELETE", controlPath(device), { keepalive: true }).catch(() => undefined);

/// Stops driving; the phone stays as it is, and is given to whoever waits for it.
export function leave() {
  const { control } = state;
  end();
  if (control) giveBack(control.device);
}

/// Gives the phone back to the agent, which goes on with its request.
export async function handBack() {
  flush(false);
  await queue;
  const id = state.control?.session;
  // Its task takes the phone out of the hand: nobody else's can come between.
  if (id && (await goOn(id, {}))) end();
}

/// Sends one act, after those before it.
export function act(what) {
  if (!state.control?.ready) return;
  note(null, 1);
  queue = queue.then(() => send(what));
}

async function send(what) {
  const control = state.control;
  if (!control) return;
  const path = control.session ? sessionPath(control.session, "/act") : `devices/${encodeURIComponent(control.device)}/act`;
  try {
    const came = await post(path, what);
    if (came.outcome === "needs_leave") {
      note(null, -1);
      update(
        (s) =>
          s.control &&
          (s.control.leave = {
            question: came.question ?? "",
            why: came.why ?? "",
            what: { ...what, agreed: came.agree },
          }),
      );
      announce(`${t("leave")}: ${came.question ?? ""}`, true);
    } else {
      note(
        {
          tone: came.outcome,
          text: came.outcome === "done" ? t("outcome.done") : `${named("outcome", came.outcome)}: ${came.why ?? ""}`,
        },
        -1,
      );
    }
  } catch (refused) {
    note({ tone: "not_done", text: reason(refused) }, -1);
  }
  lookAgain(control.device);
}

function note(said, more) {
  update((s) => {
    if (!s.control) return;
    s.control.note = said;
    s.control.waiting += more;
  });
}

/// The answer to whether an act may be done that needs a person's leave.
export function answerLeave(yes) {
  const { leave: asked } = state.control ?? {};
  if (!asked) return;
  update((s) => (s.control.leave = null));
  if (yes) act(asked.what);
  else note({ tone: "not_done", text: t("leave.no.said") }, 0);
}

/// A letter typed on the picture; `text` null takes the last one back.
export function type(text) {
  update((s) => {
    if (s.control) s.control.typed = text === null ? [...s.control.typed].slice(0, -1).join("") : s.control.typed + text;
  });
  clearTimeout(typing);
  typing = setTimeout(() => flush(false), PAUSE_IN_TYPING);
}

/// Sends what has been typed so far.
export function flush(submit) {
  clearTimeout(typing);
  const text = state.control?.typed;
  if (!text) return;
  update((s) => (s.control.typed = ""));
  act({ action: "type", text, submit });
}

export function forgetTyped() {
  clearTimeout(typing);
  update((s) => s.control && (s.control.typed = ""));
}
