// A person takes a phone over while others want it: it stays theirs until they give it back. What waits for an answer
// is given up. A phone of another process is not taken for this server's.

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { check, until } from "./checks.mjs";
import { freePort, phoneFault, phoneState, Server } from "./server.mjs";
import { accessible, Viewer } from "./viewer.mjs";
import { begin } from "./watching.mjs";

// So slow that a run is at work until it is taken over, however busy this machine is.
const SLOW = { capture_delay_ms: 2000 };

const app = async (phone) => (await phoneState(phone)).foreground.package;

async function goHome(viewer, phone) {
  await viewer.button("Home").click();
  await until("the launcher", async () => (await app(phone)).includes("launcher"));
}

export async function takeover({ browser, server, storage, device, phone }) {
  const viewer = await Viewer.open(browser, server.origin, { storage });
  const ask = server.client(await server.cookie());
  const held = async () => (await ask("devices")).devices.find((one) => one.device_id === device);
  await whileOneWaits(viewer, device, phone);
  await aTaskMeanwhile(viewer, device, phone, held);
  await afterATask(viewer, device, phone, held);
  await inTwoTabs(viewer, device, phone, held);
  await writtenToTheLast(viewer, device, phone, held);
  await writtenBeforeAHint(viewer, device, phone);
  await givenUp(viewer, device);
  await viewer.close("taking over");
}

async function whileOneWaits(viewer, device, phone) {
  const { page } = viewer;
  await phoneFault(phone, SLOW);
  await begin(viewer, "Switch Wi-Fi off.", device);
  await viewer.standing("Running");
  const first = viewer.session();
  await begin(viewer, "Switch Bluetooth off.", device);
  await viewer.standing("In line");
  const second = viewer.session();
  await viewer.go(`#/session/${first}`);
  await viewer.button("Take over").click();
  await page.getByText("You are driving this phone").first().waitFor();
  await viewer.standing("By hand");
  await phoneFault(phone);
  await goHome(viewer, phone);
  await page.getByText("Done.", { exact: true }).first().waitFor();
  await viewer.go(`#/session/${second}`);
  // Who goes to another page has given the phone back: then it is the next one's turn.
  await viewer.standing("Done");
  await viewer.go(`#/session/${first}`);
  await viewer.button("Take over").click();
  await page.getByText("You are driving this phone").first().waitFor();
  check("given back, the next one has its turn, and the phone can be taken again", true);
  const other = await Viewer.open(viewer.page.context().browser(), viewer.origin, { storage: await page.context().storageState() });
  await begin(other, "Switch Bluetooth on.", device);
  await other.standing("In line");
  await goHome(viewer, phone);
  await goHome(viewer, phone);
  await other.standing("In line");
  check("what is taken over stays the person's while a task waits", (await phoneState(phone)).bluetooth === false);
  await viewer.button("Hand back").click();
  await viewer.standing("Done");
  await other.standing("Done");
  const { wifi, bluetooth } = await phoneState(phone);
  check("handed back, the agent goes on, then the one that waited", wifi === false && bluetooth === true, { wifi, bluetooth });
  await other.close("the one that waited");
}

async function aTaskMeanwhile(viewer, device, phone, held) {
  const { page } = viewer;
  await viewer.go(`#/phone/${encodeURIComponent(device)}`);
  await viewer.button("Take over").click();
  await page.getByText("You are driving this phone").first().waitFor();
  await goHome(viewer, phone);
  await page.getByText("A person is driving this phone.").waitFor();
  await page.getByLabel("What should a phone do?").fill("Switch Wi-Fi on.");
  await accessible(viewer, "a task for a phone that is driven");
  // As it is told while adb's server starts anew.
  const blink = await page.evaluate(async () => {
    const { state, update } = await import("/page/store.js");
    const { devices } = state;
    const drawn = () => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)));
    update((s) => (s.devices = []));
    await drawn();
    const told = [document.getElementById("task")?.value, document.querySelectorAll(".control").length];
    update((s) => (s.devices = devices));
    await drawn();
    return [...told, document.getElementById("task")?.value];
  });
  check(
    "a phone that is away for a moment takes neither what is written nor the panel along",
    String(blink) === "Switch Wi-Fi on.,1,Switch Wi-Fi on.",
    blink,
  );
  const other = await Viewer.open(viewer.page.context().browser(), viewer.origin, { storage: await page.context().storageState() });
  await begin(other, "Switch Wi-Fi on.", device);
  await other.standing("In line");
  check("a task for a phone that is driven waits", Boolean((await held()).by_hand));
  await viewer.button("Done with the phone").click();
  await other.standing("Done");
  check("and begins when the person is done", (await phoneState(phone)).wifi === true);
  await other.go(`#/phone/${encodeURIComponent(device)}`);
  await other.button("Take over").click();
  await other.page.getByText("You are driving this phone").first().waitFor();
  await until("the phone to be held", async () => (await held()).by_hand);
  await other.page.goto("about:blank");
  await until("the phone to be free", async () => !(await held()).busy, 10_000);
  check("a page that is closed gives the phone back", true);
  await other.page.close();
}

async function afterATask(viewer, device, phone, held) {
  const { page } = viewer;
  await begin(viewer, "Switch airplane mode off.", device);
  await viewer.standing("Done");
  const run = viewer.session();
  await viewer.button("Drive this phone").click();
  await page.waitForURL(/#\/phone\//);
  await page.getByText("You are driving this phone").first().waitFor();
  await goHome(viewer, phone);
  await viewer.button("Done with the phone").click();
  await until("the phone to be free", async () => !(await held()).busy);
  await viewer.go("#/history");
  await page.getByRole("searchbox").fill("airplane mode off");
  await page.keyboard.press("Enter");
  await page.locator(`a.run[href*="${run}"]`, { hasText: "Done" }).waitFor();
  check("what was done stays in the history as it ended, though the phone was driven after it", true);
}

/// The newest to take over has the phone, and the other is told at once.
async function inTwoTabs(viewer, device, phone, held) {
  const { page } = viewer;
  const storage = await page.context().storageState();
  const other = await Viewer.open(page.context().browser(), viewer.origin, { storage });
  for (const one of [viewer, other]) {
    await one.go(`#/phone/${encodeURIComponent(device)}`);
    await one.button("Take over").click();
    await one.page.getByText("You are driving this phone").first().waitFor();
  }
  await page.getByText("You are now driving this phone in another tab or browser.").waitFor();
  check("a tab is told that another one drives", (await page.getByText("You are driving this phone").count()) === 0);
  const focused = await other.page.evaluate(() => document.activeElement.className);
  check("who takes over can type at once", focused === "writing", focused);
  await page.reload();
  await goHome(other, phone);
  check("what the first tab does is nothing to the second", Boolean((await held()).busy));
  await other.button("Done with the phone").click();
  await until("the phone to be free", async () => !(await held()).busy);
  await other.close("the second tab");
}

/// Nothing that was written is lost, and Enter is for it; a sign-out gives the phone back.
async function writtenToTheLast(viewer, device, phone, held) {
  const { page } = viewer;
  await viewer.takeOver(device, "Notes");
  await until("Notes", async () => (await app(phone)).includes("notes"));
  await page.locator(".sending").waitFor({ state: "detached" });
  const glass = page.locator(".run-screen .glass");
  await glass.focus();
  await page.keyboard.press("ArrowDown");
  await page.locator(".cross").waitFor();
  await page.keyboard.type("nowhere");
  await page.locator(".cross").waitFor({ state: "detached" });
  check("a place that was aimed at is forgotten when one types", true);
  await viewer.button("Done with the phone").click();
  await until("the phone to be free", async () => !(await held()).busy);
  await page.locator("a.run").first().click();
  await page.locator(".step", { hasText: "nowhere" }).first().waitFor();
  check("what was written before one was done is still typed", true);
}

/// A hint gives the phone back, after what was written.
async function writtenBeforeAHint(viewer, device, phone) {
  const { page } = viewer;
  await phoneFault(phone, SLOW);
  await begin(viewer, "Switch Wi-Fi off.", device);
  await viewer.standing("Running");
  await viewer.button("Take over").click();
  await page.getByText("You are driving this phone").first().waitFor();
  await viewer.standing("By hand");
  await phoneFault(phone);
  const hint = page.getByLabel("Go on with a hint");
  await hint.fill("It is in the settings.");
  await page.locator(".run-screen .glass").focus();
  await page.keyboard.type("early");
  await hint.press("Enter");
  await page.getByText("Sent.", { exact: true }).first().waitFor();
  const left = await page.locator(".control, .toast.bad").allTextContents();
  check("a hint gives the phone back, and nobody is told that it was taken", left.length === 0, left);
  await page.locator(".step", { hasText: "early" }).first().waitFor();
  await viewer.standing("Done");
  check("what was written before is typed before the run goes on", true);
}

async function givenUp(viewer, device) {
  const { page } = viewer;
  for (const there of ["the run's page", "the first page"]) {
    await begin(viewer, 'Tell Anna in the Messages app: "given up"', device);
    await viewer.standing("Asks");
    const run = viewer.session();
    if (there === "the first page") await viewer.go();
    const card = page.locator(".run-page, .asking");
    await card.getByRole("button", { name: "Give up the task" }).first().click();
    await viewer.go(`#/session/${run}`);
    await viewer.standing("Stopped");
    await viewer.go();
    await until("no question to wait", async () => (await page.locator(".asking").count()) === 0);
    check(`a question is given up on ${there}, and waits no longer`, true);
  }
}

/// Two processes have a virtual phone each, of the same name.
export async function elsewhere({ browser, server }) {
  const folder = await mkdtemp(join(tmpdir(), "ayeaye-page-"));
  const env = { AYEAYE_DATA_DIR: join(folder, "data"), HOME: folder, AYEAYE_MODEL_BASE_URL: "", AYEAYE_MODEL_NAME: "" };
  const binary = server.command[0];
  const own = new Server({ binary, folder, port: await freePort(), words: ["--virtual"], env });
  await own.start();
  const viewer = await Viewer.open(browser, own.origin, {});
  const { page } = viewer;
  await page.goto(await own.link());
  const ask = own.client(await own.cookie());
  const words = ["run", "--virtual", "--max-steps", "50", "Switch airplane mode on."];
  const other = spawn(binary, words, { env: own.env, stdio: "ignore" });
  const ended = new Promise((done) => other.once("exit", done));
  const session = await until("the other's run", async () => (await ask("sessions?limit=5")).sessions[0]);
  await viewer.go(`#/session/${session.session_id}`);
  await page.getByText("The virtual phone of this run is, or was, in another process.").waitFor();
  await page.locator(".run-screen .pixels").first().waitFor();
  const steps = await page.locator(".run-screen .pixels").first().getAttribute("src");
  check("beside a run of another process are the pictures of its steps", /\/steps\/\d+\/picture/.test(steps), steps);
  check("its phone cannot be taken over from here", (await viewer.button("Take over").count()) === 0);
  const refused = await own.request(`sessions/${session.session_id}/act`, {
    body: { action: "key", key: "HOME" },
    cookie: await own.cookie(),
  });
  check("nor acted on", refused.status === 409, refused.status);
  await accessible(viewer, "a run of another process");
  await ended;
  await viewer.close("another process");
  await own.stop();
  await rm(folder, { recursive: true, force: true });
}
