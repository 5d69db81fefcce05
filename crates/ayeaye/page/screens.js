// The screens of phones as they are now. Each is asked for again when the last answer has come, and only while
// it is looked at; the server shares one capture among all who look.

import { screen } from "./api.js";
import { state, update } from "./store.js";

const NEAR = 500;
const FAR = 1500;
const AFTER_FAILURE = 4000;
// A browser has six connections to a server: what a person does there does not wait for phones that are slow.
const MOST = 3;

// Which phones are looked at, and how often each is asked for.
let wanted = new Map();
const asking = new Set();
const timers = new Map();
// Those whose turn it is when another one has been answered, the longest waiting first.
const due = new Set();

/// The phones whose screens a state shows, and the rest between two requests.
export function onView({ route, devices, open, signIn }) {
  const rhythm = new Map();
  if (signIn.needed || !devices) return rhythm;
  const reachable = (id) => devices.some((device) => device.device_id === id && device.state === "device");
  const add = (id, rest) => reachable(id) && rhythm.set(id, rest);
  if (route.page === "phones") for (const device of devices) add(device.device_id, FAR);
  if (route.page === "phone") add(route.device, NEAR);
  const session = route.page === "session" ? open.get(route.session)?.session : null;
  if (session && !session.elsewhere) add(session.device_id, NEAR);
  return rhythm;
}

/// Keeps the screens on view fresh from now on, and lets go of the others.
export function lookAt(rhythm) {
  wanted = rhythm;
  for (const id of wanted.keys()) ask(id);
}

/// A phone that was just acted on is looked at without rest.
export function lookAgain(id) {
  clearTimeout(timers.get(id));
  timers.delete(id);
  ask(id);
}

async function ask(id) {
  if (asking.has(id) || timers.has(id) || !wanted.has(id) || document.hidden) return;
  if (MOST <= asking.size) {
    due.add(id);
    return;
  }
  due.delete(id);
  asking.add(id);
  let rest = wanted.get(id);
  const before = state.screens.get(id);
  try {
    const answer = await screen(id, before?.tag);
    if (answer) show(id, answer, before);
    else if (before) update((s) => s.screens.set(id, { ...before, error: null, at: Date.now() }));
  } catch (refused) {
    rest = AFTER_FAILURE;
    // The last picture stays, marked as old, with what is wrong; a server that is gone says nothing of the phone.
    if (refused.status === 0) update((s) => s.screens.has(id) && s.screens.set(id, { ...s.screens.get(id), at: 0 }));
    else update((s) => s.screens.set(id, { ...s.screens.get(id), tag: null, error: refused.message }));
  }
  asking.delete(id);
  timers.set(
    id,
    setTimeout(() => {
      timers.delete(id);
      ask(id);
    }, rest),
  );
  for (const next of [...due]) {
    if (MOST <= asking.size) return;
    due.delete(next);
    ask(next);
  }
}

function show(id, { tag, picture }, before) {
  const url = URL.createObjectURL(picture);
  update((s) => s.screens.set(id, { url, tag, error: null, at: Date.now() }));
  // The old one is on the glass until the new one has been drawn.
  if (before?.url) setTimeout(() => URL.revokeObjectURL(before.url), 2000);
}

export function watchScreens() {
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) lookAt(wanted);
  });
}
