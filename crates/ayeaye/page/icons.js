// Line icons on a grid of 24, drawn in the colour of the text beside them. They are decoration: words say the same.

import { h } from "./vdom.js";

const PATHS = {
  phone: "M8 2.8h8a2 2 0 0 1 2 2v14.4a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2V4.8a2 2 0 0 1 2-2ZM10.6 18.2h2.8",
  history: "M3.6 12a8.4 8.4 0 1 0 2.7-6.2L3.6 8.2M3.6 3.8v4.4H8M12 7.4V12l3.2 1.9",
  shield: "M12 3l7 2.6v5.6c0 4.4-2.9 7.9-7 9.8-4.1-1.9-7-5.4-7-9.8V5.6L12 3ZM9 12l2.2 2.2L15.2 10",
  sliders: "M4 7h8m4 0h4M4 17h4m4 0h8M14 4.8v4.4M10 14.8v4.4",
  tap: "M9.5 13.5V5.8a1.6 1.6 0 0 1 3.2 0v5.4l4.6.9a2.2 2.2 0 0 1 1.8 2.5l-.7 4a2.6 2.6 0 0 1-2.6 2.2h-3.6a3 3 0 0 1-2.3-1.1L5.6 15a1.5 1.5 0 0 1 2.2-2l1.7 1.6",
  swipe: "M4 12h15m-5-5 5 5-5 5",
  scroll: "M12 3.5v17M7.5 8 12 3.5 16.5 8M7.5 16l4.5 4.5 4.5-4.5",
  keyboard: "M4 6.5h16a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1ZM7 10.2h.01M11 10.2h.01M15 10.2h.01M8 14h8",
  key: "M6.2 4.5h11.6a1.7 1.7 0 0 1 1.7 1.7v11.6a1.7 1.7 0 0 1-1.7 1.7H6.2a1.7 1.7 0 0 1-1.7-1.7V6.2a1.7 1.7 0 0 1 1.7-1.7ZM8.5 15.8h7",
  open: "M13.5 4.5h6v6M19.5 4.5 11 13M18 14v4.5a1 1 0 0 1-1 1H5.5a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1H10",
  hourglass: "M7 3.5h10M7 20.5h10M8 3.5v3.7L12 12l4-4.8V3.5M8 20.5v-3.7L12 12l4 4.8v3.7",
  note: "M6 3.5h9l3.5 3.5v13.5H6zM9 11h6M9 15h4",
  question: "M9 9.2a3 3 0 1 1 4.4 2.6c-.9.5-1.4 1.1-1.4 2.2M12 17.3h.01M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z",
  check: "M5 12.5 10 17.5 19.5 7",
  cross: "M6 6l12 12M18 6 6 18",
  warning: "M12 4 2.8 19.8h18.4L12 4ZM12 10v4.2M12 17h.01",
  pause: "M8.5 5.5v13M15.5 5.5v13",
  play: "M8 5.5v13l10.5-6.5L8 5.5Z",
  stop: "M7 7h10v10H7z",
  hand: "M8 12V6.2a1.5 1.5 0 0 1 3 0V11m0-.5V4.8a1.5 1.5 0 0 1 3 0V11m0-4a1.5 1.5 0 0 1 3 0v7.5a6 6 0 0 1-6 6c-2.7 0-4-1-5.3-3.2L3.8 13.8c-.8-1.5 1-2.7 2.2-1.6l2 2",
  back: "M16 5.5 6.5 12l9.5 6.5v-13Z",
  home: "M18.5 12a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0Z",
  recents: "M6 6h12v12H6z",
  search: "M16.2 16.2 20.5 20.5M18 11a7 7 0 1 1-14 0 7 7 0 0 1 14 0Z",
  download: "M12 4v11m-4.5-4.2L12 15.3l4.5-4.5M4.5 19.5h15",
  columns: "M4 5h6.5v14H4zM13.5 5H20v14h-6.5z",
  send: "M5 12h13m-5.5-6 6 6-6 6",
  exit: "M14 4.5h4.5v15H14M10.5 8l-4 4 4 4M6.5 12H15",
  globe:
    "M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0ZM3.5 12h17M12 3c2.5 2.6 3.7 5.6 3.7 9s-1.2 6.4-3.7 9c-2.5-2.6-3.7-5.6-3.7-9S9.5 5.6 12 3Z",
  plus: "M12 5v14M5 12h14",
  down: "M6 9.5 12 15.5 18 9.5",
  left: "M14.5 5.5 8 12l6.5 6.5",
  right: "M9.5 5.5 16 12l-6.5 6.5",
  dot: "M12 6a6 6 0 1 1 0 12 6 6 0 0 1 0-12Z",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12ZM15 12a3 3 0 1 1-6 0 3 3 0 0 1 6 0Z",
};

const ACTIONS = {
  CLICK: "tap",
  DOUBLE_CLICK: "tap",
  LONGPRESS: "tap",
  TYPE: "keyboard",
  SLIDE: "swipe",
  DRAG: "swipe",
  SCROLL: "scroll",
  AWAKE: "open",
  HOT_KEY: "key",
  WAIT: "hourglass",
  NOTE: "note",
  INFO: "question",
  COMPLETE: "check",
  ABORT: "cross",
};

export const icon = (name, style = "") =>
  h(
    "svg",
    { class: `icon ${style}`, viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" },
    h("path", { d: PATHS[name] ?? PATHS.dot }),
  );

export const actionIcon = (action) => icon(ACTIONS[action] ?? "dot");
