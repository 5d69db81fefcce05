// A run is begun, watched, answered, guided, paused, stopped, continued and queued from the page.

import { check, until } from "./checks.mjs";
import { phoneState } from "./server.mjs";
import { accessible, accessibleInAll, Viewer } from "./viewer.mjs";

export async function begin(viewer, task, device) {
  await viewer.go();
  const box = viewer.page.getByLabel("What should a phone do?");
  await box.fill(task);
  if (device) await viewer.page.locator(".compose select").selectOption(device);
  await viewer.page.locator(".compose button[type=submit]").click();
  const refusal = viewer.page.locator(".compose").getByRole("alert");
  await Promise.race([viewer.page.waitForURL(/#\/session\//), refusal.waitFor().catch(() => {})]);
  if (await refusal.count()) throw new Error(`refused: ${await refusal.first().textContent()}`);
}

export async function watching({ browser, server, storage, device, phone }) {
  const viewer = await Viewer.open(browser, server.origin, { storage });
  const { page } = viewer;
  await viewer.go();
  await page.locator(".phone .pixels").first().waitFor();
  check(
    "the phone is shown, with its screen",
    await page
      .locator(".phone .pixels")
      .first()
      .evaluate((image) => image.naturalWidth > 100),
  );
  await accessibleInAll(viewer, "phones");
  await page.getByLabel("What should a phone do?").press("Control+Enter");
  await page.getByRole("alert").filter({ hasText: "First say what the phone should do." }).waitFor();
  check("a task that is missing is told", true);

  await keptWhileOneLooksElsewhere(viewer);

  const words = "The train is late (page)";
  await begin(viewer, `Tell Anna in the Messages app: "${words}"`, device);
  await viewer.standing("Running");
  await page.locator(".step").first().waitFor();
  check("its steps come while it runs", await page.locator(".run-head .chip", { hasText: "Running" }).isVisible());
  // As most see it: what moves must be as easy to read as what stands still.
  await viewer.page.emulateMedia({ reducedMotion: "no-preference" });
  // What only comes in is looked at once it is there.
  await viewer.page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((it) => it.effect.getComputedTiming().iterations !== Infinity)
        .map((it) => it.finished.catch(() => {})),
    ),
  );
  await accessible(viewer, "a run under way");
  await viewer.page.emulateMedia({ reducedMotion: "reduce" });
  await page.getByRole("heading", { name: "Question" }).waitFor();
  await viewer.standing("Asks");
  check("the tab says that a question waits", (await page.title()).startsWith("(1) "), await page.title());
  await until("the question to be said aloud", async () => /Anna|Asks/.test(await page.locator("#said-assertive").textContent()));
  check("the question is said to screen readers", true);
  await accessibleInAll(viewer, "a question");
  await lookAtSteps(viewer);
  const sent = async () => (await phoneState(phone)).sent.filter((message) => message.text === words);
  check("nothing is sent before the answer", (await sent()).length === 0);
  const head = await page.locator(".ask-head").textContent();
  check("an app is called by its name", !head.includes("com."), head);
  await staleAnswer(page);
  await until("the question to be gone from the live region", async () => !(await page.locator("#said-assertive").textContent()));
  check("what was said aloud does not stay", true);
  const choice = page.locator(".choices .button", { hasText: "Bauer" });
  if (await choice.count()) await choice.click();
  else {
    await page.getByLabel(/Your answer|Or in your own words/).fill("Anna Bauer");
    await viewer.button("Answer").click();
  }
  await viewer.standing("Done");
  const now = await sent();
  check("answered, it is done: sent once, to the right Anna", now.length === 1 && /bauer/i.test(now[0].to), now);
  await accessibleInAll(viewer, "a run that is done");

  // The next request in the same session, paused, guided and resumed.
  const session = viewer.session();
  await page.getByLabel("Next request").fill("Switch Wi-Fi off.");
  await page.getByLabel("Next request").press("Enter");
  await viewer.standing("Running");
  await viewer.button("Pause").click();
  await viewer.standing("Paused");
  check("the next request goes on in the same session", viewer.session() === session, viewer.session());
  await accessible(viewer, "a paused run");
  await page.getByLabel("Go on with a hint").fill("It is in the settings.");
  await page.getByLabel("Go on with a hint").press("Enter");
  await viewer.standing("Done");
  check("paused, told something and resumed, it is done", (await phoneState(phone)).wifi === false);

  await begin(viewer, "Switch Wi-Fi on.", device);
  await viewer.standing("Running");
  await page.getByLabel("Tell the agent").fill("Take your time.");
  await viewer.page.locator(".say button").first().click();
  await page.getByText("Sent.", { exact: true }).first().waitFor();
  check("guidance is taken while it runs", true);
  await viewer.button("Stop").click();
  await viewer.standing("Stopped");
  await viewer.button("Go on").click();
  await viewer.standing("Done");
  check("stopped and resumed, it is done", (await phoneState(phone)).wifi === true);
  await page.getByRole("link", { name: "Phones", exact: true }).click();
  check("what was begun is written no longer", (await page.getByLabel("What should a phone do?").inputValue()) === "");
  await viewer.close("watching");
  return session;
}

/// A task that is being written is there when one comes back.
async function keptWhileOneLooksElsewhere({ page }) {
  const box = page.getByLabel("What should a phone do?");
  await box.fill("Half a ta");
  await page.getByRole("link", { name: "History", exact: true }).click();
  await box.waitFor({ state: "detached" });
  await page.goBack();
  await box.waitFor();
  check("a task that is being written is kept while one looks at the history", (await box.inputValue()) === "Half a ta");
}

/// The page is told of a question late: what it answers is not asked any more.
async function staleAnswer(page) {
  const box = page.getByLabel(/Your answer|Or in your own words/);
  await box.fill("Anna Bauer");
  await page.evaluate(async () => {
    const { state } = await import("/page/store.js");
    state.open.get(state.route.session).session.question.step -= 1;
    document.querySelector(".answer").requestSubmit();
  });
  await page.getByRole("alert").filter({ hasText: "not open any more" }).waitFor();
  const [sent, kept] = [await page.getByText("Sent.", { exact: true }).count(), await box.inputValue()];
  check("an answer to a question that is not open any more is not said to be sent", sent === 0, [sent, kept]);
}

async function lookAtSteps(viewer) {
  const { page } = viewer;
  const tapped = page.locator(".step", { hasText: "Tap on" }).first();
  const thought = tapped.locator(".step-open");
  await thought.focus();
  await page.keyboard.press("Enter");
  const mark = page.locator(".run-screen .mark");
  await mark.waitFor();
  const picture = await page.locator(".run-screen .pixels").boundingBox();
  const at = await mark.boundingBox();
  check(
    "the mark stands on the picture where it tapped",
    picture.x < at.x + at.width &&
      at.x < picture.x + picture.width &&
      picture.y < at.y + at.height &&
      at.y < picture.y + picture.height,
    [picture, at],
  );
  check("times are told for each step", /\d (ms|s)/.test(await tapped.locator(".step-times").textContent()));
  await page.keyboard.press("ArrowDown");
  check("arrow keys go through the steps", (await page.evaluate(() => document.activeElement.className)) === "step-open");
  await accessible(viewer, "a step that is looked at");
  await viewer.button("Step before").click();
  await viewer.button("Step after").click();
  await viewer.button("Back to live").click();
  await page.locator(".screen-bar .chip", { hasText: "Live" }).waitFor();
}
