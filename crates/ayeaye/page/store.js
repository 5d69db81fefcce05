// The state of the page, in one place. Views are functions of it; what changes it calls `update`.

export const state = {
  language: "en",
  // Who is signed in: `{ name, version, read_only, report_only, model }`, null until it is known.
  me: null,
  signIn: { needed: false, told: null, busy: false, error: null },
  route: { page: "phones" },
  // "connecting", "open" or "lost".
  link: "connecting",
  server: null,
  // Why the server gives no stream though it answers, and whether it is a newer one than this page.
  refusal: null,
  newer: false,
  devices: null,
  // Why there is none, or what else is to be known of the list.
  hint: null,
  sessions: null,
  // Sessions that are shown with their steps, by id: `{ session, steps: Map, first, missing }`.
  open: new Map(),
  // The step that is looked at, by session; none means the phone as it is now.
  looked: new Map(),
  // `found`: what the sessions were found by.
  history: { query: "", found: "", sessions: null, more: false, next: null, busy: false, error: null, chosen: [] },
  policy: null,
  settings: { list: null, filter: "" },
  // The phone that a task is being written for, and whether it was chosen or only stood there.
  compose: { device: null, chosen: false },
  // Sessions and devices with a request under way, and what went wrong with the last one.
  busy: new Set(),
  // Those of them that take long.
  slow: new Set(),
  errors: new Map(),
  // The person drives a phone: `{ place, device, ready, typed, cursor, busy, note, leave }`.
  control: null,
  // The phones' screens by device: `{ url, tag, error, at }`, `at` when the server last said that it is still like that.
  screens: new Map(),
  toasts: [],
  now: Date.now(),
};

/// Whether nothing can be sent for `name` now: a request for it is under way, or the server does not answer.
export const held = ({ busy, link }, name) => link === "lost" || busy.has(name);

const watchers = new Set();
let planned = false;

/// Has `watcher` called after changes, at most once for each picture that the browser draws.
export function watch(watcher) {
  watchers.add(watcher);
}

/// Changes the state and has the page drawn again.
export function update(change) {
  change(state);
  if (planned) return;
  planned = true;
  // A tab in the background draws nothing; its title still tells of questions.
  const plan = document.hidden ? (run) => setTimeout(run, 0) : requestAnimationFrame;
  plan(() => {
    planned = false;
    for (const watcher of watchers) watcher(state);
  });
}

let lastToast = 0;

/// Shows a short note for some seconds; screen readers hear it.
export function toast(text, tone = "neutral") {
  const id = ++lastToast;
  update((s) => s.toasts.push({ id, text, tone }));
  setTimeout(() => update((s) => (s.toasts = s.toasts.filter((shown) => shown.id !== id))), 6000);
}
