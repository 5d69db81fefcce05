// A phone's screen, with the mark where it was touched; in a person's hand it takes gestures and keys.

import { keys, pointer, written } from "./gestures.js";
import { icon } from "./icons.js";
import { told } from "./parts.js";
import { h } from "./vdom.js";
import { t } from "./words.js";

const percent = (thousandths) => `${thousandths / 10}%`;
const at = ([x, y]) => ({ "--x": percent(x), "--y": percent(y) });

/// `url` of the picture, or `error` where there is none; `mark`: `{ point, end, key }` on it; `moment`: the same with
/// the `url` of a picture of its own, which lies over the other for a moment; `control` while a person drives. `screen` is the size that the phone says, for the time until the picture has come.
export function glass({ url, alt, error, mark, moment, control, screen, label, small }) {
  const ratio = screen?.width && screen?.height ? `${screen.width / screen.height}` : "0.45";
  const driven = control && {
    role: "application",
    // A click gives the focus to the field inside; the Tab key finds that by itself.
    tabindex: "-1",
    "aria-label": label,
    "aria-roledescription": t("screen"),
    on: {
      ...pointer,
      ...keys,
      focus: ({ currentTarget }) => currentTarget.querySelector(".writing").focus({ preventScroll: true }),
    },
  };
  return h(
    "div",
    { class: `glass ${control ? "driven" : ""} ${small ? "small" : ""}`, vars: { "--ratio": ratio }, ...driven },
    url
      ? h("img", { class: "pixels", src: url, alt: control ? "" : alt, draggable: "false", on: { load: measure } })
      : h("div", { class: "no-picture" }, icon("eye"), told(error ?? t("phone.no-screen"))),
    url && error && h("p", { class: "stale" }, told(error)),
    mark && marks(mark),
    moment && url && overlay(moment),
    control?.drag && marks({ point: control.drag.from, end: far(control.drag) && control.drag.to, key: "drag" }),
    control?.cursor && h("span", { class: "cross", vars: at(control.cursor) }),
    (control?.typed || control?.composing) &&
      h(
        "span",
        { class: "typed" },
        h("span", { class: "faint" }, t("control.typing")),
        h("span", { dir: "auto" }, control.typed, control.composing && h("u", null, control.composing)),
      ),
    0 < control?.waiting && h("span", { class: "sending" }, t("control.sending")),
    driven && writing(label),
  );
}

/// Where input methods write, which send no keys for what they put together. Nobody sees it: the phone shows the text.
const writing = (label) =>
  h("textarea", {
    class: "writing",
    rows: "1",
    "aria-label": label,
    "aria-describedby": "control-help",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    // A tap on the picture is for the phone, and brings up no keyboard here.
    inputmode: "none",
    // From now on keys go to the phone, which has to be seen for that.
    mounted: (dom) => {
      dom.focus({ preventScroll: true });
      const { top, bottom } = dom.parentElement.getBoundingClientRect();
      if (top < 0 || innerHeight < bottom) dom.parentElement.scrollIntoView({ block: "start" });
    },
    on: written,
  });

const far = ({ from, to }) => 15 < Math.hypot(from[0] - to[0], from[1] - to[1]);

/// It shows from when its picture has come, so that the mark is never seen on another one, and fades away.
function overlay({ url, key, ...mark }) {
  return h(
    "div",
    { class: "moment", key: `moment ${key}`, "aria-hidden": "true" },
    h("img", { src: url, alt: "", draggable: "false", on: { load: begin } }),
    marks({ ...mark, key }),
  );
}

function begin({ target }) {
  const { parentElement: overlay } = target;
  // Of a phone that was turned since, it would be drawn out of shape.
  const ratio = (width, height) => Math.log(width / height);
  const glass = ratio(overlay.clientWidth, overlay.clientHeight);
  const same = Math.abs(ratio(target.naturalWidth, target.naturalHeight) - glass) < 0.1;
  if (same) overlay.classList.add("shown");
}

/// The shape of the glass is that of its picture: phones turn.
function measure({ target }) {
  target.parentElement?.style.setProperty("--ratio", String(target.naturalWidth / target.naturalHeight));
}

function marks({ point, end, key }) {
  if (!Array.isArray(point)) return null;
  if (!Array.isArray(end)) return h("span", { key: `mark ${key}`, class: "mark", vars: at(point) });
  const line = { x1: point[0], y1: point[1], x2: end[0], y2: end[1] };
  return [
    h(
      "svg",
      {
        key: `line ${key}`,
        class: "stroke",
        viewBox: "0 0 1000 1000",
        preserveAspectRatio: "none",
        "aria-hidden": "true",
      },
      h("line", { class: "halo", ...line }),
      h("line", line),
    ),
    h("span", { key: `mark ${key}`, class: "mark from", vars: at(point) }),
    h("span", { key: `end ${key}`, class: "mark end", vars: at(end) }),
  ];
}
