// The phone's screen: the picture, and where it was touched.
"use strict";

import { say } from "./words.js";
import { byId } from "./elements.js";

// Long enough to be seen before the next picture takes its place.
const MARK_MS = 1200;

let markedUntil = 0;

// Whether a mark is to be looked at for a while yet.
export const isMarked = () => performance.now() < markedUntil;

// Shows a picture of a phone; `step` is the one that was decided on it, if it is of a step.
export function showPicture(address, phone, step) {
  const picture = byId("screen");
  const name = phone || say("thePhone");
  picture.alt = step === undefined ? say("screen", name) : say("screenAt", name, step + 1);
  if (address) {
    picture.src = address;
    picture.hidden = false;
    delete byId("phone").dataset.empty;
  }
  unmark();
}

// Shows none.
export function clearPicture() {
  byId("screen").hidden = true;
  byId("phone").dataset.empty = "";
  unmark();
}

// Marks where a step has touched the screen, in thousandths of its width and height.
export function markTouch(action) {
  unmark();
  const from = action.point || action.point1;
  const to = action.point2;
  if (!isPoint(from)) return;
  const mark = byId("mark");
  const [x, y] = isPoint(to) ? to : from;
  mark.style.left = `${x / 10}%`;
  mark.style.top = `${y / 10}%`;
  mark.hidden = false;
  if (isPoint(to)) {
    const line = byId("path").firstElementChild;
    for (const [name, value] of [["x1", from[0]], ["y1", from[1]], ["x2", x], ["y2", y]]) {
      line.setAttribute(name, value);
    }
    byId("path").removeAttribute("hidden");
  }
  markedUntil = performance.now() + MARK_MS;
}

function unmark() {
  byId("mark").hidden = true;
  byId("path").setAttribute("hidden", "");
  markedUntil = 0;
}

function isPoint(point) {
  return Array.isArray(point) && point.length === 2 && point.every((it) => 0 <= it && it <= 1000);
}
