// The pictures of docs/: the page in its states, with virtual phones; the demo in a terminal, its report, and the page in
// a chat.
//
//   node tests/outside/page/pictures.mjs --binary target/release/ayeaye [--only question]
//
// Needs adb, Chromium, pngquant, and `script` of util-linux.
import { mkdtemp, mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { until } from "./checks.mjs";
import { chatPicture, demoPictures, fewColours, IMAGES } from "./pictures_outside.mjs";
import { freePort, phoneState, Server, TOKEN } from "./server.mjs";
import { Stage } from "./stage.mjs";
import { launch, LAPTOP, PHONE, Viewer } from "./viewer.mjs";

const FOLDER = join(IMAGES, "ui");
const PHONES = { width: 1280, height: 1240 };
const WITH_STEPS = { width: 1280, height: 925 };

const { values: given } = parseArgs({ options: { binary: { type: "string" }, only: { type: "string" } } });
const folder = await mkdtemp(join(tmpdir(), "ayeaye-pictures-"));
const binary = resolve(given.binary);
const stage = new Stage(binary, folder);
const browser = await launch();
await mkdir(FOLDER, { recursive: true });

/// Takes a picture with few colours, so that it stays small.
async function take(viewer, name, size = viewer.page.viewportSize(), from = "#page") {
  if (given.only && given.only !== name) return;
  const { page } = viewer;
  await page.setViewportSize(size);
  await page.mouse.move(0, 0);
  await page.locator(from).evaluate((part) => part.scrollIntoView());
  await page.evaluate(() => {
    const seen = [...document.images].filter((image) => image.getBoundingClientRect().top < innerHeight);
    return Promise.all(seen.map((image) => image.decode().catch(() => undefined)));
  });
  const file = join(FOLDER, `${name}.png`);
  await page.screenshot({ path: file, animations: "disabled" });
  fewColours(file);
}

/// A question as whoever tries `--virtual` sees it, a step that led to it, and both when the server is gone.
async function aQuestion() {
  const env = { ...stage.env, AYEAYE_DATA_DIR: join(folder, "alone") };
  const server = new Server({ binary, folder, port: await freePort(), words: ["--virtual"], env });
  await server.start();
  stage.started.push(server.process);
  const ask = server.client(await server.cookie());
  const task = "In Messages, tell Anna: I am ten minutes late";
  const { session_id: id } = await ask("tasks", { device_id: "ayeaye-5554", task });
  await until("the question", async () => !(await ask(`sessions/${id}`)).running, 90_000);
  const look = async (options) => {
    const viewer = await Viewer.open(browser, server.origin, { size: LAPTOP, ...options });
    await viewer.page.goto(await server.link());
    await viewer.page.locator(".phone .pixels").first().waitFor();
    await viewer.go(`#/session/${id}`);
    await viewer.page.locator(".run-screen .pixels").waitFor();
    return viewer;
  };
  const chinese = await look({ locale: "zh-CN" });
  await take(chinese, "chinese", WITH_STEPS);
  await chinese.context.close();
  const question = await look({ scheme: "dark" });
  await take(question, "question", WITH_STEPS);
  await question.page.emulateMedia({ colorScheme: "light" });
  await question.page.locator(".step", { hasText: "Tap on" }).first().locator(".step-open").click();
  await take(question, "step", WITH_STEPS);
  await question.button("Back to live").click();
  await server.stop("SIGKILL");
  await question.page.locator(".banner[role=alert]").waitFor();
  await take(question, "lost", { width: 1280, height: 700 });
}

const visit = async (hash, options) => {
  const viewer = await Viewer.open(browser, stage.server.origin, { storage, size: LAPTOP, ...options });
  await viewer.go(hash);
  return viewer;
};

let storage;
try {
  await stage.open(["stock", "oneui", "miui", "emui"]);
  const [first, second, third, gone] = stage.phones;
  const ask = stage.server.client(await stage.server.cookie());
  const signingIn = await visit("");
  await signingIn.page.getByLabel("Token of this server").waitFor();
  await take(signingIn, "sign-in", { width: 1000, height: 640 });
  await signingIn.page.getByLabel("Token of this server").fill(TOKEN);
  await signingIn.page.getByLabel("Token of this server").press("Enter");
  await signingIn.page.locator(".phone").first().waitFor();
  storage = await signingIn.context.storageState();
  await signingIn.context.close();

  const ended = async (id) =>
    until(
      "the run's end",
      async () => {
        const told = await ask(`sessions/${id}`);
        return !told.running && told;
      },
      90_000,
    );
  const run = async (task) => (await ask("tasks", { device_id: first.id, task, max_steps: 20, queue: true })).session_id;
  const whole = async (task) => ended(await run(task));

  // What has been before.
  const bluetooth = await whole("Switch Bluetooth off.");
  await whole('Save a note titled "Shopping" with the text "Milk, bread, twelve eggs"');
  await whole("Find a trip to the moon in the Shop app.");
  const wifi = await whole("Switch Wi-Fi off.");
  await ask(`devices/${encodeURIComponent(second.id)}/act`, { action: "launch", app: "Messages" });
  await ask(`devices/${encodeURIComponent(third.id)}/act`, { action: "launch", app: "Settings" });
  const compare = await visit(`#/compare/${bluetooth.session_id}/${wifi.session_id}`, { scheme: "dark" });
  await compare.page.locator(".cell .pixels").nth(5).waitFor();
  await take(compare, "compare");
  await compare.context.close();

  // A question on one of several phones, one of which is away.
  await ended(await run('Tell Anna in the Messages app: "I am ten minutes late"'));
  gone.child.kill();
  await until(
    "a phone that is away",
    async () => !(await ask("devices")).devices.some((device) => device.device_id === gone.id && device.state === "device"),
  );
  const phones = await visit("");
  await phones.page.getByLabel("Your answer").waitFor();
  await phones.page.locator(".phone .pixels").nth(2).waitFor();
  await take(phones, "phones", PHONES);
  await phones.page.emulateMedia({ colorScheme: "dark" });
  await take(phones, "phones-dark", PHONES);
  await phones.context.close();
  const small = await visit("", { size: PHONE });
  await small.page.locator(".phone .pixels").nth(2).waitFor();
  await take(small, "phones-small");
  await small.context.close();

  // One under way.
  const busy = await run(
    "Find running shoes in size 42 for less than 50 euros in the Shop app, put them in the cart and go on to the checkout, but stop before paying.",
  );
  const running = await visit(`#/session/${busy}`);
  await running.page.locator(".step").nth(4).waitFor();
  // What is live comes a little later than the steps.
  const screen = running.page.locator(".run-screen .pixels");
  for (let count = 0; count < 2; count += 1) {
    const before = await screen.getAttribute("src");
    await until("the next screen", async () => (await screen.getAttribute("src")) !== before);
  }
  await take(running, "run");
  await run("Switch Wi-Fi on.");
  const phone = await visit(`#/phone/${encodeURIComponent(first.id)}`, { scheme: "dark" });
  await phone.page.locator(".run-screen .pixels").waitFor();
  await phone.page.locator(".queue li").waitFor();
  await take(phone, "phone");
  await phone.context.close();
  await running.button("Take over").click();
  await running.standing("By hand");
  await running.page.getByText("You are driving this phone").first().waitFor();
  await running.button("Recents").click();
  await running.page.locator(".outcome.done").waitFor();
  // The first look may have begun before the act was over.
  for (let count = 0; count < 2; count += 1) await running.page.waitForResponse((answer) => answer.url().includes("/screen"));
  await running.standing("By hand");
  await take(running, "control");
  await running.page.emulateMedia({ colorScheme: "dark" });
  await take(running, "control-small", PHONE, ".run-screen");
  await running.page.setViewportSize(LAPTOP);
  await running.button("Done with the phone").click();
  await running.page.getByText("You are driving this phone").first().waitFor({ state: "detached" });
  await running.context.close();

  // A message written by hand, that is not sent without leave.
  const hand = await visit(`#/phone/${encodeURIComponent(second.id)}`);
  await hand.button("Take over").click();
  await hand.page.locator(".run-screen .pixels").waitFor();
  const tap = async (fits) => {
    const { nodes } = await until("the element", async () => {
      const state = await phoneState(second.control);
      return state.nodes.some(fits) && state;
    });
    const { bounds } = nodes.find(fits);
    const box = await hand.page.locator(".run-screen .pixels").boundingBox();
    const [left, top, right, bottom] = bounds;
    await hand.page.mouse.click(
      box.x + ((left + right) / 2 / 1080) * box.width,
      box.y + ((top + bottom) / 2 / 2400) * box.height,
    );
  };
  await tap((node) => node.text === "Ben Carter");
  await tap((node) => /EditText/.test(node.class));
  await hand.page.locator(".run-screen .glass").focus();
  await hand.page.keyboard.type("See you at eight");
  await until("the text", async () => (await phoneState(second.control)).nodes.some((node) => node.text === "See you at eight"));
  await tap((node) => node.desc === "Send SMS");
  await hand.page.getByRole("alertdialog").waitFor();
  await take(hand, "leave");
  await hand.context.close();

  const history = await visit("#/history");
  for (const { session_id: id } of [bluetooth, wifi])
    await history.page.locator(`li:has(a[href*="${id}"]) .choice input`).check();
  await take(history, "history", { width: 1280, height: 700 });
  await history.go("#/policy");
  await history.page.locator(".reading pre").waitFor();
  await take(history, "rules", { width: 1280, height: 700 });
  await history.go("#/settings");
  await history.page.locator(".settings tbody tr").first().waitFor();
  await history.page.getByRole("searchbox").fill("policy.");
  await history.page.emulateMedia({ colorScheme: "dark" });
  await take(history, "settings", { width: 1280, height: 700 });
  await history.page.emulateMedia({ colorScheme: "light" });
  await history.context.close();

  await aQuestion();
  if (!given.only || ["demo", "report"].includes(given.only)) await demoPictures(binary, browser);
  if (!given.only || given.only === "app") await chatPicture(binary, folder);
} finally {
  await browser.close();
  await stage.close();
  await rm(folder, { recursive: true, force: true });
}
