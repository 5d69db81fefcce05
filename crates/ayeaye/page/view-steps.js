// The steps of a run, the newest first: what was done, why, how long it took and what it cost.

import { pictureUrl } from "./api.js";
import { duration, money, time } from "./format.js";
import { actionIcon, icon } from "./icons.js";
import { once } from "./actions.js";
import { button, said, shown, told } from "./parts.js";
import { earlier, labelOf, ordered } from "./sessions.js";
import { update } from "./store.js";
import { h } from "./vdom.js";
import { named, spoken, t } from "./words.js";

/// `looked` is the index of the step whose picture is shown.
export function stepList(open, looked, busy) {
  const { session } = open;
  const id = session.session_id;
  const steps = ordered(open).reverse();
  const several = 1 < (session.rounds?.length ?? 0);
  const request = new Map((session.rounds ?? []).map((round) => [round.number, round.request]));
  const items = [];
  steps.forEach((step, place) => {
    items.push(stepItem(id, step, step.index === looked, place === 0 && underWay(session, step)));
    // The request stands below its steps: it came before them.
    if (several && steps[place + 1]?.round !== step.round) items.push(roundItem(step.round, request.get(step.round)));
  });
  const name = `earlier ${id}`;
  return h(
    "section",
    { class: "steps", "aria-labelledby": `steps-${id}` },
    h("h2", { id: `steps-${id}` }, t("steps"), " ", h("span", { class: "faint" }, session.step_count)),
    steps.length === 0
      ? h("p", { class: "faint" }, session.running ? t("steps.first") : t("steps.none"))
      : h("ol", { class: "step-list", reversed: true, on: { keydown: walk } }, items),
    0 < open.first &&
      0 < steps.length &&
      button(t("steps.earlier"), {
        symbol: "down",
        style: "quiet",
        disabled: busy.has(name),
        on: { click: () => once(name, () => earlier(id)) },
      }),
  );
}

/// What is said of the newest step while nothing is decided in it.
function underWay({ running, driven, away_until: away }, { over }) {
  if (driven) return !over && "control.sending";
  return running && (away ? "step.away" : "step.deciding");
}

function roundItem(number, request) {
  return h(
    "li",
    { key: `round ${number}`, class: "round" },
    h("span", { class: "small faint" }, t("run.round", { n: number })),
    said(request ?? ""),
  );
}

/// `open`: what is said of it where it is under way.
function stepItem(id, step, looked, open) {
  const number = step.index + 1;
  return h(
    "li",
    { key: step.index, value: number, class: `step ${looked ? "looked" : ""} ${step.error ? "failed" : ""}` },
    h(
      "button",
      {
        type: "button",
        class: "step-open",
        "aria-pressed": looked,
        "aria-label": `${t("step.see", { n: number })}: ${spoken(labelOf(step)) || t(open || "step.cut")}`,
        on: { click: () => look(id, looked ? null : step.index) },
      },
      step.picture
        ? h("img", { class: "thumb", src: pictureUrl(id, step.index), alt: "", loading: "lazy", decoding: "async" })
        : h("span", { class: "thumb none" }, actionIcon(step.action_type)),
    ),
    h(
      "div",
      { class: "step-body" },
      h(
        "p",
        { class: "step-label" },
        h("span", { class: "step-number" }, number),
        actionIcon(step.action_type),
        step.action_type || step.label
          ? said(labelOf(step) || named("action", step.action_type), "strong")
          : h("span", { class: open ? "deciding" : "faint" }, t(open || "step.cut")),
        step.agent !== "app" && h("span", { class: "tag" }, named("agent", step.agent)),
        step.only_asked && h("span", { class: "tag" }, t("step.asked")),
        step.speculative && h("span", { class: "tag" }, t("step.speculative")),
      ),
      (step.said ?? []).map((text) =>
        h("p", { class: "told", dir: "auto" }, h("span", { class: "tag" }, t("step.told")), " ", shown(text)),
      ),
      step.thought && h("p", { class: looked ? "thought" : "thought clamped", dir: "auto" }, shown(step.thought)),
      looked && step.explain && step.explain !== step.thought && h("p", { class: "explain", dir: "auto" }, shown(step.explain)),
      // A title is cut where it would be too long: the whole of it is read here.
      looked && step.label.endsWith("…") && step.about && h("p", { class: "explain", dir: "auto" }, shown(step.about)),
      step.error &&
        h(
          "p",
          { class: "step-error" },
          icon("warning"),
          h("span", { class: "said-only" }, `${t("step.error")}: `),
          told(step.error),
        ),
      step.uncertain &&
        h(
          "p",
          { class: "step-error uncertain" },
          icon("warning"),
          h("span", { class: "said-only" }, `${t("step.uncertain")}: `),
          told(step.uncertain),
        ),
    ),
    times(step),
  );
}

function times({ model_ms: model, other_ms: other, cost_usd, agent, started_at: at }) {
  // What is done by hand asks no model.
  const cost = agent === "client" ? null : cost_usd;
  const whole = (model ?? 0) + (other ?? 0);
  return h(
    "div",
    { class: "step-times" },
    0 < whole &&
      h(
        "span",
        {
          class: "strong",
          title: `${t("step.model", { time: duration(model ?? 0) })}, ${t("step.other", { time: duration(other ?? 0) })}`,
        },
        duration(whole),
      ),
    0 < whole &&
      h("span", {
        class: "bar",
        "aria-hidden": "true",
        vars: { "--share": `${whole ? Math.round(((model ?? 0) / whole) * 100) : 0}%` },
      }),
    h("span", { class: "faint" }, time(at)),
    Number.isFinite(cost) && h("span", { class: "faint" }, money(cost)),
  );
}

export function look(id, index) {
  update((s) => (index === null ? s.looked.delete(id) : s.looked.set(id, index)));
}

/// Arrow keys go through the steps as through a list.
function walk(event) {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!by) return;
  const buttons = [...event.currentTarget.querySelectorAll(".step-open")];
  const next = buttons[buttons.indexOf(document.activeElement) + by];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
