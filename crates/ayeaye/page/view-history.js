// All runs, with search, and the choice of two to lay side by side.

import { search } from "./actions.js";
import { icon } from "./icons.js";
import { button, empty, failure, heading, runList } from "./parts.js";
import { go } from "./routes.js";
import { update } from "./store.js";
import { h } from "./vdom.js";
import { spoken, t } from "./words.js";

// Whoever types is let finish a word before the server is asked.
const PAUSE_IN_TYPING = 200;

let typing = null;

export function historyPage({ history, sessions: newest, now }) {
  const { chosen, query } = history;
  // What is shown was found by other words than those that stand there.
  const searching = history.sessions !== null && history.found !== query && !history.error;
  // What was found is as it was then; the newest runs are told as they are now.
  const live = new Map((newest ?? []).map((one) => [one.session_id, one]));
  const sessions = history.sessions?.map((one) => live.get(one.session_id) ?? one) ?? null;
  return h(
    "div",
    { class: "page", key: "history" },
    h(
      "div",
      { class: "page-head" },
      heading(t("history")),
      h(
        "span",
        { class: "faint", role: "status" },
        searching ? t("history.searching") : sessions && t("history.found", { n: `${sessions.length}${history.more ? "+" : ""}` }),
      ),
    ),
    h(
      "form",
      {
        class: "search",
        role: "search",
        on: {
          submit: (event) => {
            event.preventDefault();
            search(event.currentTarget.elements.q.value);
          },
        },
      },
      icon("search"),
      h("input", {
        type: "search",
        name: "q",
        value: query,
        "aria-label": t("history.search"),
        placeholder: t("history.search"),
        autocomplete: "off",
        on: { input: ask },
      }),
      button(t("history.compare", { n: chosen.length }), {
        symbol: "columns",
        disabled: chosen.length !== 2,
        on: { click: () => go("compare", ...chosen) },
      }),
    ),
    failure(history.error),
    sessions === null
      ? h("p", { class: "faint" }, t("loading"))
      : h(
          "div",
          { class: searching ? "found before" : "found", "aria-busy": searching },
          sessions.length === 0
            ? !history.more && !searching && empty("search", t("history.none"))
            : runList(sessions, now, (session) => choice(session, chosen)),
        ),
    history.more &&
      button(t("more"), {
        symbol: "down",
        style: "quiet",
        disabled: history.busy || searching,
        on: { click: () => search(query, true) },
      }),
  );
}

function ask({ target }) {
  const query = target.value;
  update((s) => (s.history.query = query));
  clearTimeout(typing);
  typing = setTimeout(() => search(query), PAUSE_IN_TYPING);
}

function choice({ session_id: id, task }, chosen) {
  return h(
    "label",
    { class: "choice" },
    h("input", {
      type: "checkbox",
      "aria-label": t("history.choose", { task: spoken(task) }),
      checked: chosen.includes(id),
      on: { change: () => choose(id) },
    }),
  );
}

/// Two at most: a third one takes the place of the first.
function choose(id) {
  update(({ history }) => {
    history.chosen = history.chosen.includes(id) ? history.chosen.filter((one) => one !== id) : [...history.chosen, id].slice(-2);
  });
}
