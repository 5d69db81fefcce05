// The page alone: what the server would say is put to it by hand, so that each thing comes at the right moment.

import { Viewer } from "./viewer.mjs";

export class Staged {
  /// `answers`: what requests below `/page/api/` are answered, by `METHOD path` without the query: a function of the
  /// route, or the JSON. What is not among them is not there.
  static async open({ browser, server, storage }, { hash = "", answers = {}, size } = {}) {
    const staged = new Staged();
    staged.viewer = await Viewer.open(browser, server.origin, { storage, size });
    staged.page = staged.viewer.page;
    staged.asked = [];
    staged.answers = { "GET me": { name: "this machine", version: "1.0.0", read_only: false, model: "" }, ...answers };
    await staged.page.addInitScript(() => {
      window.streams = [];
      window.EventSource = class extends EventTarget {
        constructor(url) {
          super();
          this.url = url;
          window.streams.push(this);
        }
        close() {
          this.closed = true;
        }
      };
    });
    await staged.page.route("**/page/api/**", (route) => staged.answer(route));
    await staged.viewer.go(hash);
    await staged.page.waitForFunction(() => 0 < window.streams.length);
    return staged;
  }

  answer(route) {
    const request = route.request();
    const { pathname, search } = new URL(request.url());
    const path = decodeURIComponent(pathname.replace("/page/api/", ""));
    const name = `${request.method()} ${path}`;
    this.asked.push({ name, search, body: request.postDataJSON?.() });
    const answer = this.answers[name];
    if (typeof answer === "function") return answer(route);
    if (answer) return route.fulfill({ json: answer });
    return route.fulfill({ status: 404, json: { error: `${path} is not there` } });
  }

  /// An event of the stream that is open, and the page as it is drawn after it.
  tell(...events) {
    return this.page.evaluate(async (all) => {
      const stream = window.streams.at(-1);
      for (const [name, value] of all) stream.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(value) }));
      await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
    }, events);
  }

  /// The stream begins, with phones and sessions.
  begin({ devices = [], sessions = [], session, heartbeat } = {}) {
    return this.tell(
      ["hello", { server: "one", heartbeat_ms: heartbeat ?? 60_000 }],
      ["devices", { devices }],
      ["sessions", { sessions }],
      ...(session ? [["session", session]] : []),
    );
  }

  async close(name) {
    // Those were made here.
    this.viewer.failures = [];
    await this.viewer.close(name);
  }
}

export const phone = (id, more = {}) => ({
  device_id: id,
  state: "device",
  model: "Pixel 7",
  android_version: "14",
  transport: "tcp",
  screen: { width: 1080, height: 2400 },
  busy: false,
  ...more,
});

let made = 0;

/// A session at work, as lists and its own page have it.
export const run = (more = {}) => ({
  session_id: `00000000-0000-7000-8000-${String((made += 1)).padStart(12, "0")}`,
  task: `Task ${made}`,
  device_id: "a:1",
  device_model: "Pixel 7",
  running: true,
  waiting: false,
  stop_reason: "STILL_RUNNING",
  message: "",
  step_count: 0,
  started_at: new Date().toISOString(),
  model_ms: 0,
  other_ms: 0,
  cost_usd: 0,
  cost_known: true,
  queued: false,
  elsewhere: false,
  by_hand: false,
  steps: [],
  rounds: [],
  first_step: 0,
  can: { guide: true, pause: true, stop: true, take: true },
  ...more,
});

export const step = (index, more = {}) => ({
  index,
  round: 1,
  agent: "app",
  action_type: "CLICK",
  label: `Tap ${index + 1}`,
  over: true,
  sent: true,
  picture: true,
  started_at: new Date().toISOString(),
  model_ms: 100,
  other_ms: 100,
  ...more,
});
