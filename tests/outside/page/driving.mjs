// A person takes the phone over: taps, swipes, types and keys on its picture, leave that is asked for, and back.

import { check, until } from "./checks.mjs";
import { phoneFault, phoneState } from "./server.mjs";
import { accessible, accessibleInAll, LAPTOP, Viewer } from "./viewer.mjs";
import { begin } from "./watching.mjs";

// The virtual phone's screen, in pixels.
const [WIDTH, HEIGHT] = [1080, 2400];

// What is written by hand: with keys, and by an input method.
const [KEYS, COMPOSED] = ["By hand ", "你好吗"];
const TEXT = KEYS + COMPOSED;

const glassOf = (page) => page.locator(".run-screen .glass");
const app = async (phone) => (await phoneState(phone)).foreground.package;

/// All that is said of how the run stands, and offered, until the returned function is called.
async function watchHead(page) {
  await page.evaluate(() => {
    const now = () =>
      [...document.querySelectorAll(".run-head .chip, .run-message, .actions .button, .say .strong, .now .chip")]
        .map((part) => part.textContent)
        .join(" | ");
    window.heads = [now()];
    new MutationObserver(() => window.heads.at(-1) !== now() && window.heads.push(now())).observe(document.body, {
      childList: true,
      characterData: true,
      subtree: true,
    });
  });
  return () => page.evaluate(() => window.heads);
}

/// Where an element stands on the picture, by the phone's own word for where it is.
async function place(page, phone, fits) {
  const { nodes } = await until("the element", async () => {
    const state = await phoneState(phone);
    return state.nodes.some(fits) && state;
  });
  const { bounds } = nodes.find(fits);
  const box = await glassOf(page).locator(".pixels").boundingBox();
  const [left, top, right, bottom] = bounds;
  return { x: box.x + ((left + right) / 2 / WIDTH) * box.width, y: box.y + ((top + bottom) / 2 / HEIGHT) * box.height };
}

async function tap(page, phone, fits) {
  const { x, y } = await place(page, phone, fits);
  await page.mouse.click(x, y);
}

export async function driving({ browser, server, storage, device, phone }) {
  const viewer = await Viewer.open(browser, server.origin, { storage });
  const { page } = viewer;
  // So slow that the run is at work until it is taken over, however busy this machine is.
  await phoneFault(phone, { capture_delay_ms: 2000 });
  await begin(viewer, "Switch Wi-Fi off.", device);
  await viewer.standing("Running");
  await page.locator(".step").first().waitFor();
  await viewer.button("Take over").click();
  await page.getByText("You are driving this phone").first().waitFor();
  await viewer.standing("By hand");
  await phoneFault(phone);
  await viewer.button("Hand back").waitFor();
  const paused = await until("the run to be paused", async () => (await viewer.button("Pause").count()) === 0);
  check("taking over pauses the run", paused && (await page.locator(".run-message").textContent()).startsWith("It waits"));
  await accessibleInAll(viewer, "a phone in a person's hand");

  const seen = await watchHead(page);
  await viewer.button("Home").click();
  await until("the launcher", async () => (await app(phone)).includes("launcher"));
  check("the key Home goes to the phone", true);
  await page.locator(".sending").waitFor({ state: "detached" });
  await page.locator(".step .tag", { hasText: "You" }).first().waitFor();
  const heads = await seen();
  check("how the run stands, and what can be done with it, stays through an act", heads.length === 1, heads);
  await tap(page, phone, (node) => node.text === "Notes" || node.desc === "Notes");
  await until("Notes", async () => (await app(phone)).includes("notes"));
  await page.locator(".step .tag", { hasText: "You" }).first().waitFor();
  check("a tap on the picture opens the app, and is a recorded step", true);
  const glass = glassOf(page);
  await glass.focus();
  await page.keyboard.press("Escape");
  await until("the launcher", async () => (await app(phone)).includes("launcher"));
  check("Escape on the picture goes back", true);
  const box = await glass.locator(".pixels").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.7);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.2, { steps: 5 });
  await page.mouse.up();
  await page
    .locator(".step", { hasText: /Swipe|Slide/ })
    .first()
    .waitFor();
  check("a drag is a swipe", true);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2, { delay: 700 });
  await page
    .locator(".step", { hasText: /[Ll]ong/ })
    .first()
    .waitFor();
  check("a press that rests is a long press", true);

  await page.getByText("More", { exact: true }).click();
  await page.getByLabel("App to open").fill("Settings");
  await page.getByLabel("App to open").press("Enter");
  await until("Settings", async () => (await app(phone)).includes("settings"));
  check("an app is opened by its name", true);
  await viewer.button("Hand back").click();
  await viewer.standing("Done");
  check("handed back, the agent does the rest", (await phoneState(phone)).wifi === false);
  await typedThenTapped(viewer, device, phone);
  await leaveIsAsked(viewer, device, phone);
  await othersWait(viewer, device);
  await viewer.close("driving");
}

/// What is typed goes where the cursor was when it was typed, however soon the next tap comes.
async function typedThenTapped(viewer, device, phone) {
  const { page } = viewer;
  await viewer.takeOver(device, "Notes");
  await until("Notes", async () => (await app(phone)).includes("notes"));
  await tap(page, phone, (node) => node.desc === "New note");
  const field = (name) => (node) => /EditText/.test(node.class) && node.id.endsWith(name);
  await until("the cursor in the title", async () =>
    (await phoneState(phone)).nodes.some((node) => field("title")(node) && node.focused),
  );
  await page.locator(".sending").waitFor({ state: "detached" });
  // What has the focus comes into view: only then it is known where it stands.
  await glassOf(page).focus();
  const { x, y } = await place(page, phone, field("body"));
  await page.keyboard.type("Trip");
  await page.mouse.click(x, y);
  await page.keyboard.type("Leave");
  await viewer.button("Back").click();
  await page.locator(".sending").waitFor();
  await page.locator(".sending").waitFor({ state: "detached" });
  const { nodes } = await phoneState(phone);
  const written = ["title", "body"].map((name) => nodes.find(field(name))?.text);
  check("what is typed before a tap or a key goes to the phone before it", String(written) === "Trip,Leave", written);
  await viewer.button("Done with the phone").click();
  await page.locator(".control").waitFor({ state: "detached" });
}

/// A phone that no run drives; a text that is written by hand, and a button that sends it.
async function leaveIsAsked(viewer, device, phone) {
  const { page } = viewer;
  await viewer.takeOver(device, "Messages");
  await until("Messages", async () => (await app(phone)).includes("messages"));
  const person = (node) => node.text === "Ben Carter";
  const written = (node) => /EditText/.test(node.class);
  const { nodes } = await until("Messages to be there", async () => {
    const state = await phoneState(phone);
    return state.nodes.some((node) => person(node) || written(node)) && state;
  });
  // An app comes back as it was left: perhaps with somebody else's messages.
  if (!nodes.some(person)) await viewer.button("Back").click();
  await tap(page, phone, person);
  await tap(page, phone, written);
  await until("the field to have the cursor", async () =>
    (await phoneState(phone)).nodes.some((node) => /EditText/.test(node.class) && node.focused),
  );
  await glassOf(page).focus();
  await page.keyboard.type(KEYS);
  await until("the text on the phone", async () => (await phoneState(phone)).nodes.some((node) => node.text === KEYS));
  check("what is typed on the picture is typed on the phone", true);
  await compose(page);
  await until("the other text", async () => (await phoneState(phone)).nodes.some((node) => node.text === TEXT));
  check("what an input method writes is typed on the phone too", true);
  // Such a text takes a keyboard of its own, and what stands above the keyboard moves until the old one is back.
  await page.locator(".sending").waitFor({ state: "detached" });
  const send = (node) => node.desc === "Send SMS";
  const sent = async () => (await phoneState(phone)).sent.filter((message) => message.text === TEXT).length;
  await tap(page, phone, send);
  await page.getByRole("alertdialog").waitFor();
  check("the gate asks the person before it is sent", (await sent()) === 0);
  const asked = await page.getByRole("alertdialog").textContent();
  check(
    "it says what would be sent, and that no agent does it",
    asked.includes("This would send something") && asked.includes(`"${TEXT}"`) && !asked.includes("The agent"),
    asked,
  );
  check(
    "and the cautious answer has the focus",
    (await page.evaluate(() => document.activeElement.textContent)) === "Do not do it",
  );
  await accessibleInAll(viewer, "leave that is asked for");
  await page.keyboard.press("Enter");
  await page.getByText("Not done, as you decided.").waitFor();
  check("a no leaves it unsent", (await sent()) === 0);
  await tap(page, phone, send);
  await page.getByRole("alertdialog").waitFor();
  await viewer.button("Yes, do it").click();
  await until("the message", async () => (await sent()) === 1);
  check("a yes sends it, once", (await sent()) === 1);
  await page.setViewportSize({ width: 1280, height: 757 });
  const done = await viewer.button("Done with the phone").boundingBox();
  check("the end of driving is on the screen of a small laptop", done.y + done.height <= 757, done);
  await page.setViewportSize(LAPTOP);
  await viewer.button("Done with the phone").click();
  await accessible(viewer, "a phone's page");
}

/// What another run asks stands below the phone in a person's hand, not beside it.
async function othersWait(viewer, device) {
  const { page } = viewer;
  await begin(viewer, 'Tell Anna in the Messages app: "Later"', device);
  await viewer.standing("Asks");
  const run = viewer.session();
  await viewer.go(`#/phone/${encodeURIComponent(device)}`);
  // Both pages have a place for questions; only that of the phone has one for tasks.
  await page.locator(".compose").waitFor();
  await page.locator(".run-ask .ask").waitFor();
  const above = async () => {
    const [ask, body] = await Promise.all([".run-ask", ".run-body"].map((part) => page.locator(part).boundingBox()));
    return ask.y < body.y;
  };
  check("what a run asks comes first", await above());
  await viewer.button("Take over").click();
  await page.getByText("You are driving this phone").first().waitFor();
  check("and waits below while the phone is driven by hand", !(await above()));
  await viewer.button("Done with the phone").click();
  await viewer.go(`#/session/${run}`);
  await page.getByLabel(/Your answer|Or in your own words/).fill("Anna Bauer");
  await viewer.button("Answer").click();
  await viewer.standing("Done");
}

/// As Chinese input methods do: letters are put together first, and what they mean comes without a key.
async function compose(page) {
  const browser = await page.context().newCDPSession(page);
  const [first, second, third] = COMPOSED;
  await browser.send("Input.imeSetComposition", { text: "ni", selectionStart: 2, selectionEnd: 2 });
  await browser.send("Input.insertText", { text: first });
  await page.keyboard.insertText(second);
  // Safari says that a text is complete, and then which keys have completed it.
  await page.evaluate((text) => {
    const field = document.activeElement;
    field.value = text;
    field.dispatchEvent(new CompositionEvent("compositionend", { data: text, bubbles: true }));
    for (const key of [" ", "1", "Enter"]) {
      field.dispatchEvent(new KeyboardEvent("keydown", { key, keyCode: 229, bubbles: true, cancelable: true }));
    }
  }, third);
}
