// The small pieces that all pages are made of.

import { cost, duration, taken, when } from "./format.js";
import { icon } from "./icons.js";
import { phoneName } from "./phones.js";
import { link } from "./routes.js";
import { isServers, messageOf, standing, taskOf } from "./sessions.js";
import { h } from "./vdom.js";
import { HIDDEN, named, plain, sentence, t } from "./words.js";

const ICONS = {
  running: "dot",
  waiting: "question",
  queued: "hourglass",
  away: "warning",
  hand: "hand",
  good: "check",
  bad: "cross",
  paused: "pause",
  neutral: "stop",
};

/// How a session stands: an icon, a word and a tone.
export function chip(session) {
  const tone = standing(session);
  const words = { running: "STILL_RUNNING", waiting: "INFO_ACTION_NEEDS_REPLY", queued: "QUEUED", away: "AWAY", hand: "DRIVEN" };
  const word = session.unreadable ? "UNREADABLE" : (words[tone] ?? session.stop_reason);
  return h("span", { class: `chip ${tone}` }, icon(ICONS[tone]), named("reason", word));
}

export const badge = (tone, symbol, text) => h("span", { class: `chip ${tone}` }, icon(symbol), text);

/// A button with an icon and its words. `style`: "primary", "danger", "quiet" or nothing.
export function button(words, { symbol, style = "", type = "button", ...rest }) {
  return h("button", { type, class: `button ${style}`, ...rest }, symbol && icon(symbol), h("span", null, words));
}

/// A button of which only the icon is seen.
export const iconButton = (words, { symbol, style = "", ...rest }) =>
  h("button", { type: "button", class: `button square ${style}`, "aria-label": words, title: words, ...rest }, icon(symbol));

/// The heading of a page, which is given the focus when the page is gone to.
export const heading = (text, props = {}) => h("h1", { id: "heading", tabindex: "-1", ...props }, text);

// A picture that nobody has vouched for since then may be another one by now.
const OLD = 10_000;

/// Whether the picture below is how the phone is now.
export function liveBadge({ link: how, screens, devices, now }, id) {
  const { url, error, at } = screens.get(id) ?? {};
  const there = devices?.some((one) => one.device_id === id && one.state === "device");
  return how === "open" && url && !error && now - at < OLD && there
    ? badge("live", "dot", t("screen.live"))
    : badge("neutral", "eye", t("screen.old"));
}

/// What went wrong with the last request for `name`, or that the one under way takes long.
export const trouble = ({ errors, slow }, name) =>
  slow.has(name) ? h("p", { class: "slow", role: "status" }, icon("hourglass"), t("slow")) : failure(errors.get(name));

export const failure = (text) => text && h("p", { class: "failure", role: "alert" }, icon("warning"), told(text));

/// A place with nothing in it: what could be there, and first of all the trouble, where there is some.
export const empty = (symbol, title, text, trouble = null) =>
  h(
    "div",
    { class: "empty" },
    icon(symbol),
    h("p", { class: "strong" }, title),
    trouble && h("p", { class: "hint" }, icon("warning"), told(trouble)),
    text && h("p", null, text),
  );

export const fact = (name, value) => h("div", { class: "fact" }, h("dt", null, name), h("dd", null, value));

/// Text from a phone, a model or a person: in its own direction, whatever the page's is.
export const said = (text, style = "") => h("span", { class: style, dir: "auto" }, shown(text));

/// The same inside an element that has its direction. In place of a secret are dots, which are a word for who hears them.
export const shown = (text) =>
  plain(text)
    ?.split(HIDDEN)
    .flatMap((part, at) => [0 < at && h("span", { role: "img", "aria-label": t("secret") }, HIDDEN), part]);

/// What the server says, in which names of commands and settings stand between backticks.
export const told = (text, style = "") =>
  h(
    "span",
    { class: style, dir: "auto" },
    sentence(text)
      .split(/\x60([^\x60\n]+)\x60/)
      .map((part, at) => (at % 2 ? h("code", null, part) : shown(part))),
  );

/// How a run ended, or what it waits for.
export const message = (session, style) => (isServers(session) ? told : said)(messageOf(session), style);

/// Runs as a list, each a link to its page. `extra` adds what stands before each.
export function runList(sessions, now, extra) {
  return h(
    "ul",
    { class: "runs" },
    sessions.map((session) =>
      h("li", { key: session.session_id, class: extra ? "choosable" : "" }, extra?.(session), runLink(session, now)),
    ),
  );
}

function runLink(session, now) {
  return h(
    "a",
    { class: "run", href: link("session", session.session_id) },
    chip(session),
    h(
      "span",
      { class: "run-task" },
      said(taskOf(session), "one-line"),
      h("span", { class: "one-line faint" }, said(phoneName(session)), messageOf(session) && [!session.unreadable && " · ", message(session)]),
    ),
    h("span", { class: "run-steps" }, session.unreadable ? "–" : t("steps.count", { n: session.step_count })),
    h("span", { class: "run-time" }, duration(taken(session, now))),
    h("span", { class: "run-cost" }, cost(session)),
    h("span", { class: "run-when" }, when(session.started_at, now)),
  );
}
