// What stands around every page: the way to the others, what goes on now, the state of the connection.

import { signOut } from "./actions.js";
import { leave } from "./control.js";
import { icon } from "./icons.js";
import { badge, button, chip, iconButton, said, told } from "./parts.js";
import { phoneName } from "./phones.js";
import { link } from "./routes.js";
import { state as page, update } from "./store.js";
import { taskOf } from "./sessions.js";
import { h } from "./vdom.js";
import { choose, language, languages, named, plain, t } from "./words.js";

const PAGES = [
  ["phones", "phone"],
  ["history", "history"],
  ["policy", "shield"],
  ["settings", "sliders"],
];
const OF_PHONES = new Set(["phones", "phone", "session"]);

export function shell(state, content) {
  const active = OF_PHONES.has(state.route.page) ? "phones" : state.route.page === "compare" ? "history" : state.route.page;
  return [
    h("a", { class: "skip", key: "skip", href: "#main", on: { click: skip } }, t("skip")),
    h(
      "header",
      { class: "side", key: "side" },
      h("div", { class: "brand" }, h("a", { href: link("phones"), "aria-label": "Aye-aye" }, logo()), connection(state)),
      h(
        "nav",
        { class: "pages", "aria-label": t("nav") },
        h(
          "ul",
          null,
          PAGES.map(([name, symbol]) =>
            h(
              "li",
              { key: name },
              h(
                "a",
                { href: link(name), "aria-current": name === active ? "page" : null },
                icon(symbol),
                h("span", null, t(`nav.${name}`)),
                name === "phones" && asks(state),
              ),
            ),
          ),
        ),
      ),
      nowList(state),
      foot(state),
    ),
    h(
      "main",
      { class: "main", key: "main", id: "main", tabindex: "-1" },
      state.link === "lost" &&
        h("div", { class: "banner", role: "alert" }, icon("warning"), told(state.refusal ?? t("link.lost.text"))),
      state.newer &&
        h(
          "div",
          { class: "banner quiet", role: "status" },
          icon("warning"),
          h("span", { class: "grow" }, t("newer")),
          button(t("reload"), { on: { click: () => location.reload() } }),
        ),
      state.me?.read_only && h("p", { class: "banner quiet" }, icon("eye"), t("read-only")),
      content,
    ),
    h("div", { class: "toasts", key: "toasts", role: "status" }, state.toasts.map(toastNote)),
  ];
}

/// How many questions wait, where there is no room for the list of what goes on.
function asks({ sessions }) {
  const count = (sessions ?? []).filter((one) => one.waiting).length;
  if (count === 0) return null;
  return h("span", { class: "asks" }, h("span", { "aria-hidden": "true" }, count), h("span", { class: "said-only" }, t("nav.asking", { n: count })));
}

export const logo = () =>
  h(
    "span",
    { class: "logo" },
    h(
      "svg",
      { viewBox: "0 0 32 32", "aria-hidden": "true", class: "logo-mark" },
      h("circle", { class: "ring", cx: "16", cy: "16", r: "13" }),
      h("circle", { class: "point", cx: "16", cy: "16", r: "5" }),
    ),
    h("span", null, "Aye-aye"),
  );

function connection({ link: how }) {
  const [tone, symbol] = { open: ["live", "dot"], connecting: ["neutral", "hourglass"], lost: ["bad", "warning"] }[how];
  return badge(`${tone} connection`, symbol, t(`link.${how}`));
}

/// What runs, waits or asks, wherever one is.
function nowList({ sessions, route }) {
  const now = (sessions ?? []).filter((one) => one.running || one.waiting || one.queued || one.driven);
  if (now.length === 0) return null;
  return h(
    "nav",
    { class: "now", "aria-labelledby": "now" },
    h("h2", { id: "now" }, t("now")),
    h(
      "ul",
      null,
      now.map((session) =>
        h(
          "li",
          { key: session.session_id },
          h(
            "a",
            {
              href: link("session", session.session_id),
              "aria-current": route.session === session.session_id ? "page" : null,
            },
            said(taskOf(session), "two-lines"),
            h("span", { class: "now-foot" }, chip(session), h("span", { class: "faint one-line" }, phoneName(session))),
          ),
        ),
      ),
    ),
  );
}

function foot({ me, link: way }) {
  return h(
    "div",
    { class: "foot" },
    languageChoice(),
    me &&
      h(
        "div",
        { class: "who" },
        h(
          "span",
          { class: "one-line faint" },
          h("span", { class: "said-only" }, t("signed-in", { name: named("who", me.name) })),
          h("span", { "aria-hidden": "true" }, named("who", me.name)),
        ),
        iconButton(t("sign-out"), {
          symbol: "exit",
          style: "quiet small",
          disabled: way === "lost",
          on: { click: () => leave().then(signOut) },
        }),
      ),
    me?.version && h("p", { class: "faint small version" }, `ayeaye ${me.version}`),
  );
}

export function languageChoice() {
  return h(
    "label",
    { class: "language" },
    icon("globe"),
    h("span", { class: "said-only" }, t("language")),
    h(
      "select",
      {
        value: language(),
        on: {
          change: ({ target }) => {
            choose(target.value, true);
            update((s) => (s.language = target.value));
          },
        },
      },
      languages.map(({ code, name }) => h("option", { key: code, value: code, lang: code }, name)),
    ),
  );
}

function toastNote({ id, text, tone }) {
  return h(
    "p",
    { key: id, class: `toast ${tone}` },
    icon(tone === "good" ? "check" : "dot"),
    told(text),
    iconButton(t("dismiss"), {
      symbol: "cross",
      style: "quiet small",
      on: { click: () => update((s) => (s.toasts = s.toasts.filter((one) => one.id !== id))) },
    }),
  );
}

function skip(event) {
  event.preventDefault();
  document.getElementById("main").focus();
}

/// The title of the browser's tab: a question that waits comes first.
export function title({ sessions, route, open }) {
  const asking = (sessions ?? page.sessions ?? []).filter((one) => one.waiting).length;
  const name =
    route.page === "session"
      ? plain(taskOf(open.get(route.session)?.session))
      : t(`${route.page === "phone" ? "phones" : route.page}`);
  return `${asking ? `(${asking}) ${t("title.question")} · ` : ""}${name ?? t("run")} · Aye-aye`;
}
