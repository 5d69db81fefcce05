// Two runs side by side, step beside step, each as it happens.

import { pictureUrl } from "./api.js";
import { cost, duration, taken, when } from "./format.js";
import { actionIcon, icon } from "./icons.js";
import { chip, fact, heading, message, said, shown, told } from "./parts.js";
import { phoneName } from "./phones.js";
import { go, link } from "./routes.js";
import { labelOf, messageOf, ordered, taskOf } from "./sessions.js";
import { h } from "./vdom.js";
import { plain, spoken, t } from "./words.js";
import { glass } from "./view-glass.js";

export function comparePage(state) {
  const { sessions: ids } = state.route;
  const both = ids.map((id) => state.open.get(id));
  const steps = both.map((open) => (open?.steps ? ordered(open) : []));
  const rows = Math.max(...steps.map((of) => of.length));
  return h(
    "div",
    { class: "page", key: `compare ${ids.join(" ")}` },
    heading(t("compare")),
    h(
      "div",
      { class: "pair" },
      both.map((open, side) => summary(state, open, side)),
    ),
    h(
      "ol",
      { class: "pairs" },
      Array.from({ length: rows }, (_, row) =>
        h(
          "li",
          { key: row, class: "pair" },
          steps.map((of, side) => stepCell(ids[side], of[row])),
        ),
      ),
    ),
  );
}

function summary(state, open, side) {
  const ids = state.route.sessions;
  const session = open?.session;
  const options = new Map(
    (state.sessions ?? []).map((one) => [one.session_id, `${when(one.started_at, state.now)} · ${plain(taskOf(one))}`]),
  );
  for (const known of state.open.values())
    if (known.session)
      options.set(known.session.session_id, `${when(known.session.started_at, state.now)} · ${plain(taskOf(known.session))}`);
  const name = t(side === 0 ? "compare.a" : "compare.b");
  return h(
    "section",
    { class: "card", key: side, "aria-label": name },
    h("label", { class: "said-only", for: `side-${side}` }, name),
    h(
      "select",
      {
        id: `side-${side}`,
        value: ids[side],
        on: { change: ({ target }) => go("compare", ...ids.map((id, at) => (at === side ? target.value : id))) },
      },
      [...options].map(([id, words]) => h("option", { key: id, value: id }, words)),
    ),
    session
      ? [
          h("h2", { class: "task-title" }, h("a", { href: link("session", session.session_id) }, said(taskOf(session)))),
          h("div", { class: "row" }, chip(session), messageOf(session) && message(session, "run-message")),
          h(
            "dl",
            { class: "facts" },
            fact(t("run.phone"), phoneName(session)),
            fact(t("run.time"), duration(taken(session, state.now))),
            fact(t("run.steps"), session.step_count),
            fact(t("run.model"), duration(session.model_ms ?? 0)),
            fact(t("run.cost"), cost(session)),
          ),
        ]
      : h("p", { class: "faint" }, t(open?.missing ? "run.gone" : "loading")),
  );
}

function stepCell(id, step) {
  if (!step) return h("div", { class: "cell none", key: `none ${id}` });
  return h(
    "div",
    { class: "cell", key: id },
    step.picture &&
      glass({
        url: pictureUrl(id, step.index),
        alt: t("step.picture", { n: step.index + 1, label: spoken(labelOf(step)) }),
        mark: { point: step.point, end: step.end, key: step.index },
        small: true,
      }),
    h(
      "div",
      { class: "step-body" },
      h(
        "p",
        { class: "step-label" },
        h("span", { class: "step-number" }, step.index + 1),
        actionIcon(step.action_type),
        said(labelOf(step), "strong"),
      ),
      step.thought && h("p", { class: "thought", dir: "auto" }, shown(step.thought)),
      step.error && h("p", { class: "step-error" }, icon("warning"), told(step.error)),
      h(
        "p",
        { class: "faint small" },
        `${t("step.model", { time: duration(step.model_ms ?? 0) })} · ${t("step.other", { time: duration(step.other_ms ?? 0) })}`,
      ),
    ),
  );
}
