// A question of the agent, with its choices or a box for the answer.

import { stop } from "./actions.js";
import { proceed, take } from "./control.js";
import { keep, kept } from "./drafts.js";
import { icon } from "./icons.js";
import { button, said, shown, trouble } from "./parts.js";
import { phoneName } from "./phones.js";
import { link } from "./routes.js";
import { ordered, questionOf } from "./sessions.js";
import { held } from "./store.js";
import { h } from "./vdom.js";
import { t } from "./words.js";

// What confirms, and what says that a person has acted, in the words that the agent takes for it.
const YES = "yes";
const NO = "no";
const DONE = "done";
// As long as browsers themselves wait where they ask for leave: a press before was meant for what stood there.
const SETTLES_MS = 500;
const LAUNCHER = /launcher|\.home$/i;

/// Each question has a card of its own: what was typed for one, such as a password, is not in the box of the next.
/// `inRun`: on the page of its run, where the phone and the task stand beside it anyway.
export function questionCard(session, state, inRun) {
  const { me } = state;
  const { session_id: id } = session;
  const question = questionOf(session);
  if (!question) return null;
  const off = held(state, id) || Boolean(me?.read_only);
  const app = appOf(question, state.open.get(id));
  const title = { confirm: "question.confirm", takeover: "question.takeover" }[question.kind] ?? "question";
  return h(
    "section",
    { class: inRun ? "card ask" : "card ask other", key: `question ${id} ${question.step}`, "aria-labelledby": `question-${id}` },
    h(
      "div",
      { class: "ask-head" },
      icon(question.kind === "takeover" ? "hand" : question.kind === "confirm" ? "shield" : "question"),
      h("h2", { id: `question-${id}` }, inRun ? t(title) : t("question.asks", { phone: phoneName(session) })),
      app && h("span", { class: "faint one-line" }, t("question.app", { app })),
    ),
    !inRun && h("p", { class: "faint one-line" }, said(session.task)),
    h("p", { class: "ask-text", dir: "auto" }, shown(question.text)),
    question.kind && choices(session, question, off, state.control?.device === session.device_id),
    question.kind && answerBox(session, question, off),
    // On its own page the run has that among its controls.
    !inRun &&
      !me?.read_only &&
      h(
        "div",
        { class: "row" },
        button(t("do.give-up"), { style: "quiet", symbol: "cross", disabled: off, on: { click: () => stop(id) } }),
      ),
    !inRun && trouble(state, id),
    h(
      "p",
      { class: "small faint" },
      t("question.notice"),
      " ",
      !inRun && h("a", { href: link("session", id) }, t("question.open")),
    ),
  );
}

/// The app in which something is asked, as people call it; nothing where the question names it itself.
function appOf({ app: package_, step: asked, text }, open) {
  const asking = open && ordered(open).findLast((step) => step.app && step.index <= asked && step.agent !== "client");
  const name = asking?.app ?? package_;
  // A home screen is no app to anybody.
  if (LAUNCHER.test(name)) return null;
  return name && ![name, package_].some((one) => one && text.includes(one)) && name;
}

/// `driven`: the phone is in the hand of whoever looks.
function choices(session, question, off, driven) {
  const reply = (words, text, style = "", symbol) =>
    button(text, {
      key: `choice ${words}`,
      style,
      symbol,
      disabled: off,
      on: { click: () => answer(session, question, words) },
    });
  let offered = (question.options ?? []).map((option) => reply(option, said(option)));
  if (offered.length === 0 && question.kind === "confirm")
    offered = [reply(YES, t("question.yes"), "primary", "check"), reply(NO, t("question.no"), "", "cross")];
  if (question.kind === "takeover") {
    const drive = !driven && button(t("do.take"), { symbol: "hand", disabled: off, on: { click: () => driveThere(session) } });
    offered = [drive, ...(offered.length === 0 ? [reply(DONE, t("question.done"), "primary", "check")] : offered)];
  }
  return 0 < offered.length && h("div", { class: "row choices" }, offered);
}

/// What the agent is told when a person has done what it asked them to do on the phone; null where there is more to say.
export const doneWith = (question) =>
  question?.kind === "takeover" && !question.options?.length ? { reply: DONE, question_step: question.step } : null;

function driveThere(session) {
  location.hash = link("session", session.session_id);
  take({ session, device: session.device_id });
}

function answerBox(session, question, off) {
  const { session_id: id } = session;
  const secret = Boolean(question.asks_for_secret);
  const chosen = 0 < (question.options?.length ?? 0) || question.kind !== "info";
  const field = `answer-${id}`;
  return h(
    "form",
    { class: "answer", on: { submit: (event) => sendAnswer(event, session, question) } },
    h("label", { class: chosen ? "label" : "said-only", for: field }, chosen ? t("question.own") : t("question.answer")),
    h(
      "div",
      { class: "joined" },
      h("input", {
        id: field,
        name: "reply",
        type: secret ? "password" : "text",
        autocomplete: "off",
        maxlength: "16000",
        required: true,
        disabled: off,
        placeholder: secret ? t("question.secret") : t("question.answer"),
        ...(secret ? {} : kept(place(id, question))),
      }),
      button(t("question.send"), { type: "submit", symbol: "send", style: chosen ? "" : "primary", disabled: off }),
    ),
  );
}

const place = (id, { step }) => `answer ${id} ${step}`;

async function answer({ session_id: id }, question, reply) {
  const done = await proceed(id, { reply, secret: Boolean(question.asks_for_secret), question_step: question.step });
  if (done) keep(place(id, question), "");
  return done;
}

/// After the page was drawn: a question that has come up, or moved to another place, takes no press for a moment.
export function settle() {
  for (const card of document.querySelectorAll(".ask")) {
    const now = `${card.offsetLeft} ${card.offsetTop} ${card.offsetHeight}`;
    if (card.place !== now) card.animate({ pointerEvents: ["none", "none"] }, SETTLES_MS);
    card.place = now;
  }
}

async function sendAnswer(event, session, question) {
  event.preventDefault();
  const form = event.currentTarget;
  if (await answer(session, question, form.elements.reply.value)) form.reset();
}
