// What happens is said to screen readers, in two regions that stand in the page from the beginning.

import { spoken } from "./words.js";

const REST = 1500;
// Once it has been spoken a text must not be found again by whoever reads through the page.
const STAYS = 8000;
const last = { polite: 0, assertive: 0 };
const waiting = { polite: null, assertive: null };
const clearing = { polite: null, assertive: null };

/// Says `text`. Of several within a moment only the newest is said: what is over needs no telling.
export function announce(text, urgent = false) {
  const manner = urgent ? "assertive" : "polite";
  clearTimeout(waiting[manner]);
  const due = Math.max(0, last[manner] + REST - Date.now());
  waiting[manner] = setTimeout(() => {
    last[manner] = Date.now();
    const region = document.getElementById(`said-${manner}`);
    if (region) region.textContent = spoken(text);
    clearTimeout(clearing[manner]);
    clearing[manner] = setTimeout(() => clear(manner), STAYS);
  }, due);
}

/// What was said of another page is over.
export function hush() {
  for (const manner of Object.keys(last)) {
    clearTimeout(waiting[manner]);
    clear(manner);
  }
}

function clear(manner) {
  const region = document.getElementById(`said-${manner}`);
  if (region) region.textContent = "";
}
