// The pictures of docs/ui.md: the page in its states, with virtual phones.
//
//   node tests/outside/page/pictures.mjs --binary target/debug/ayeaye [--only question]
//
// Needs adb, Chromium and pngquant.
import { execFileSync } from "node:child_process";
import { mkdtemp, mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { until } from "./checks.mjs";
import { phoneState, TOKEN } from "./server.mjs";
import { Stage } from "./stage.mjs";
import { launch, LAPTOP, PHONE, Viewer } from "./viewer.mjs";

const FOLDER = fileURLToPath(new URL("../../../docs/images/ui/", import.meta.url));
const COLOURS = "96";

const { values: given } = parseArgs({ options: { binary: { type: "string" }, only: { type: "string" } } });
const folder = await mkdtemp(join(tmpdir(), "ayeaye-pictures-"));
const stage = new Stage(resolve(given.binary), folder);
const browser = await launch();
await mkdir(FOLDER, { recursive: true });

/// Takes a picture with few colours, so that it stays small.
async function take(viewer, name, size = viewer.page.viewportSize(), from = "#page") {
  if (given.only && given.only !== name) return;
  const { page } = viewer;
  await page.setViewportSize(size);
  await page.locator(from).evaluate((part) => part.scrollIntoView());
  await page.evaluate(() =>
    Promise.all(
      [...document.images].filter((image) => image.loading !== "lazy").map((image) => image.decode().catch(() => undefined)),
    ),
  );
  const file = join(FOLDER, `${name}.png`);
  await page.screenshot({ path: file, animations: "disabled" });
  execFileSync("pngquant", ["--force", "--speed", "1", "--strip", "--output", file, COLOURS, file]);
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
  const run = async (task) => (await ask("tasks", { device_id: first.id, task, max_steps: 20 })).session_id;
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

  // A run that asks, and one that is looked at.
  const asked = await ended(await run('Tell Anna in the Messages app: "I am ten minutes late"'));
  gone.child.kill();
  await until(
    "a phone that is away",
    async () => !(await ask("devices")).devices.some((device) => device.device_id === gone.id && device.state === "device"),
  );
  const question = await visit(`#/session/${asked.session_id}`, { scheme: "dark" });
  await question.page.locator(".run-screen .pixels").waitFor();
  await take(question, "question");
  await question.page.emulateMedia({ colorScheme: "light" });
  await question.page.locator(".step", { hasText: "Tap on" }).first().locator(".step-open").click();
  await take(question, "step");
  await question.context.close();
  const chinese = await visit(`#/session/${asked.session_id}`, { locale: "zh-CN" });
  await chinese.page.locator(".run-screen .pixels").waitFor();
  await take(chinese, "chinese");
  await chinese.context.close();

  const phones = await visit("");
  await phones.page.getByLabel("Your answer").waitFor();
  await phones.page.locator(".phone .pixels").nth(2).waitFor();
  await take(phones, "phones", { width: 1280, height: 1040 });
  await phones.page.emulateMedia({ colorScheme: "dark" });
  await take(phones, "phones-dark", { width: 1280, height: 1040 });
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
  await running.page.locator(".run-screen .pixels").waitFor();
  await take(running, "run");
  const phone = await visit(`#/phone/${encodeURIComponent(first.id)}`, { scheme: "dark" });
  await phone.page.locator(".run-screen .pixels").waitFor();
  await take(phone, "phone");
  await phone.context.close();
  await running.button("Take over").click();
  await running.standing("Paused");
  await running.page.getByText("You are driving this phone").first().waitFor();
  await running.button("Recents").click();
  await running.page.locator(".outcome.done").waitFor();
  await take(running, "control");
  await running.page.emulateMedia({ colorScheme: "dark" });
  await take(running, "control-small", PHONE, ".run-screen");
  await running.page.setViewportSize(LAPTOP);
  await running
    .button("Stop")
    .click()
    .catch(() => undefined);
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
  await history.page.locator(".choice input").nth(1).check();
  await history.page.locator(".choice input").nth(2).check();
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
  await history.go(`#/session/${asked.session_id}`);
  await history.page.locator(".run-screen .pixels").waitFor();
  await stage.server.stop("SIGKILL");
  await history.page.locator(".banner[role=alert]").waitFor();
  await take(history, "lost", { width: 1280, height: 700 });
} finally {
  await browser.close();
  await stage.close();
  await rm(folder, { recursive: true, force: true });
}
