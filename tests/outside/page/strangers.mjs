// A person is signed in, and goes to another site, which tries what it can with their browser: to read, to act,
// to frame the page, to sign them in as somebody else. On this computer (another port, which is the same *site*
// to a browser, so that it sends the cookie) and on another one.

import { createServer } from "node:http";

import { check, until } from "./checks.mjs";
import { Viewer } from "./viewer.mjs";

const PAGE = (at, device) => `<!doctype html><meta charset="utf-8"><title>strange</title><body><script type="module">
const at = ${JSON.stringify(at)}, seen = {};
const task = JSON.stringify({ device_id: ${JSON.stringify(device)}, task: "A stranger was here" });
const within = (work) => Promise.race([work, new Promise((_, no) => setTimeout(() => no("time"), 3000))]);
const attempt = async (name, work) => { try { seen[name] = String(await within(work())); } catch (error) { seen[name] = "refused: " + error; } };
const read = async (answer) => answer.type + " " + answer.status + " " + (await answer.text()).slice(0, 200);
const opens = (source) => new Promise((yes, no) => { source.onopen = () => yes("opened"); source.onload = () => yes("opened"); source.onerror = () => no("error"); });
const post = (path, body, type, more) => fetch(at + "/page/api/" + path, { method: "POST", credentials: "include", body, headers: type ? { "content-type": type } : {}, ...more });
for (const path of ["me", "sessions", "devices", "settings"]) await attempt("read " + path, async () => read(await fetch(at + "/page/api/" + path, { credentials: "include" })));
await attempt("task as json", async () => read(await post("tasks", task, "application/json")));
await attempt("task as text", async () => read(await post("tasks", task, "text/plain")));
await attempt("task without cors", async () => read(await post("tasks", task, "text/plain", { mode: "no-cors" })));
await attempt("task by beacon", async () => (navigator.sendBeacon(at + "/page/api/tasks", new Blob([task], { type: "text/plain" })), "sent"));
await attempt("sign-out", async () => read(await post("sign-out", "{}", "text/plain", { mode: "no-cors" })));
await attempt("events", () => opens(new EventSource(at + "/page/api/events", { withCredentials: true })));
await attempt("screen as an image", () => { const image = new Image(); image.src = at + "/page/api/devices/${encodeURIComponent(device)}/screen"; return opens(image); });
await attempt("api as a script", () => { const script = document.createElement("script"); script.src = at + "/page/api/sessions"; const done = opens(script); document.body.append(script); return done; });
const form = (path, fields, type) => new Promise((yes) => {
  const frame = document.createElement("iframe"), form = document.createElement("form");
  frame.name = "f" + Math.random(); Object.assign(form, { target: frame.name, method: "post", enctype: type, action: at + path });
  for (const [name, value] of Object.entries(fields)) { const field = document.createElement("input"); field.name = name; field.value = value; form.append(field); }
  document.body.append(frame, form);
  frame.onload = () => { try { yes("read " + frame.contentDocument.body.innerText); } catch { yes("opaque"); } };
  form.submit(); setTimeout(() => yes("opaque"), 1500);
});
await attempt("task by a form", () => form("/page/api/tasks", { [task.slice(0, -1) + ',"x":"']: '"}' }, "text/plain"));
await attempt("sign-in by a form", () => form("/page/api/sign-in", { '{"token":"mine","x":"': '"}' }, "text/plain"));
await attempt("framed", () => new Promise((yes) => { const frame = document.createElement("iframe"); frame.id = "framed"; frame.src = at + "/"; frame.onload = () => { try { yes("read " + frame.contentDocument.title); } catch { yes("opaque"); } }; document.body.append(frame); }));
await attempt("opened", () => new Promise((yes) => { const other = window.open(at + "/"); setTimeout(() => { try { yes("read " + other.document.title); } catch { yes("opaque"); } }, 700); }));
document.title = "tried"; window.seen = seen;
</script></body>`;

export async function strangers({ browser, server, storage, device }) {
  const ask = server.client(await server.cookie());
  const before = (await ask("sessions?limit=50")).sessions.map((session) => session.session_id);
  const site = createServer((_, answer) =>
    answer.writeHead(200, { "content-type": "text/html" }).end(PAGE(server.origin, device)),
  );
  await new Promise((ready) => site.listen(0, "127.0.0.1", ready));
  for (const host of ["127.0.0.1", "evil.example"]) {
    const victim = await Viewer.open(browser, server.origin, { storage });
    await victim.page.goto(`http://${host}:${site.address().port}/`);
    await until("all to be tried", async () => (await victim.page.title()) === "tried", 90_000);
    const seen = await victim.page.evaluate(() => window.seen);
    for (const [what, got] of Object.entries(seen)) {
      // An opaque answer tells that something is there, and nothing of it.
      const nothing = got.startsWith("refused: ") || ["opaque", "sent", "opaque 0 "].includes(got);
      check(`${host}: ${what} reads nothing`, nothing, got);
    }
    const inside = victim.page.frames().map((frame) => frame.url());
    check(`${host}: the page does not show in a frame`, !inside.includes(`${server.origin}/`), inside);
    const me = await victim.context.request.get(`${server.origin}/page/api/me`);
    check(`${host}: the person is still signed in, as themselves`, me.status() === 200, me.status());
    const forged = await victim.context.request.post(`${server.origin}/page/api/tasks`, {
      data: { device_id: device, task: "A stranger was here" },
      headers: { Origin: `http://${host}:${site.address().port}` },
    });
    check(`${host}: a request with the cookie and this origin is refused`, forged.status() === 403, forged.status());
    await victim.context.close();
  }
  site.close();
  const after = (await ask("sessions?limit=50")).sessions.map((session) => session.session_id);
  check("strangers have begun nothing", after.length === before.length && after.every((id) => before.includes(id)), [
    before.length,
    after.length,
  ]);
  const page = await fetch(`${server.origin}/`);
  const policy = page.headers.get("content-security-policy") ?? "";
  check(
    "the policy of the page allows itself alone",
    ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"].every((part) =>
      policy.includes(part),
    ),
    policy,
  );
}
