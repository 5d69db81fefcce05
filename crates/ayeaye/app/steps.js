// The list of steps: what was done, and what was thought before.
"use strict";

import { say, isSaid } from "./words.js";
import { announceNews, byId, forPeople, make } from "./elements.js";

const SPEAKS = ["INFO", "COMPLETE", "ABORT", "NOTE"];

// The act of a step in a few words: a verb, and on what or why.
export function actInWords(action) {
  const verb = isSaid(action.action_type) ? say(action.action_type) : action.action_type;
  const quoted = { TYPE: action.value }[action.action_type];
  const named = {
    AWAKE: action.app,
    HOT_KEY: action.key,
    SCROLL: action.direction,
    NOTE: action.text,
    INFO: action.value,
    COMPLETE: action.return,
    ABORT: action.reason,
    WAIT: action.seconds === undefined ? "" : `${action.seconds} s`,
  }[action.action_type];
  const what = quoted ? `“${quoted}”` : named || "";
  let why = action.explain || "";
  // "Tap the button" says the verb itself, and perhaps all there is to say.
  if (why.toLowerCase().startsWith(`${verb.toLowerCase()} `)) why = why.slice(verb.length + 1);
  // Who is told something in words is not told why.
  if (why === what || (what && SPEAKS.includes(action.action_type))) why = "";
  return { verb, what: [what, why].filter(Boolean).join(" – ") };
}

// Adds a step at the end, with its thought open and those before closed.
export function addStep({ step, action, thought, error, uncertain, gap }) {
  const list = byId("steps");
  const following = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  const { verb, what } = actInWords(action);

  const line = make("span", "act");
  line.append(make("b", "", verb), make("span", "", what && ` ${what}`));
  const row = make("li");
  row.dataset.step = step;
  let head = row;
  if (thought) {
    for (const open of list.querySelectorAll("details[open]")) open.open = false;
    const details = make("details");
    details.open = true;
    head = make("summary");
    details.append(head, make("p", "thought", thought));
    row.append(details);
  }
  head.append(make("span", "number", String(step + 1)), line);
  const wrong = error ? forPeople(error) : uncertain && say("uncertain", uncertain);
  if (wrong) row.append(make("p", error ? "error" : "uncertain", wrong));
  addGap(list, step, gap || "cut");
  list.append(row);

  if (following) list.scrollTop = list.scrollHeight;
  announceNews(say("step", step + 1, `${verb} ${what}`));
}

// Steps that are not told of, as one is that a pause cut short, leave no gap in the numbers without a word.
function addGap(list, next, why) {
  const first = list.lastElementChild ? Number(list.lastElementChild.dataset.step) + 1 : next;
  if (next <= first) return;
  const row = make("li", "gap");
  row.dataset.step = next - 1;
  const numbers = first + 1 === next ? next : `${first + 1}–${next}`;
  row.append(make("span", "number", String(numbers)), make("span", "", say(why)));
  list.append(row);
}
