// A person drives a phone: gestures on its picture and keys become acts, each recorded as a step and judged by
// the same gate as the agent's. One act at a time; the next ones wait for it.

import { announce } from "./announce.js";
import { post, sessionPath } from "./api.js";
import { goOn, pause, reason } from "./actions.js";
import { lookAgain } from "./screens.js";
import { state, update } from "./store.js";
import { named, t } from "./words.js";

// Letters that come within this time go to the phone as one text.
const PAUSE_IN_TYPING = 700;

let queue = Promise.resolve();
let typing = null;

/// Begins to drive the phone of a session (which is paused first) or one that nobody drives.
export async function take({ session, device }) {
  const place = session?.session_id ?? device;
  update((s) => {
    s.control = {
      place,
      device,
      session: session?.session_id ?? null,
      ready: !session || Boolean(session.can?.act),
      typed: "",
      cursor: null,
      waiting: 0,
      note: null,
      leave: null,
    };
    s.looked.delete(place);
  });
  if (session?.running && !(await pause(session.session_id))) leave();
}

/// Stops driving; the phone stays as it is.
export function leave() {
  clearTimeout(typing);
  update((s) => (s.control = null));
}

/// Gives the phone back to the agent, which goes on with its request.
export async function handBack() {
  flush(false);
  await queue;
  const id = state.control?.session;
  if (id && (await goOn(id, {}))) leave();
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
