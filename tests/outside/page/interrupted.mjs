// What must not get lost or go astray: what was being written when the sign-in ends, a press when a question comes or
// goes, and why there is no stream.

import { check, until } from "./checks.mjs";
import { TOKEN } from "./server.mjs";
import { accessible, Viewer } from "./viewer.mjs";

export async function interrupted(all) {
  await signInEnds(all);
  await aQuestionComes(all);
  await noStream(all);
  await aNewerServer(all);
  await noScripts(all);
  await hiddenWithoutLocks(all);
}

/// Whoever signs in again is where they were, and finds what they wrote.
async function signInEnds({ browser, server }) {
  const viewer = await Viewer.open(browser, server.origin);
  const { page, context } = viewer;
  const signIn = async () => {
    await page.getByLabel("Token of this server").fill(TOKEN);
    await page.getByLabel("Token of this server").press("Enter");
  };
  await viewer.go();
  await signIn();
  await page.getByLabel("What should a phone do?").fill("A task that is not finished");
  await viewer.go("#/settings");
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await context.clearCookies();
  await viewer.go("#/policy");
  await page.getByText("Your sign-in has ended").waitFor();
  check("a sign-in that ended is told", true);
  await accessible(viewer, "a sign-in that ended");
  await signIn();
  await page.getByRole("heading", { name: "Rules" }).waitFor();
  check("signing in again leads back to where one was", page.url().endsWith("#/policy"), page.url());
  await viewer.go("#/");
  const written = () => page.getByLabel("What should a phone do?").inputValue();
  check("what was written is there", (await written()) === "A task that is not finished", await written());
  await viewer.button("Sign out").click();
  await page.getByLabel("Token of this server").waitFor();
  check("signing out leaves none of it", (await page.evaluate(() => sessionStorage.length)) === 0);
  await viewer.close("a sign-in that ends");
}

/// Questions are put into the state by hand, so that they come and go at the right moment.
async function aQuestionComes({ browser, server, storage }) {
  const viewer = await Viewer.open(browser, server.origin, { storage });
  const { page } = viewer;
  const answered = [];
  await page.route("**/continue", (asked) => {
    const session = asked.request().url().split("/").at(-2);
    if (session !== "none") answered.push(session);
    return asked.fulfill({ status: 200, json: {} });
  });
  await page.route("**/page/api/sessions/*", (asked) => asked.fulfill({ status: 404, json: { error: "gone" } }));
  // No stream comes and none is refused.
  await page.route("**/page/api/events*", () => undefined);
  await viewer.go();
  await page.getByRole("heading", { name: "Phones", level: 1, exact: true }).waitFor();
  // A press follows at once on the page itself: between two calls from here a busy machine may let more time pass than a
  // question takes to count as read.
  const show = (names, press) =>
    page.evaluate(
      async ([names, press]) => {
        const { update } = await import("/page/store.js");
        const line = (id) => ({ session_id: id, task: id, device_id: "d", waiting: true, question: `${id}?`, question_step: 1 });
        const question = (id) => ({ step: 1, kind: "confirm", text: `${id}?`, options: [`${id} \u202eyes\u202c`] });
        update((s) => {
          s.link = "open";
          s.sessions = names.map(line);
          for (const id of names) s.open.set(id, { session: { ...line(id), question: question(id) }, steps: new Map() });
        });
        await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
        if (!press) return;
        document.elementFromPoint(...press).click();
        // What the press has sent is answered before this.
        await new Promise((next) => setTimeout(next));
        await fetch("/page/api/sessions/none/continue", { method: "POST" });
      },
      [names, press],
    );
  const ask = (...names) => show(names);
  const yes = (name) => viewer.button(`${name} yes`);
  const place = async (name) => {
    const { x, y } = await yes(name).boundingBox();
    return [Math.round(x) + 20, Math.round(y) + 10];
  };
  await ask("old", "oldest");
  // Beside each other where there is room.
  const [first, second] = [await place("old"), await place("oldest")];
  const comes = first[1] < second[1] || (first[1] === second[1] && first[0] < second[0]);
  check("what was left unanswered long ago comes behind", comes, [first, second]);
  check("an option is shown without what turns its direction", await yes("old").isVisible());
  const before = await place("old");
  await ask();
  await show(["old", "oldest"], before);
  check("a question that has just come up takes no press", answered.length === 0, answered);
  await ask("new", "old", "oldest");
  check("a newer one does not take its place", `${await place("old")}` === `${before}`, [before, await place("old")]);
  await ask("new");
  check("once that is gone, the newer one has it", `${await place("new")}` === `${before}`, [before, await place("new")]);
  await ask("old");
  await show(["new"], before);
  check("but takes no press that was meant for the other", answered.length === 0, answered);
  await ask("new");
  await yes("new").click();
  await until("the answer", () => 0 < answered.length);
  check("a moment later it does", `${answered}` === "new", answered);
  // Those were made here.
  viewer.failures = [];
  await viewer.close("a question that comes");
}

async function noStream({ browser, server, storage }) {
  const viewer = await Viewer.open(browser, server.origin, { storage });
  const { page } = viewer;
  const refused = { status: 429, json: { error: "64 pages are open already: close some" } };
  await page.route("**/page/api/events*", (asked) => asked.fulfill(refused));
  await viewer.go();
  await page.locator(".banner", { hasText: "64 pages are open already: close some" }).waitFor();
  check("a server that answers and gives no stream is told by its own words", true);
  await page.unroute("**/page/api/events*");
  await page.locator(".connection", { hasText: "Live" }).waitFor();
  check("once it does, all is well", (await page.locator(".banner").count()) === 0);
  await viewer.close("no stream");
}

async function aNewerServer({ browser, server, storage }) {
  const viewer = await Viewer.open(browser, server.origin, { storage });
  const { page } = viewer;
  let [hellos, version, loads] = [0, "1.0.0", 0];
  page.on("load", () => (loads += 1));
  await page.route("**/page/api/me", (asked) =>
    asked.fulfill({ json: { name: "this machine", version, read_only: false, model: "" } }),
  );
  // Each stream is of another server, and ends.
  await page.route("**/page/api/events*", (asked) =>
    asked.fulfill({ contentType: "text/event-stream", body: `event: hello\ndata: {"server":"${(hellos += 1)}"}\n\n` }),
  );
  await viewer.go();
  await page.getByText("ayeaye 1.0.0").waitFor();
  await until("another server of the same version", () => 3 <= hellos);
  check("a server that is started again changes nothing", loads === 1, loads);
  version = "2.0.0";
  await until("the page to be loaded again", () => loads === 2);
  await page.getByText("ayeaye 2.0.0").waitFor();
  check("a page of before goes with its server", true);
  await page.getByLabel("What should a phone do?").fill("Not finished");
  version = "3.0.0";
  await page.locator(".banner", { hasText: "The server is newer" }).waitFor();
  await accessible(viewer, "a newer server");
  await viewer.button("Reload the page").click();
  await page.getByText("ayeaye 3.0.0").waitFor();
  const written = await page.getByLabel("What should a phone do?").inputValue();
  check("but not what is being written, which is there afterwards", loads === 3 && written === "Not finished", [loads, written]);
  await viewer.close("a newer server");
}

async function noScripts({ browser, server }) {
  const viewer = await Viewer.open(browser, server.origin);
  await viewer.page.route("**/page/*", (asked) => asked.fulfill({ status: 404, json: {} }));
  await viewer.go();
  await viewer.page.getByText("The scripts of this page have not come").waitFor();
  check("a page whose scripts do not come says so", true);
  await viewer.close("no scripts");
}

/// A browser has locks for pages of a secure origin only.
async function hiddenWithoutLocks({ browser, server, storage }) {
  const viewer = await Viewer.open(browser, server.origin, { storage });
  const { page } = viewer;
  await page.clock.install();
  await viewer.context.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, "locks", { get: () => undefined });
    Object.defineProperty(document, "hidden", { get: () => true, configurable: true });
  });
  const asked = { session_id: "00000000-0000-7000-8000-000000000000", task: "t", device_id: "d", waiting: true, question: "Which?" };
  await page.route("**/page/api/sessions", (it) => it.fulfill({ json: { sessions: [asked] } }));
  await page.route("**/page/api/sessions/*", (it) => it.fulfill({ status: 404, json: { error: "gone" } }));
  await viewer.go();
  await page.clock.runFor(2000);
  await page.clock.runFor(40_000);
  await until("the title to tell of the question", async () => {
    await page.clock.runFor(100);
    return (await page.title()).startsWith("(1) Question");
  });
  check("a tab in the background tells of questions without locks, too", true);
  await viewer.close("hidden without locks");
}
