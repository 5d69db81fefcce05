// The page begins here: language, route, stream; then it is drawn from the state whenever that changes.

import { hush } from "./announce.js";
import { get } from "./api.js";
import { load, search } from "./actions.js";
import { leave, watchControl, watchLeaving } from "./control.js";
import { close, follow, watchSleep } from "./live.js";
import { retryPictures, watchPictures } from "./pictures.js";
import { parse } from "./routes.js";
import { lookAt, onView, watchScreens } from "./screens.js";
import { keepFocus, watchFocus } from "./focus.js";
import { state, update, watch } from "./store.js";
import { draw } from "./vdom.js";
import { comparePage } from "./view-compare.js";
import { historyPage } from "./view-history.js";
import { phonePage } from "./view-phone.js";
import { phonesPage } from "./view-phones.js";
import { settle } from "./view-question.js";
import { policyPage, settingsPage } from "./view-reading.js";
import { runPage } from "./view-run.js";
import { shell, title } from "./view-shell.js";
import { signInPage } from "./view-sign-in.js";
import { choose, preferred } from "./words.js";

const PAGES = {
  phones: phonesPage,
  phone: phonePage,
  session: runPage,
  compare: comparePage,
  history: historyPage,
  policy: policyPage,
  settings: settingsPage,
};

const root = document.getElementById("page");
let focusHeading = false;
// Where each page of the browser's history was, by a name of its own; and which one is shown.
const places = new Map();
let place = null;
/// Where whoever goes back was on the page that they come to, and the address that they come from.
let cameBack = null;

function show(now) {
  if (now.signIn.needed) {
    close();
    lookAt(new Map());
    draw(root, signInPage(now));
    document.title = "Aye-aye";
    return;
  }
  draw(root, shell(now, PAGES[now.route.page](now)));
  settle();
  document.title = title(now);
  if (now.me) follow();
  lookAt(onView(now));
  watchControl(now);
  if (focusHeading) {
    // Whoever goes to a page by keyboard or hears it begins at its heading.
    focusHeading = false;
    if (!now.control) {
      const from = cameBack && [...document.querySelectorAll("main a")].find((one) => one.hash === cameBack.from);
      (from ?? document.getElementById("heading"))?.focus({ preventScroll: true });
      window.scrollTo(0, cameBack?.top ?? 0);
    }
  }
  keepFocus();
}

/// The browser has gone to another page of its history, or to a new one. What is drawn is still the one before.
function turn(from) {
  places.set(place, window.scrollY);
  const top = places.get(history.state?.place);
  cameBack = top === undefined ? null : { top, from };
  nameEntry();
  focusHeading = true;
}

/// An entry of the browser's history keeps its name, by which it is known when somebody comes back to it.
function nameEntry() {
  place = history.state?.place ?? crypto.randomUUID?.() ?? `${Date.now()} ${Math.random()}`;
  history.replaceState({ place }, "");
}

function arrive() {
  const route = parse(location.hash);
  const { control } = state;
  if (control && control.place !== (route.session ?? route.device)) leave();
  hush();
  update((s) => {
    s.route = route;
    s.errors.clear();
  });
  readPage();
}

/// Reads what nothing streams to the page that is shown.
function readPage() {
  const { me, route, history } = state;
  if (!me) return;
  if (route.page === "history") search(history.query);
  if (route.page === "policy") load("policy", (s, answer) => (s.policy = answer));
  if (route.page === "settings") load("settings", (s, answer) => (s.settings.list = answer.settings));
}

async function begin() {
  choose(preferred(), false);
  const told = new URLSearchParams(location.search).get("sign-in");
  // What the address says was said once; a bookmark of it says nothing.
  if (location.search) history.replaceState(null, "", `/${location.hash}`);
  // What stands there until the scripts have come.
  root.replaceChildren();
  watch(show);
  update((s) => Object.assign(s.signIn, { told }));
  // Browsers would scroll a page that is not drawn yet.
  history.scrollRestoration = "manual";
  nameEntry();
  window.addEventListener("hashchange", ({ oldURL }) => {
    turn(new URL(oldURL).hash);
    arrive();
  });
  watchSleep(() => {
    readPage();
    retryPictures();
  });
  watchPictures();
  watchScreens();
  watchLeaving();
  watchFocus();
  // A file that is dropped here would take the page's place, and a phone in hand would be given back.
  for (const kind of ["dragover", "drop"]) {
    window.addEventListener(kind, (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
  }
  // Durations of what runs are told by the second.
  // While the server does not answer nobody knows what still runs.
  const ticks = () => !document.hidden && state.link !== "lost";
  setInterval(() => ticks() && update((s) => (s.now = Date.now())), 1000);
  await greet();
}

async function greet() {
  try {
    const me = await get("me");
    update((s) => (s.me = me));
    arrive();
  } catch (refused) {
    if (refused.status === 401) return;
    update((s) => (s.link = "lost"));
    setTimeout(greet, 2000);
  }
}

begin();
