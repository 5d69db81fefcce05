// The agent's question, and the ways to answer it.
"use strict";

import { say } from "./words.js";
import { announceNews, byId, make, write, writeOrHide } from "./elements.js";

let shown = "";

// Shows a question, or none. `answer` is called with the reply.
export function showQuestion(question, answer) {
  const now = question ? JSON.stringify(question) : "";
  if (now === shown) return;
  shown = now;
  const panel = byId("question");
  panel.hidden = !question;
  if (!question) return;

  // With a call's result it comes without ways to answer it here.
  const { by, options, done } = question.answer || asTold(question);
  write("asks", say("question"));
  write("question-text", question.text);
  const byHand = by === "hand" && (question.asks_for_secret ? say("secret") : say("byHand"));
  writeOrHide("by-hand", byHand);
  write("notice", say("notice"));

  const choices = byId("choices");
  choices.replaceChildren();
  const offer = (label, reply) => {
    const button = make("button", "choice", label);
    button.addEventListener("click", () => answer(reply));
    choices.append(button);
  };
  if (done) offer(say("done"), done);
  if (by === "choice") options.forEach((option) => offer(labelOf(option), option));
  if (by === "told") {
    const list = make("ul");
    list.append(...options.map((option) => make("li", "", labelOf(option))));
    choices.append(list);
  }
  choices.hidden = !choices.textContent;

  // A choice is not all that can be said. What is secret is not said in a chat.
  byId("reply").hidden = !question.answer || by === "hand" || Boolean(question.asks_for_secret);
  const box = byId("reply-text");
  box.value = "";
  box.placeholder = say(by === "choice" ? "own" : "answer");
  box.setAttribute("aria-label", box.placeholder);
  const send = () => box.value.trim() && answer(box.value.trim());
  const button = write("send", say("send"));
  button.className = by === "choice" ? "" : "main";
  button.onclick = send;
  box.onkeydown = (event) => {
    // 229 is a key of an input method: Safari tells of it when the text is already complete.
    const composes = event.isComposing || event.keyCode === 229;
    if (event.key === "Enter" && !event.shiftKey && !composes) {
      event.preventDefault();
      send();
    }
  };
  announceNews(`${say("question")}: ${question.text}`);
}

// While a reply is under way nobody can send another.
export function holdAnswers(held) {
  for (const control of byId("question").querySelectorAll("button, textarea")) control.disabled = held;
}

// Whether it is answered on the phone, or told with its options.
function asTold({ kind, options, asks_for_secret: secret }) {
  const byHand = kind === "takeover" || (kind === "info" && secret && !options.length);
  return { by: byHand ? "hand" : "told", options };
}

// The server's own words for yes and no are said in the page's language.
function labelOf(option) {
  return option === "yes" || option === "no" ? say(option) : option;
}
