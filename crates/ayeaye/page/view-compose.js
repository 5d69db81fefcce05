// Where a task is written and given to a phone.

import { startTask } from "./actions.js";
import { keep, kept } from "./drafts.js";
import { icon } from "./icons.js";
import { button, trouble } from "./parts.js";
import { held, state, update } from "./store.js";
import { h } from "./vdom.js";
import { t } from "./words.js";

const STEPS = 20;
const MOST_STEPS = 500;

/// `fixed`: the phone, where the page is that of one phone.
export function composer(now, fixed) {
  const { devices, sessions, compose, me } = now;
  const ready = (devices ?? []).filter((one) => one.state === "device");
  const wish = fixed ?? compose.device;
  const device = ready.find((one) => one.device_id === wish) ?? (fixed ? null : (ready.find((one) => !one.busy) ?? ready[0]));
  const place = `task ${fixed ?? ""}`;
  const draft = kept(place);
  const off = held(now, "compose") || !device || Boolean(me?.read_only);
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
      ...draft,
      on: { ...draft.on, keydown: sendByKey },
    }),
    trouble(now, "compose"),
    h(
      "div",
      { class: "row compose-foot" },
      !fixed &&
        0 < ready.length &&
        h(
          "label",
          { class: "inline" },
          icon("phone"),
          h("span", { class: "said-only" }, t("task.phone")),
          h(
            "select",
            {
              name: "device",
              value: device?.device_id,
              on: { change: ({ target }) => update((s) => (s.compose.device = target.value)) },
            },
            ready.map((one) =>
              h(
                "option",
                { key: one.device_id, value: one.device_id },
                `${one.model || one.device_id} · ${t(standing(one, sessions))}`,
              ),
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
      h("span", { class: "faint grow" }, !device ? t("task.no-phone") : device.by_hand ? t("task.by-hand") : device.busy ? t("task.busy") : ""),
      button(device?.busy ? t("task.queue") : t("task.start"), {
        type: "submit",
        symbol: device?.busy ? "hourglass" : "play",
        style: "primary",
        disabled: off,
      }),
    ),
  );
}

/// How a phone stands to which a task may be given.
function standing({ device_id: id, busy, by_hand }, sessions) {
  if (by_hand) return "phone.by-hand";
  if (busy) return "phone.working";
  return sessions?.some((one) => one.device_id === id && one.waiting && !one.elsewhere) ? "phone.asking" : "phone.free";
}

/// Puts the cursor where a task for this phone is written.
export function composeFor(id) {
  update((s) => (s.compose.device = id));
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
}
