// Where the keyboard is. A control that is disabled or goes away while it has the focus must not leave whoever uses the
// keyboard at the top of everything.

let last = null;
// Whether what has the focus is disabled, or was a moment ago.
let off = false;

export function watchFocus() {
  document.addEventListener("focusin", ({ target }) => {
    last = target;
    off = false;
  });
  // A press on nothing takes the focus away on purpose; one on a control gives it back.
  document.addEventListener("pointerdown", () => (last = null), true);
}

/// After the page was drawn: back to where the focus was lost, or to the heading if that is gone.
export function keepFocus() {
  if (!last) return;
  // A browser takes the focus from what is disabled a little later.
  off ||= Boolean(last.disabled);
  if (document.activeElement && document.activeElement !== document.body) return;
  if (!last.isConnected) {
    last = null;
    document.getElementById("heading")?.focus({ preventScroll: true });
  } else if (!off) {
    // Whoever uses the page has gone elsewhere.
    last = null;
  } else if (!last.disabled) {
    last.focus({ preventScroll: true });
  }
}
