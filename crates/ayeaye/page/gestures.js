// What fingers, a mouse and a keyboard do on a phone's picture, as acts on the phone: places in thousandths of
// its width and height.

import { act, flush, forgetTyped, type } from "./control.js";
import { state, update } from "./store.js";

// A press that rests this long is a long one (Android's own is 400 to 500 ms).
const LONG = 500;
// Fingers shake: less than this many CSS pixels is no swipe.
const SLACK = 10;
const MOVE = 25;
const SWIPE = 300;

let press = null;

/// Whether the picture takes anything: not while the run is being paused, leave is asked for or nobody answers.
const open = () => Boolean(state.control?.ready && !state.control.leave && state.link !== "lost");

function place(dom, event) {
  const box = dom.getBoundingClientRect();
  const share = (at, from, size) => Math.round(Math.min(999, Math.max(0, ((at - from) / size) * 1000)));
  return [share(event.clientX, box.left, box.width), share(event.clientY, box.top, box.height)];
}

export const pointer = {
  pointerdown(event) {
    if (event.button !== 0 || !open()) return;
    const dom = event.currentTarget;
    dom.setPointerCapture(event.pointerId);
    press = { at: place(dom, event), x: event.clientX, y: event.clientY, since: event.timeStamp };
    update((s) => Object.assign(s.control, { drag: { from: press.at, to: press.at }, cursor: null }));
  },
  pointermove(event) {
    if (!press || !state.control) return;
    const to = place(event.currentTarget, event);
    update((s) => s.control && (s.control.drag = { from: press.at, to }));
  },
  pointerup(event) {
    if (!press) return;
    const { at, x, y, since } = press;
    const to = place(event.currentTarget, event);
    lift();
    if (SLACK < Math.hypot(event.clientX - x, event.clientY - y)) act({ action: "swipe", point: at, to });
    else act({ action: LONG < event.timeStamp - since ? "long_press" : "tap", point: at });
  },
  pointercancel: lift,
  // The phone gets the long press, the browser's menu stays closed.
  contextmenu: (event) => event.preventDefault(),
};

function lift() {
  press = null;
  update((s) => s.control && (s.control.drag = null));
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export const keys = {
  keydown(event) {
    // Keys by which somebody chooses what an input method offers are not for the phone: 229, which Safari tells of when the
    // text is already complete.
    if (!open() || event.ctrlKey || event.metaKey || event.isComposing || event.keyCode === 229) return;
    if (handled(event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  },
  paste(event) {
    const text = event.clipboardData?.getData("text/plain");
    if (!text || !open()) return;
    event.preventDefault();
    type(text);
  },
};

/// Text that comes without keys: from an input method, a dictation, a list of emoji. What is still put together is shown.
export const written = {
  input: (event) => event.isComposing || takeWritten(event.target),
  compositionupdate: ({ data }) => update((s) => s.control && (s.control.composing = data)),
  compositionend: (event) => takeWritten(event.target),
};

function takeWritten(field) {
  const text = field.value;
  field.value = "";
  update((s) => s.control && (s.control.composing = ""));
  if (text && open()) type(text);
}

function handled(event) {
  const { cursor, typed } = state.control;
  const { key } = event;
  if (key in ARROWS) {
    const [dx, dy] = ARROWS[key];
    const at = cursor ?? [500, 500];
    const near = (by) => [at[0] + dx * by, at[1] + dy * by].map((share) => Math.min(999, Math.max(0, share)));
    if (event.altKey) act({ action: "swipe", point: at, to: near(SWIPE) });
    else update((s) => (s.control.cursor = cursor ? near(event.shiftKey ? 5 : MOVE) : at));
    return true;
  }
  if (key === "Enter") {
    if (typed) flush(true);
    else if (cursor) act({ action: event.shiftKey ? "long_press" : "tap", point: cursor });
    else act({ action: "key", key: "ENTER" });
    return true;
  }
  if (key === "Escape") {
    if (typed) forgetTyped();
    else if (cursor) update((s) => (s.control.cursor = null));
    else act({ action: "key", key: "BACK" });
    return true;
  }
  if (key === "Backspace") {
    if (typed) type(null);
    else act({ action: "key", key: "DELETE" });
    return true;
  }
  if (key === "Home") {
    act({ action: "key", key: "HOME" });
    return true;
  }
  // Tab and all that is no letter stay with the browser, so that nobody is caught here.
  if ([...key].length === 1 && !event.altKey) {
    type(key);
    return true;
  }
  return false;
}
