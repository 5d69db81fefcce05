// The first page: a task to give, the questions that wait, the phones with their screens, and the newest runs.

import { stop } from "./actions.js";
import { glass } from "./view-glass.js";
import { composeFor, composer } from "./view-compose.js";
import { elapsed, taken } from "./format.js";
import { icon } from "./icons.js";
import { badge, button, empty, heading, iconButton, runList, said, told } from "./parts.js";
import { phoneName } from "./phones.js";
import { questionCard } from "./view-question.js";
import { link } from "./routes.js";
import { held } from "./store.js";
import { asking, taskOf } from "./sessions.js";
import { h } from "./vdom.js";
import { named, spoken, t } from "./words.js";

const RECENT = 8;

export function phonesPage(state) {
  const { devices, sessions, hint } = state;
  const asked = asking(sessions);
  return h(
    "div",
    { class: "page", key: "phones" },
    h(
      "div",
      { class: "page-head" },
      heading(t("phones")),
      devices && h("span", { class: "faint" }, t("phones.some", { n: devices.length })),
    ),
    composer(state),
    0 < asked.length &&
      h(
        "section",
        { class: "asking", "aria-labelledby": "asking" },
        h("h2", { id: "asking" }, t("runs.asking")),
        h(
          "div",
          null,
          asked.map((one) => questionCard(one, state)),
        ),
      ),
    0 < devices?.length && hint && h("p", { class: "small hint" }, icon("warning"), told(hint)),
    devices === null
      ? h("p", { class: "faint" }, t("loading"))
      : devices.length === 0
        ? empty("phone", t("phones.none"), t("phones.none.how"), hint)
        : h(
            "ul",
            { class: "phones", "aria-label": t("phones") },
            inOrder(devices).map((device) => phoneCard(device, state)),
          ),
    h(
      "section",
      { "aria-labelledby": "recent" },
      h(
        "div",
        { class: "page-head" },
        h("h2", { id: "recent" }, t("runs.recent")),
        0 < sessions?.length && h("a", { href: link("history") }, t("runs.all")),
      ),
      sessions?.length
        ? runList(sessions.slice(0, RECENT), state.now)
        : h("p", { class: "faint" }, t(sessions ? "runs.none" : "loading")),
    ),
  );
}

/// Those that can be used come first.
const inOrder = (devices) => [...devices].sort((a, b) => (a.state !== "device") - (b.state !== "device"));

/// How a phone stands, in a badge.
export function phoneBadge(device, session) {
  if (device.state !== "device") return badge("bad", "warning", t("phone.away"));
  if (device.by_hand) return badge("waiting", "hand", t("phone.by-hand"));
  if (session?.waiting) return badge("waiting", "question", t("phone.asking"));
  if (device.busy) return badge("running", "dot", t("phone.working"));
  return badge("good", "check", t("phone.free"));
}

function phoneCard(device, state) {
  const { device_id: id } = device;
  const session =
    state.sessions?.find((one) => one.session_id === device.session_id) ??
    state.sessions?.find((one) => one.device_id === id && one.waiting && !one.elsewhere);
  const name = phoneName(device);
  const live = state.screens.get(id);
  const away = device.state !== "device";
  return h(
    "li",
    { class: "card phone", key: id },
    h(
      "a",
      { class: "phone-screen", href: link("phone", id) },
      h("span", { class: "said-only" }, t("phone.open", { phone: name })),
      glass({
        url: live?.url,
        error: away ? named("state", device.state) : live?.error,
        alt: "",
        screen: device.screen,
        small: true,
      }),
    ),
    h(
      "div",
      { class: "phone-body" },
      h("div", { class: "phone-head" }, h("h2", null, said(device.model || id)), phoneBadge(device, session)),
      h(
        "p",
        { class: "faint small" },
        [
          device.android_version && t("phone.android", { version: device.android_version }),
          named("transport", device.transport),
          id,
        ]
          .filter(Boolean)
          .join(" · "),
      ),
      device.hint && !device.by_hand && h("p", { class: "small hint" }, icon("warning"), told(device.hint)),
      session && (session.running || session.waiting) && current(session, state.now),
      queueList(device, state),
      h(
        "div",
        { class: "row phone-foot" },
        device.session_id &&
          h("a", { class: "button", href: link("session", device.session_id) }, icon("eye"), h("span", null, t("phone.watch"))),
        !away &&
          !state.me?.read_only &&
          button(device.busy ? t("phone.queue-task") : t("phone.new"), {
            symbol: "plus",
            style: device.busy ? "quiet" : "",
            on: { click: () => composeFor(id) },
          }),
      ),
    ),
  );
}

function current(session, now) {
  return h(
    "a",
    { class: "current", href: link("session", session.session_id) },
    said(taskOf(session), "two-lines"),
    h("span", { class: "faint small" }, `${t("steps.count", { n: session.step_count })} · ${elapsed(taken(session, now))}`),
  );
}

/// The tasks that wait for a phone, each of which can be taken back.
export function queueList({ queue }, state) {
  if (!queue?.length) return null;
  return h(
    "div",
    { class: "queue" },
    h("p", { class: "label" }, t("phone.queue")),
    h(
      "ol",
      null,
      queue.map((one) =>
        h(
          "li",
          { key: one.session_id },
          h("a", { class: "one-line", href: link("session", one.session_id) }, said(one.task)),
          !state.me?.read_only &&
            iconButton(`${t("do.stop")}: ${spoken(one.task)}`, {
              symbol: "cross",
              style: "small quiet",
              disabled: held(state, one.session_id),
              on: { click: () => stop(one.session_id) },
            }),
        ),
      ),
    ),
  );
}
