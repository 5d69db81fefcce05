// Pages that are only read: the rules of what may be done without asking, and the settings.

import { badge, failure, heading, told } from "./parts.js";
import { icon } from "./icons.js";
import { update } from "./store.js";
import { h } from "./vdom.js";
import { t } from "./words.js";

// How the server words what is done about a kind of act, with the tone and icon for it here.
const TREATMENTS = [
  ["refused", "bad", "cross"],
  ["asked", "waiting", "question"],
  ["asked, unless your words ask for it", "calm", "shield"],
  ["allowed", "good", "check"],
];

export function policyPage({ policy, errors }) {
  return h(
    "div",
    { class: "page reading", key: "policy" },
    h("div", { class: "page-head" }, heading(t("policy")), policy?.profile && badge("neutral", "shield", policy.profile)),
    h("p", { class: "faint" }, t("policy.lead")),
    failure(errors.get("policy")),
    policy
      ? [
          h(
            "div",
            { class: "treatments" },
            TREATMENTS.map(([words, tone, symbol]) => treatment(words, tone, symbol, policy.rules)),
          ),
          h("h2", null, t("policy.text")),
          h("pre", { class: "card", tabindex: "0", "aria-label": t("policy.text") }, policy.text),
        ]
      : h("p", { class: "faint" }, t("loading")),
  );
}

/// The kinds of acts that are treated alike.
function treatment(words, tone, symbol, rules) {
  const classes = rules.filter((rule) => rule.treatment === words);
  return (
    0 < classes.length &&
    h(
      "section",
      { class: "card", key: words, "aria-labelledby": `treatment-${tone}` },
      h("h2", { id: `treatment-${tone}`, class: `treatment ${tone}` }, icon(symbol), t(`treatment.${words}`)),
      h(
        "ul",
        null,
        classes.map((rule) => h("li", { key: rule.class }, className(rule))),
      ),
    )
  );
}

/// Parts of the system are refused unless a task names them, which is told where they are refused.
const className = ({ class: name, treatment: how }) =>
  t(name === "system-parts" && how === "refused" ? "class.system-parts.refused" : `class.${name}`);

export function settingsPage({ settings, errors, me }) {
  const wanted = settings.filter.trim().toLowerCase();
  const shown = (settings.list ?? []).filter(({ key, about, value }) =>
    `${key} ${about ?? ""} ${value ?? ""}`.toLowerCase().includes(wanted),
  );
  return h(
    "div",
    { class: "page reading", key: "settings" },
    heading(t("settings")),
    h("p", { class: "faint" }, t("settings.lead")),
    me?.model &&
      h(
        "dl",
        { class: "facts" },
        h("div", { class: "fact wide" }, h("dt", null, t("settings.model")), h("dd", null, told(me.model))),
      ),
    failure(errors.get("settings")),
    h(
      "div",
      { class: "search" },
      icon("search"),
      h("input", {
        type: "search",
        "aria-label": t("settings.filter"),
        placeholder: t("settings.filter"),
        value: settings.filter,
        on: { input: ({ target }) => update((s) => (s.settings.filter = target.value)) },
      }),
    ),
    settings.list === null
      ? h("p", { class: "faint" }, t("loading"))
      : shown.length === 0
        ? h("p", { class: "faint" }, t("settings.none"))
        : h(
            "table",
            { class: "card settings" },
            h(
              "thead",
              null,
              h(
                "tr",
                null,
                ["settings.key", "settings.value", "settings.origin"].map((key) => h("th", { key, scope: "col" }, t(key))),
              ),
            ),
            h("tbody", null, shown.map(row)),
          ),
  );
}

function row({ key, value, origin, about }) {
  return h(
    "tr",
    { key },
    h("th", { scope: "row" }, h("code", null, key), about && h("p", { class: "faint small" }, told(about))),
    h(
      "td",
      null,
      value === null || value === undefined ? "–" : h("code", null, typeof value === "string" ? value : JSON.stringify(value)),
    ),
    h("td", { class: "faint" }, origin),
  );
}
