// One phone: its screen, large, which a person can drive; a task for it, who waits for it, and its runs.

import { take } from "./control.js";
import { glass } from "./view-glass.js";
import { composer } from "./view-compose.js";
import { controlPanel, drivenBadge, leaveCard } from "./view-control.js";
import { icon } from "./icons.js";
import { badge, button, fact, heading, liveBadge, runList, said, told, trouble } from "./parts.js";
import { phoneName } from "./phones.js";
import { questionCard } from "./view-question.js";
import { phoneBadge, queueList } from "./view-phones.js";
import { link } from "./routes.js";
import { asking } from "./sessions.js";
import { held } from "./store.js";
import { h } from "./vdom.js";
import { named, t } from "./words.js";

export function phonePage(state) {
  const id = state.route.device;
  if (!state.devices) return h("div", { class: "page" }, heading(id), h("p", { class: "faint" }, t("loading")));
  // One that is away for a moment keeps its page, with what is being written there.
  const device = state.devices.find((one) => one.device_id === id) ?? {
    device_id: id,
    state: "offline",
    hint: state.hint,
  };
  const session = state.sessions?.find((one) => one.session_id === device.session_id);
  const control = state.control?.place === id ? state.control : null;
  const live = state.screens.get(id);
  const mine = (state.sessions ?? []).filter((one) => one.device_id === id && !one.elsewhere);
  const asked = asking(state.sessions).filter((one) => mine.includes(one));
  const name = phoneName({ device_id: id, model: device.model || mine[0]?.device_model });
  return h(
    "div",
    { class: "page run-page", key: `phone ${id}` },
    h(
      "div",
      { class: "run-head" },
      heading(said(name)),
      h(
        "div",
        { class: "row" },
        control ? badge("waiting", "hand", t("phone.yours")) : phoneBadge(device, session ?? asked[0]),
        device.hint && !device.by_hand && h("span", { class: "hint" }, told(device.hint)),
      ),
      h(
        "dl",
        { class: "facts" },
        fact(t("phone.id"), id),
        fact(t("phone.transport"), named("transport", device.transport) ?? "–"),
        fact("Android", device.android_version || "–"),
        fact(t("phone.size"), device.screen ? `${device.screen.width} × ${device.screen.height}` : "–"),
      ),
      !control &&
        device.state === "device" &&
        h(
          "div",
          { class: "row actions" },
          session
            ? h(
                "a",
                { class: "button", href: link("session", session.session_id) },
                icon("eye"),
                h("span", null, t("phone.watch")),
              )
            : null,
          (!device.busy || device.by_hand) &&
            !state.me?.read_only &&
            button(t("do.take"), {
              symbol: "hand",
              disabled: held(state, id),
              on: { click: () => take({ device: id }) },
            }),
        ),
    ),
    h(
      "div",
      { class: "run-ask" },
      !control && trouble(state, id),
      asked.map((one) => questionCard(one, state)),
    ),
    h(
      "div",
      { class: "run-screen" },
      h("div", { class: "screen-bar" }, control && state.link !== "lost" ? drivenBadge(control) : liveBadge(state, id)),
      h(
        "div",
        { class: "glass-place" },
        glass({
          url: live?.url,
          error: device.state === "device" ? live?.error : named("state", device.state),
          alt: t("phone.screen", { phone: name }),
          control,
          screen: device.screen,
          label: t("control.area", { phone: name }),
        }),
        control?.leave && leaveCard(control.leave),
      ),
      control && controlPanel(state, null),
    ),
    h(
      "div",
      { class: "run-body" },
      composer(state, id),
      queueList(device, state),
      h(
        "section",
        { "aria-labelledby": "phone-runs" },
        h("h2", { id: "phone-runs" }, t("phone.runs")),
        mine.length ? runList(mine.slice(0, 20), state.now) : h("p", { class: "faint" }, t("runs.none")),
      ),
    ),
  );
}
