// Pages that are only read: the rules of what may be done without asking, and the settings.

import { badge, failure, heading } from "./parts.js";
import { icon } from "./icons.js";
import { update } from "./store.js";
import { h } from "./vdom.js";
import { t } from "./words.js";

export function policyPage({ policy, errors }) {
  return h(
    "div",
    { class: "page reading", key: "policy" },
    h("div", { class: "page-head" }, heading(t("policy")), policy?.profile && badge("neutral", "shield", policy.profile)),
    h("p", { class: "faint" }, t("policy.lead")),
    failure(errors.get("policy")),
    policy ? h("pre", { class: "card", tabindex: "0", "aria-label": t("policy") }, policy.text) : h("p", { class: "faint" }, t("loading")),
  );
}

export function settingsPage({ settings, errors, me }) {
  const wanted = settings.filter.trim().toLowerCase();
  const shown = (settings.list ?? []).filter(({ key, about, value }) => `${key} ${about ?? ""} ${value ?? ""}`.toLowerCase().includes(wanted));
  return h(
    "div",
    { class: "page reading", key: "settings" },
    heading(t("settings")),
    h("p", { class: "faint" }, t("settings.lead")),
    me?.model && h("dl", { class: "facts" }, h("div", { class: "fact wide" }, h("dt", null, t("settings.model")), h("dd", { dir: "auto" }, me.model))),
    failure(errors.get("settings")),
    h("div", { class: "search" }, icon("search"),
      h("input", { type: "search", "aria-label": t("settings.filter"), placeholder: t("settings.filter"), value: settings.filter, on: { input: ({ target }) => update((s) => (s.settings.filter = target.value)) } })),
    settings.list === null
      ? h("p", { class: "faint" }, t("loading"))
      : shown.length === 0
        ? h("p", { class: "faint" }, t("settings.none"))
        : h("table", { class: "card settings" },
            h("thead", null, h("tr", null, ["settings.key", "settings.value", "settings.origin"].map((key) => h("th", { key, scope: "col" }, t(key))))),
            h("tbody", null, shown.map(row))),
  );
}

function row({ key, value, origin, about }) {
  return h("tr", { key },
    h("th", { scope: "row" }, h("code", null, key), about && h("p", { class: "faint small" }, about)),
    h("td", null, h("code", null, typeof value === "string" ? value : JSON.stringify(value ?? null))),
    h("td", { class: "faint" }, origin));
}
