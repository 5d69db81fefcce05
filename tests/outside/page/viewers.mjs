// Several who look at once: two in step, one that sleeps, and twenty that must not slow a run.

import { check, until } from "./checks.mjs";
import { Viewer } from "./viewer.mjs";
import { begin } from "./watching.mjs";

export async function twoAndOneAsleep({ browser, server, storage, device }) {
  const [first, second, asleep] = await Promise.all([0, 1, 2].map(() => Viewer.open(browser, server.origin, { storage })));
  await begin(first, 'Tell Anna in the Messages app: "Two are looking"', device);
  const session = first.session();
  await Promise.all([second.go(`#/session/${session}`), asleep.go(`#/session/${session}`)]);
  await asleep.page.locator(".run-head .chip").waitFor();
  // Frozen as a tab in the background is: it reads nothing from its connections any more.
  const wire = await asleep.context.newCDPSession(asleep.page);
  await wire.send("Network.enable");
  await wire.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 2000,
    downloadThroughput: 200,
    uploadThroughput: 200,
  });
  await wire.send("Emulation.setCPUThrottlingRate", { rate: 20 });
  await Promise.all([first, second].map((viewer) => viewer.page.getByRole("heading", { name: "Question" }).waitFor()));
  const steps = await Promise.all([first, second].map((viewer) => viewer.page.locator(".step").count()));
  check("two who look see the same steps", steps[0] === steps[1], steps);
  // What the first asks for now it is told when all is over: too late to be taken for the newest.
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await first.page.route(`**/page/api/sessions/${session}`, async (route) => {
    const answer = await route.fetch();
    await held;
    await route.fulfill({ response: answer });
  });
  const late = first.page.evaluate(
    (id) => import("/page/sessions.js").then(({ readSession }) => readSession(id)),
    session,
  );
  await second.page.getByLabel(/Your answer|Or in your own words/).fill("Anna Bauer");
  await second.button("Answer").click();
  await until("the question to go", async () => (await first.page.getByRole("heading", { name: "Question" }).count()) === 0);
  check("what one answers is answered for the other", true);
  await first.standing("Done");
  release();
  await late;
  await first.page.evaluate(() => new Promise(requestAnimationFrame));
  check("an answer that comes too late does not hide the end", await first.page.locator(".run-head .chip", { hasText: "Done" }).isVisible());
  const done = await first.page.locator(".step").count();
  await wire.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  await wire.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await asleep.standing("Done");
  await until("all steps", async () => (await asleep.page.locator(".step").count()) === done);
  check("who slept has the newest state when awake", true);
  for (const [name, viewer] of [
    ["first", first],
    ["second", second],
    ["asleep", asleep],
  ])
    await viewer.close(`${name} of three`);
}

/// Of two tabs in the background one keeps its stream; when it is closed the other takes its place.
export async function hiddenTabs({ browser, server, storage }) {
  const one = await Viewer.open(browser, server.origin, { storage });
  await one.context.addInitScript(() => {
    window.streams = [];
    const Stream = window.EventSource;
    window.EventSource = class extends Stream {
      constructor(...words) {
        super(...words);
        window.streams.push(this);
      }
    };
  });
  const pages = [one.page, await one.context.newPage()];
  const hasStream = (page) => page.evaluate(() => window.streams.some((it) => it.readyState === EventSource.OPEN));
  for (const page of pages) {
    await page.goto(`${server.origin}/`);
    await until("the stream", () => hasStream(page));
  }
  for (const page of pages)
    await page.evaluate(() => {
      Object.defineProperty(document, "hidden", { get: () => true, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
  const streams = () => Promise.all(pages.map(hasStream));
  await until("one of them to sleep", async () => (await streams()).filter(Boolean).length === 1);
  const awake = (await streams()).indexOf(true);
  check("of two tabs in the background one stays awake", true);
  const other = pages[1 - awake];
  await pages[awake].close();
  await until("the other to wake", () => hasStream(other));
  check("the other takes its place when it is closed", await other.evaluate(() => document.hidden));
  await one.context.close();
}

const LOOKERS = 20;

/// What a page asks for while it shows a run: the stream, and the screen as often as it may.
async function look({ server, session, device, cookie, ends }) {
  const headers = { Cookie: cookie };
  const stream = fetch(`${server.origin}/page/api/events?sessions=${session}`, { headers, signal: ends }).then(async (events) => {
    for await (const _ of events.body);
  });
  let tag = "";
  const screens = async () => {
    while (!ends.aborted) {
      const shot = await fetch(`${server.origin}/page/api/devices/${encodeURIComponent(device)}/screen?after=${tag}`, {
        headers,
        signal: ends,
      });
      tag = (shot.headers.get("etag") ?? "").replace(/"/g, "");
      await shot.arrayBuffer();
      await new Promise((next) => setTimeout(next, 500));
    }
  };
  await Promise.allSettled([stream, screens()]);
}

// Twenty clients on the machine that all else runs on take some of it themselves.
const MOST = 1.3;

export async function twenty({ server, device }) {
  const cookie = await server.cookie();
  const ratios = [];
  // What else the machine does can spoil one comparison; a page that slows runs would spoil all.
  while (ratios.length < 6 && !ratios.some((ratio) => ratio < MOST)) ratios.push(await compare(server, device, cookie));
  check(
    `${LOOKERS} who look do not slow a step`,
    ratios.some((ratio) => ratio < MOST),
    ratios,
  );
}

/// How many times as long a step takes while twenty look.
async function compare(server, device, cookie) {
  const ask = server.client(cookie);
  const middle = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
  const times = { alone: [], looked: [] };
  // Alternating, so that whatever else the machine does falls on both alike.
  for (const [kind, on] of [
    ["alone", "off"],
    ["looked", "on"],
    ["looked", "off"],
    ["alone", "on"],
  ]) {
    const { session_id: session } = await ask("tasks", { device_id: device, task: `Switch Wi-Fi ${on}.` });
    const ends = new AbortController();
    const lookers =
      kind === "looked" ? Array.from({ length: LOOKERS }, () => look({ server, session, device, cookie, ends: ends.signal })) : [];
    const run = await until("the run's end", async () => {
      const told = await ask(`sessions/${session}`);
      return !told.running && told;
    });
    ends.abort();
    await Promise.all(lookers);
    check(`${kind}: Wi-Fi ${on}`, run.stop_reason === "TASK_COMPLETED_SUCCESSFULLY", run.message);
    times[kind].push(...run.steps.map((step) => step.model_ms + step.other_ms));
  }
  const [alone, looked] = [middle(times.alone), middle(times.looked)];
  console.log(`      a step, alone ${alone} ms, with ${LOOKERS} looking ${looked} ms: ${(looked / alone).toFixed(2)}`);
  return looked / alone;
}
