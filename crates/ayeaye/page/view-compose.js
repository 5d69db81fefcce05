// Where a task is written and given to a phone.

import { startTask } from "./actions.js";
import { draft, keep, kept } from "./drafts.js";
import { icon } from "./icons.js";
import { button, trouble } from "./parts.js";
import { phoneName } from "./phones.js";
import { held, state, update } from "./store.js";
import { h } from "./vdom.js";
import { t } from "./words.js";

const STEPS = 20;
const MOST_STEPS = 500;

// Where the phone is kept for which a task is being written.
const PHONE = "phone of the task";

/// `fixed`: the phone, where the page is that of one phone.
export function composer(now, fixed) {
  const { devices, sessions, compose, me } = now;
  const ready = (devices ?? []).filter((one) => one.state === "device");
  const wish = fixed ?? compose.device ?? (draft(PHONE) || null);
  const device = wish ? ready.find((one) => one.device_id === wish) : suggested(ready, sessions);
  const away = wish && !device && devices ? wish : null;
  const place = `task ${fixed ?? ""}`;
  const text = kept(place);
  const off = held(now, "compose") || !device || Boolean(me?.read_only);
  const how = device && standing(device, sessions);
  // Whoever begins to write means the phone that stands there, and has it until the task is given.
  const write = (event) => {
    text.on.input(event);
    if (fixed || compose.chosen) return;
    if (!event.target.value) keepPhone(null, false);
    else if (!wish && device) keepPhone(device.device_id, false);
  };
  return h(
    "form",
    // What is written belongs to who is signed in, which is not known at first.
    { class: "card compose", key: `compose ${me?.name}`, on: { submit: (event) => begin(event, device, place) } },
    h("label", { class: "lead", for: "task" }, t("task.lead")),
    h("textarea", {
      id: "task",
      name: "task",
      rows: "2",
      maxlength: "16000",
      placeholder: t("task.placeholder"),
      required: true,
      disabled: !me || me.read_only,
      ...text,
      on: { input: write, keydown: sendByKey },
    }),
    trouble(now, "compose"),
    h(
      "div",
      { class: "row compose-foot" },
      !fixed &&
        (0 < ready.length || away) &&
        h(
          "label",
          { class: "inline" },
          icon("phone"),
          h("span", { class: "said-only" }, t("task.phone")),
          h(
            "select",
            {
              name: "device",
              value: wish ?? device?.device_id ?? "",
              on: { change: ({ target }) => keepPhone(target.value, true) },
            },
            !wish && !device && h("option", { key: "", value: "" }, t("task.choose")),
            away && h("option", { key: away, value: away }, `${nameOf(away, now)} · ${t("phone.away")}`),
            ready.map((one) =>
              h("option", { key: one.device_id, value: one.device_id }, `${phoneName(one)} · ${t(standing(one, sessions))}`),
            ),
          ),
        ),
      h(
        "details",
        { class: "options" },
        h("summary", null, icon("sliders"), h("span", null, t("task.options"))),
        h(
          "div",
          { class: "row" },
          h(
            "label",
            { class: "inline" },
            t("task.max"),
            h("input", {
              type: "number",
              name: "max_steps",
              min: "1",
              max: String(MOST_STEPS),
              defaultValue: String(STEPS),
              required: true,
            }),
          ),
          h("label", { class: "tick" }, h("input", { type: "checkbox", name: "planner" }), t("task.planner")),
        ),
      ),
      h(
        "span",
        { class: away ? "hint grow" : "faint grow", role: "status" },
        away ? t("task.away", { phone: nameOf(away, now) }) : whatHappens(ready, how),
      ),
      button(t(device?.busy ? "task.queue" : how === "phone.asking" ? "task.anyway" : "task.start"), {
        type: "submit",
        symbol: device?.busy ? "hourglass" : "play",
        style: "primary",
        disabled: off,
      }),
    ),
  );
}

/// What becomes of a task for a phone that stands like this; nothing is said where it begins at once.
function whatHappens(ready, how) {
  if (ready.length === 0) return t("task.no-phone");
  if (!how) return t("task.all-ask");
  const name = { "phone.by-hand": "task.by-hand", "phone.working": "task.busy", "phone.asking": "task.asking" }[how];
  return name ? t(name) : "";
}

/// The phone that stands there until one is chosen: a free one. One on which a question waits is not that, unless it is
/// the only one, because a new task takes it to other screens.
function suggested(ready, sessions) {
  const is = (how) => ready.find((one) => standing(one, sessions) === how);
  return is("phone.free") ?? is("phone.working") ?? is("phone.by-hand") ?? (ready.length === 1 ? ready[0] : null);
}

/// What a phone is called that may have left the list.
const nameOf = (id, { devices, sessions }) =>
  phoneName([...(devices ?? []), ...(sessions ?? [])].find((one) => one.device_id === id) ?? { device_id: id });

function keepPhone(id, chosen) {
  keep(PHONE, id);
  update((s) => Object.assign(s.compose, { device: id, chosen }));
}

/// How a phone stands to which a task may be given.
function standing({ device_id: id, busy, by_hand }, sessions) {
  if (by_hand) return "phone.by-hand";
  if (busy) return "phone.working";
  return sessions?.some((one) => one.device_id === id && one.waiting && !one.elsewhere) ? "phone.asking" : "phone.free";
}

/// Puts the cursor where a task for this phone is written.
export function composeFor(id) {
  keepPhone(id, true);
  document.getElementById("task")?.focus();
}

function sendByKey(event) {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  const { form, value } = event.currentTarget;
  if (value.trim()) form.requestSubmit();
  else missing();
}

/// Said aloud too: an error is an alert.
const missing = () => update((s) => s.errors.set("compose", t("task.missing")));

async function begin(event, device, place) {
  event.preventDefault();
  const form = event.currentTarget;
  const { task, max_steps: steps, planner } = form.elements;
  if (!device || state.busy.has("compose")) return;
  if (!task.value.trim()) {
    missing();
    return;
  }
  const wanted = { device_id: device.device_id, task: task.value.trim(), max_steps: Number(steps.value) };
  if (planner.checked) wanted.planner = true;
  if (device.busy) wanted.queue = true;
  if (!(await startTask(wanted))) return;
  keep(place, "");
  form.reset();
  // The next task is given to whichever phone is free then, unless one was chosen.
  if (!state.compose.chosen) keepPhone(null, false);
}
