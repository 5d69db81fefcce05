// The page's elements. Whatever is written into them is text, never markup.
"use strict";

// The element of that id.
export const byId = (id) => document.getElementById(id);

// A new element with a class and a text.
export function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = readable(text);
  return element;
}

// Writes a text; nothing is touched that says it already, so that nobody hears it twice.
export function write(id, text) {
  const element = byId(id);
  const shown = readable(text);
  if (element.textContent !== shown) element.textContent = shown;
  return element;
}

// In the record a secret is a placeholder; people know it by dots. What is not seen and turns the direction of the rest
// would have it read as something else.
function readable(text) {
  return text
    .replace(/\[secret [a-z]+ [^\]]{1,40}\]/g, "••••••")
    .replace(/[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu, "");
}

// Shows an element with a text, or hides it where there is none.
export function writeOrHide(id, text) {
  write(id, text || "").hidden = !text;
}
