// What stands below the picture while a person drives the phone: its keys, a text to type, an app to open, and
// the question for leave.

import { act, answerLeave, handBack, leave } from "./control.js";
import { keep, kept } from "./drafts.js";
import { badge, button, iconButton, shown, told, trouble } from "./parts.js";
import { icon } from "./icons.js";
import { held } from "./store.js";
import { h } from "./vdom.js";
import { named, t } from "./words.js";

const FIRST = [
  ["BACK", "back"],
  ["HOME", "home"],
  ["RECENTS", "recents"],
];
const OTHERS = ["ENTER", "DELETE", "TAB", "MENU", "POWER", "VOLUME_UP", "VOLUME_DOWN"];

/// `back`: what the agent is told when the phone is handed back to it; null where it has nothing to go on with.
export function controlPanel(state, back) {
  const { control, errors } = state;
  const off = !control.ready || state.link === "lost";
  // What is being written stays open while the phone is away for a moment.
  // It may be taken over in another tab in the middle of a word.
  const place = `type ${control.device}`;
  const text = kept(place);
  const away = off || !state.devices?.some((one) => one.device_id === control.device && one.state === "device");
  return h(
    "section",
    { class: "control", "aria-label": t("control.on") },
    h(
      "div",
      { class: "keys", role: "group", "aria-label": t("control.keys") },
      FIRST.map(([key, symbol]) =>
        iconButton(named("key", key), { symbol, disabled: away, on: { click: () => act({ action: "key", key }) } }),
      ),
    ),
    h(
      "div",
      { class: "give" },
      back
        ? [
            button(t("do.give"), {
              symbol: "play",
              style: "primary",
              disabled: held(state, control.place),
              on: { click: () => handBack(back) },
            }),
            button(t("do.leave"), { style: "quiet", on: { click: leave } }),
          ]
        : button(t("do.leave"), { symbol: "check", style: "primary", on: { click: leave } }),
    ),
    h("p", { class: "note", role: "status" }, note(control)),
    // What the last act was told already is not said twice.
    errors.get(control.place) !== control.note?.text && trouble(state, control.place),
    h(
      "form",
      { class: "typing", on: { submit: (event) => sendText(event, place) } },
      h("label", { class: "label", for: "control-text" }, t("control.text")),
      h(
        "div",
        { class: "joined" },
        h("input", {
          id: "control-text",
          name: "text",
          autocomplete: "off",
          spellcheck: "false",
          maxlength: "4000",
          disabled: off,
          required: true,
          ...text,
          on: { input: (event) => event.target.form.elements.secret.checked || text.on.input(event) },
        }),
        button(t("control.type"), { type: "submit", symbol: "keyboard", disabled: away }),
      ),
      h(
        "div",
        { class: "ticks" },
        tick("clear", t("control.clear")),
        tick("submit", t("control.submit")),
        tick("secret", t("control.secret"), (event) => hide(event, place)),
      ),
    ),
    h(
      "details",
      null,
      h("summary", null, t("control.more")),
      h(
        "div",
        { class: "keys many" },
        OTHERS.map((key) =>
          button(named("key", key), {
            style: "quiet",
            disabled: away,
            on: { click: () => act({ action: "key", key }) },
          }),
        ),
      ),
      h(
        "form",
        { on: { submit: (event) => openApp(event, control) } },
        h("label", { class: "label", for: "control-app" }, t("control.app")),
        h(
          "div",
          { class: "joined" },
          h("input", {
            id: "control-app",
            name: "app",
            autocomplete: "off",
            maxlength: "200",
            disabled: off,
            required: true,
            ...kept(`app ${control.device}`),
          }),
          button(t("control.launch"), { type: "submit", symbol: "open", disabled: away }),
        ),
      ),
      h("p", { id: "control-help", class: "help" }, t("control.help")),
    ),
  );
}

export const drivenBadge = (control) => badge("waiting", "hand", control.ready ? t("control.on") : t("do.pausing"));

function note({ note: made }) {
  if (!made) return null;
  const symbol = { done: "check", not_done: "cross", doubtful: "warning" }[made.tone] ?? "dot";
  return h("span", { class: `outcome ${made.tone}` }, icon(symbol), told(made.text));
}

function tick(name, words, changed) {
  return h("label", { class: "tick" }, h("input", { type: "checkbox", name, on: changed ? { change: changed } : {} }), words);
}

/// A secret is not shown while it is typed, nor kept.
function hide({ target }, place) {
  const { text } = target.form.elements;
  text.type = target.checked ? "password" : "text";
  keep(place, target.checked ? "" : text.value);
}

function sendText(event, place) {
  event.preventDefault();
  const form = event.currentTarget;
  const { text, clear, submit, secret } = form.elements;
  act({ action: "type", text: text.value, clear: clear.checked, submit: submit.checked, secret: secret.checked });
  form.reset();
  keep(place, "");
  text.type = "text";
  text.focus();
}

function openApp(event, control) {
  event.preventDefault();
  const form = event.currentTarget;
  act({ action: "launch", app: form.elements.app.value });
  form.reset();
  keep(`app ${control.device}`, "");
}

/// Stands over the picture, which takes no gestures until it is answered.
export function leaveCard({ question, why }) {
  return h(
    "div",
    {
      class: "card ask",
      role: "alertdialog",
      "aria-labelledby": "leave-title",
      "aria-describedby": "leave-text",
      on: { keydown: (event) => event.key === "Escape" && answerLeave(false) },
    },
    h("h2", { id: "leave-title" }, icon("shield"), t("leave")),
    h("p", { id: "leave-text", dir: "auto" }, shown(question || why)),
    h(
      "div",
      { class: "row" },
      button(t("leave.no"), { style: "", on: { click: () => answerLeave(false) }, mounted: (dom) => dom.focus() }),
      button(t("leave.yes"), { style: "primary", on: { click: () => answerLeave(true) } }),
    ),
  );
}
