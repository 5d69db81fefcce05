// What is being written and not sent yet: kept for as long as the tab is open, so that a sign-in that ends or a reload
// loses nothing, and shown to nobody but whom it belongs to.

import { state } from "./store.js";

const name = (place) => `draft ${state.me?.name} ${place}`;

/// The props of a field that keeps its text under `place`.
export const kept = (place) => ({
  on: { input: ({ target }) => keep(place, target.value) },
  mounted: (dom) => (dom.value = draft(place)),
});

/// What was written under `place`.
export function draft(place) {
  try {
    return sessionStorage.getItem(name(place)) ?? "";
  } catch {
    return "";
  }
}

/// Keeps a text in place of the one before; an empty one is nothing to keep.
export function keep(place, text) {
  try {
    if (text) sessionStorage.setItem(name(place), text);
    else sessionStorage.removeItem(name(place));
  } catch {
    // Storage is closed to this page, or full: the text stays in its field only.
  }
}

/// Forgets what anybody has written in this tab.
export function forgetAll() {
  try {
    sessionStorage.clear();
  } catch {
    // There is nothing.
  }
}
