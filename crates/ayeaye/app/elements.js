// The page's elements. Whatever is written into them is text, never markup.
"use strict";

import { say } from "./words.js";

// What is shown in place of a secret.
const HIDDEN = "••••••";

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
    .replace(/\[secret [a-z]+ [\d+-]+ #[0-9a-f]{8}\]/g, HIDDEN)
    .replace(/[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu, "");
}

// Has a text read aloud, in which dots are a word.
export function announceNews(text) {
  write("news", readable(text).replaceAll(HIDDEN, say("hidden")));
}

// What the server says, for people: it begins small, and what models are advised to do is left out.
export function forPeople(text) {
  const said = text.replace(/^hint: [^]*/m, "").trim().replace(/`([^`\n]+)`/g, "“$1”");
  return said.replace(/^[a-z](?=[a-z]*[ ,:])/, (first) => first.toUpperCase());
}

// Shows an element with a text, or hides it where there is none.
export function writeOrHide(id, text) {
  write(id, text || "").hidden = !text;
}
