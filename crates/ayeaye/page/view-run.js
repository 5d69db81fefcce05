// One run: the phone, the question, what the person can do, and the steps.

import { downloadUrl, pictureUrl } from "./api.js";
import { goOn, pause, stop } from "./actions.js";
import { drive, proceed, take } from "./control.js";
import { draft, keep, kept } from "./drafts.js";
import { cost, duration, taken, when } from "./format.js";
import { glass } from "./view-glass.js";
import { controlPanel, drivenBadge, leaveCard } from "./view-control.js";
import { doneWith, questionCard } from "./view-question.js";
import { look, stepList } from "./view-steps.js";
import { badge, button, chip, empty, fact, heading, iconButton, liveBadge, message, said, trouble } from "./parts.js";
import { phoneName } from "./phones.js";
import { icon } from "./icons.js";
import { link } from "./routes.js";
import { labelOf, messageOf, ordered, taskOf } from "./sessions.js";
import { held } from "./store.js";
import { h } from "./vdom.js";
import { spoken, t } from "./words.js";

// From here on a task is more of a text than a title.
const LONG = 90;

export function runPage(state) {
  const id = state.route.session;
  const open = asDriven(state, state.open.get(id));
  if (!open) return h("div", { class: "page" }, heading(t("run")), h("p", { class: "faint" }, t("loading")));
  if (open.missing) return h("div", { class: "page" }, heading(t("run")), empty("question", t("run.gone"), t("run.gone.why")));
  const { session } = open;
  return h(
    "div",
    { class: "page run-page", key: id },
    h(
      "div",
      { class: "run-head" },
      heading(said(taskOf(session)), { class: LONG < session.task.length ? "task-title long" : "task-title" }),
      h("div", { class: "row" }, standsSo(state, session)),
      facts(session, state.now),
      actions(state, session),
      state.control?.place !== id && trouble(state, id),
    ),
    h("div", { class: "run-ask" }, questionCard(session, state, true)),
    h("div", { class: "run-screen" }, screenPane(state, open)),
    h("div", { class: "run-body" }, words(state, session), stepList(open, state.looked.get(id), state.busy)),
  );
}

/// What runs while somebody drives here is their own act: the run stands still, also before the server says so.
function asDriven({ control }, open) {
  if (!open?.session || control?.place !== open.session.session_id || !control.ready) return open;
  return { ...open, session: { ...open.session, driven: true, running: false } };
}

/// While the phone is being taken over, its run is not paused yet.
function standsSo({ control }, session) {
  if (control?.place === session.session_id && !control.ready) return drivenBadge(control);
  return [chip(session), messageOf(session) && !session.question && message(session, "run-message")];
}

function facts(session, now) {
  const { model_ms: model = 0, other_ms: other = 0 } = session;
  const share = model + other ? Math.round((model / (model + other)) * 100) : 0;
  return h(
    "dl",
    { class: "facts" },
    fact(
      t("run.phone"),
      session.elsewhere ? phoneName(session) : h("a", { href: link("phone", session.device_id) }, phoneName(session)),
    ),
    fact(t("run.started"), when(session.started_at, now)),
    fact(t("run.time"), duration(taken(session, now))),
    fact(t("run.steps"), session.step_count),
    fact(t("run.model"), model ? [duration(model), h("span", { class: "faint" }, t("run.share", { share }))] : "–"),
    fact(t("run.cost"), cost(session)),
  );
}

/// The phone as it is now, or as it was at the step that is looked at.
function screenPane(state, open) {
  const { session } = open;
  const id = session.session_id;
  // A phone of another process is not the one that goes by its name here: there are only the pictures of its steps.
  const device = session.elsewhere ? null : state.devices?.find((one) => one.device_id === session.device_id);
  const control = state.control?.place === id ? state.control : null;
  const steps = ordered(open);
  const step =
    open.steps.get(state.looked.get(id)) ??
    ((session.elsewhere || !session.running) && !control && !device ? steps.findLast((one) => one.picture) : null);
  const live = session.elsewhere ? null : state.screens.get(session.device_id);
  const shown = step
    ? {
        url: step.picture ? pictureUrl(id, step.index) : null,
        alt: t("step.picture", { n: step.index + 1, label: spoken(labelOf(step)) }),
        mark: { point: step.point, end: step.end, key: step.index },
      }
    : {
        url: live?.url,
        error: live?.error,
        alt: t("phone.screen", { phone: phoneName(session) }),
        control,
        label: t("control.area", { phone: phoneName(session) }),
        moment: session.running && !control && justDone(id, steps),
      };
  return [
    h(
      "div",
      { class: "screen-bar" },
      step
        ? [
            h("span", { class: "strong" }, t("screen.at", { n: step.index + 1 })),
            stepThrough(id, steps, step),
            device && button(t("screen.back"), { style: "quiet small", symbol: "eye", on: { click: () => look(id, null) } }),
          ]
        : control && state.link !== "lost"
          ? drivenBadge(control)
          : !session.elsewhere && [
              liveBadge(state, session.device_id),
              device?.by_hand && badge("waiting", "hand", t("phone.by-hand")),
            ],
    ),
    session.elsewhere && h("p", { class: "faint small" }, t("screen.elsewhere")),
    h("div", { class: "glass-place" }, glass({ ...shown, screen: device?.screen }), control?.leave && leaveCard(control.leave)),
    // The server may not have told yet what can be done now.
    control && controlPanel(state, session.can?.resume || session.can?.pause ? {} : doneWith(session.question)),
  ];
}

/// The act that was done last, on the screen that it was decided on: the live picture is of another moment, before or
/// after it. What was refused, or only asked about, was not done.
function justDone(id, steps) {
  const done = (one) => one.over && one.sent && !one.error && one.point && one.picture;
  const step = steps.slice(-2).findLast(done);
  return step && { url: pictureUrl(id, step.index), point: step.point, end: step.end, key: step.index };
}

function stepThrough(id, steps, step) {
  const at = steps.indexOf(step);
  const to = (place, symbol, words) =>
    iconButton(words, { symbol, style: "small", disabled: !steps[place], on: { click: () => look(id, steps[place].index) } });
  return h("span", { class: "through" }, to(at - 1, "left", t("screen.before")), to(at + 1, "right", t("screen.after")));
}

function actions(state, session) {
  const id = session.session_id;
  const can = state.me?.read_only ? {} : (session.can ?? {});
  const off = held(state, id);
  const driven = state.control?.place === id;
  // What was done stays as it ended: the phone is driven without it.
  const is = (one) => one.device_id === session.device_id && one.state === "device" && !one.busy;
  const ended = can.new_task && !can.take && !session.elsewhere && state.devices?.some(is);
  const others = (state.sessions ?? []).filter((one) => one.session_id !== id);
  return h(
    "div",
    { class: "row actions", role: "group", "aria-label": t("do.actions") },
    can.pause &&
      session.running &&
      button(t("do.pause"), { key: "pause", symbol: "pause", disabled: off, on: press(() => pause(id)) }),
    can.resume &&
      !driven &&
      button(t("do.resume"), { key: "resume", symbol: "play", disabled: off, on: press(() => goOn(id, {})) }),
    can.stop &&
      (session.running || session.waiting) &&
      button(t(session.waiting ? "do.give-up" : "do.stop"), { key: "stop", symbol: "stop", style: "danger", disabled: off, on: press(() => stop(id)) }),
    !driven &&
      can.take &&
      button(t("do.take"), {
        key: "take",
        symbol: "hand",
        disabled: off,
        on: press(() => take({ session, device: session.device_id })),
      }),
    ended && button(t("do.drive"), { key: "drive", symbol: "hand", on: press(() => drive(session.device_id)) }),
    downloads(id, state.me?.report_only),
    0 < others.length &&
      h(
        "a",
        { class: "button quiet", key: "compare", href: link("compare", id, others[0].session_id) },
        icon("columns"),
        h("span", null, t("do.compare")),
      ),
  );
}

/// What a click does. The second one of a double click was meant for the button that stood there at the first: "Go on"
/// has come to where "Pause" was.
const press = (work) => ({ click: ({ detail }) => detail < 2 && work() });

/// `reportOnly`: this server keeps apps private, so all other downloads are for whoever runs it.
function downloads(id, reportOnly) {
  const one = (what) => h("li", null, h("a", { href: downloadUrl(id, what), download: true }, t(`download.${what}`)));
  return h(
    "details",
    { class: "menu", key: "downloads", on: { keydown: shut, focusout: left } },
    h("summary", { class: "button quiet" }, icon("download"), h("span", null, t("do.download"))),
    h("ul", null, (reportOnly ? ["report"] : ["report", "film", "journal", "ufo", "pycatan", "gelab"]).map(one)),
  );
}

function shut(event) {
  if (event.key !== "Escape") return;
  event.currentTarget.open = false;
  event.currentTarget.firstElementChild.focus();
}

function left(event) {
  if (!event.currentTarget.contains(event.relatedTarget)) event.currentTarget.open = false;
}

/// What the person says to the run: guidance while it runs, a hint where it stopped short, or the next request.
function words(state, session) {
  const can = state.me?.read_only ? {} : (session.can ?? {});
  const ways = [];
  if (can.guide) ways.push(session.running ? "guide" : "on");
  if (can.new_task && !session.running) ways.push("next");
  if (ways.length === 0 || session.question) return null;
  return ways.map((way) => saying(way, ways.length, session, held(state, session.session_id)));
}

const other = { hint: "next", next: "hint" };

/// A hint is one whether the run is at work or has stopped short: it stays, as it is being written, through a pause.
/// `count`: of how many ways this is one. Where it is the only one left, it has what was written for the other.
function saying(way, count, { session_id: id }, off) {
  const kind = way === "next" ? "next" : "hint";
  const field = `say-${kind}`;
  const place = (which) => `${which} ${id}`;
  if (count === 1 && draft(place(other[kind])) && !draft(place(kind))) {
    keep(place(kind), draft(place(other[kind])));
    keep(place(other[kind]), "");
    const shown = document.getElementById(field);
    if (shown) shown.value = draft(place(kind));
  }
  const send = async (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    const text = form.elements.words.value.trim();
    if (!text || !(await proceed(id, way === "next" ? { task: text } : { reply: text }))) return;
    keep(place(kind), "");
    form.reset();
  };
  return h(
    "form",
    { class: "say", key: field, on: { submit: send } },
    h(
      "label",
      { class: "label", for: field },
      h("span", { class: "strong" }, t(`say.${way}`)),
      " ",
      h("span", { class: "faint" }, t(`say.${way}.how`)),
    ),
    h(
      "div",
      { class: "joined" },
      h("input", {
        id: field,
        name: "words",
        autocomplete: "off",
        maxlength: "16000",
        required: true,
        disabled: off,
        ...kept(place(kind)),
      }),
      button(t(way === "next" ? "say.start" : "say.send"), { type: "submit", symbol: "send", disabled: off }),
    ),
  );
}
