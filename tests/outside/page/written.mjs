// What is written stays through all that happens to a run meanwhile; and who has the phone is told rightly.

import { check, until } from "./checks.mjs";
import { phone, run, Staged } from "./staged.mjs";
import { accessible } from "./viewer.mjs";

const A = "a:1";
const PAUSED = { running: false, stop_reason: "USER_PAUSED", can: { guide: true, resume: true, new_task: true, take: true } };
const DONE = { running: false, stop_reason: "TASK_COMPLETED_SUCCESSFULLY", can: { new_task: true } };

export async function written(all) {
  await hintsStay(all);
  await textsStay(all);
  await whoHasIt(all);
  await yourTurn(all);
  await doubleClick(all);
}

async function hintsStay(all) {
  const session = run({ device_id: A });
  const id = session.session_id;
  const told = [];
  const take = (route) => {
    told.push(route.request().postDataJSON());
    return route.fulfill({ json: {} });
  };
  const answers = { [`POST sessions/${id}/continue`]: take, [`GET sessions/${id}`]: { ...session, ...PAUSED } };
  const staged = await Staged.open(all, { hash: `#/session/${id}`, answers });
  const { page, viewer } = staged;
  await staged.begin({ devices: [phone(A)], sessions: [session], session });
  const hint = page.getByLabel(/^(Tell the agent|Go on with a hint)/);
  const next = page.getByLabel(/^Next request/);
  await hint.fill("The blue one");
  await hint.focus();
  await staged.tell(["session", { ...session, ...PAUSED }]);
  await page.getByText("Go on with a hint").waitFor();
  check("a hint stays through a pause", (await hint.inputValue()) === "The blue one", await hint.inputValue());
  check("and so does the keyboard", await hint.evaluate((field) => field === document.activeElement));
  await viewer.go("#/settings");
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await viewer.go(`#/session/${id}`);
  check("and while another page is looked at", (await hint.inputValue()) === "The blue one", await hint.inputValue());
  await next.fill("Then the red one");
  await staged.tell(["session", { ...session, waiting: true, question: { step: 1, kind: "info", text: "Which?", options: [] } }]);
  await page.locator(".ask").waitFor();
  await staged.tell(["session", { ...session, ...PAUSED }]);
  check("a next request stays through a question", (await next.inputValue()) === "Then the red one");
  await next.fill("");
  await staged.tell(["session", { ...session, ...DONE }]);
  check("a hint is not lost when the run ends", (await next.inputValue()) === "The blue one", await next.inputValue());
  await viewer.button("Start").click();
  await until("the request", () => 0 < told.length);
  await page.getByText("Sent.").waitFor();
  await staged.tell(["session", session]);
  await hint.waitFor();
  check("what was sent is gone", (await hint.inputValue()) === "" && told[0].task === "The blue one", told);
  await staged.close("hints");
}

/// A phone in a person's hand, on the page of its run.
async function driven(all, session, answers = {}) {
  const id = session.session_id;
  const staged = await Staged.open(all, {
    hash: `#/session/${id}`,
    answers: {
      [`POST devices/${A}/control`]: { session_id: id, control: "mine", keep_after_ms: 60_000 },
      [`PUT devices/${A}/control`]: {},
      [`DELETE devices/${A}/control`]: {},
      [`GET sessions/${id}`]: session,
      ...answers,
    },
  });
  await staged.begin({ devices: [phone(A, { busy: true, by_hand: "mine" })], sessions: [session], session });
  await staged.viewer.button("Take over").first().click();
  await staged.page.getByText("You are driving this phone").first().waitFor();
  return staged;
}

async function textsStay(all) {
  const session = run({ device_id: A, ...PAUSED });
  const id = session.session_id;
  for (const [by_hand, running, words] of [
    ["other", false, "in another tab or browser"],
    [true, false, "Somebody else is driving this phone now"],
    [undefined, true, "The agent has the phone again"],
    [undefined, false, "You no longer drive this phone"],
  ]) {
    const staged = await driven(all, session);
    const { page, viewer } = staged;
    await page.getByLabel("Text to type").fill("Half a senten");
    const keep = `PUT devices/${A}/control`;
    staged.answers[keep] = (route) => route.fulfill({ status: 409, json: { error: "no longer driven by hand" } });
    // What the page was told last is from before.
    staged.answers["GET devices"] = { devices: [phone(A, { busy: true, by_hand })] };
    staged.answers[`GET sessions/${id}`] = { ...session, running };
    await staged.tell(["devices", { devices: [phone(A, { busy: true, by_hand: by_hand ?? "another" })] }]);
    await page.locator(".toast", { hasText: words }).waitFor();
    check(`a phone that is lost: ${words}`, true);
    staged.answers[keep] = {};
    await viewer.button("Take over").click();
    const text = page.getByLabel("Text to type");
    check("a text stays for when the phone is back", (await text.inputValue()) === "Half a senten", await text.inputValue());
    await page.getByLabel("Secret").check();
    await text.fill("hunter2");
    const kept = await page.evaluate(() => JSON.stringify(sessionStorage));
    check("a secret is not kept", !kept.includes("hunter2") && !kept.includes("senten"), kept);
    await staged.close("a phone that is lost");
  }
}

/// How the run stands is said as it is: while it is driven here, while it is driven elsewhere, and after.
async function whoHasIt(all) {
  const session = run({ device_id: A, ...PAUSED, message: "the operator paused the run" });
  const staged = await driven(all, session);
  const { page, viewer } = staged;
  const head = () => page.locator(".run-head .row").first().innerText();
  const said = async (name, ...words) => {
    const now = (await head()).replace(/\s+/g, " ");
    check(`how a run stands: ${name}`, words.every((one) => now.includes(one)), now);
  };
  await said("taken over", "By hand", "It waits while the phone is driven by hand.");
  // What is done by hand looks like a run that goes on, to a page that has not heard yet that it is driven.
  const acting = { ...session, running: true, stop_reason: "STILL_RUNNING", message: "" };
  await staged.tell(["session", { ...acting, can: { guide: true, pause: true, stop: true, take: true } }]);
  await said("an act on its way", "By hand", "It waits while");
  check("and nothing can be paused or stopped", (await page.getByRole("button", { name: /^(Pause|Stop)$/ }).count()) === 0);
  const message = "a person acts on the phone by hand; the session can be handed to the agent";
  const after = { ...session, message, acted_by: "person" };
  await staged.tell(["session", { ...after, driven: true }]);
  await said("an act that is over", "By hand", "It waits while");
  await viewer.button("Done with the phone").click();
  await said("driven in another tab", "By hand", "It waits while");
  await staged.tell(["session", after], ["sessions", { sessions: [after] }]);
  await said("given back", "Paused", "The phone was driven by hand. The agent can go on from here.");
  await page.locator(".language select").selectOption("zh");
  await page.locator(":root:lang(zh-Hans) .run-message").waitFor();
  await staged.tell();
  await said("given back, in Chinese", "手机已由人手动操作");
  await page.locator(".language select").selectOption("en");
  await staged.tell(["session", { ...after, acted_by: "client" }]);
  await said("by a client", "Your client acted on the phone itself.");
  const lost = { ...session, stop_reason: "MODEL_FAILED", message: "no model answers: `ayeaye doctor` says more" };
  await staged.tell(["session", lost]);
  await said("the server's own words", "No model answers: ayeaye doctor says more");
  check("names of commands are set apart", (await page.locator(".run-message code").textContent()) === "ayeaye doctor");
  const task = "Sign in with [secret password 8-15 #29880cf8] now";
  await staged.tell(["session", { ...lost, task, model_ms: 0 }]);
  const title = page.locator("h1");
  check("a secret is dots", (await title.innerText()) === "Sign in with •••••• now", await title.innerText());
  check("which are words for who hears them", await title.getByRole("img", { name: "a secret" }).isVisible());
  const cost = page.locator(".fact", { hasText: "Cost" }).locator("dd");
  check("where no model was asked there is no cost", (await cost.innerText()) === "–", await cost.innerText());
  await staged.tell(["session", { ...lost, model_ms: 900, cost_usd: 0.5 }]);
  check("where one was, its price", (await cost.innerText()) === "$0.50" || (await cost.innerText()) === "US$0.50", await cost.innerText());
  await staged.tell(["session", { ...lost, model_ms: 900, cost_known: false }]);
  check("unless nobody knows it", (await cost.innerText()) === "–", await cost.innerText());
  await accessible(viewer, "a run with a secret");
  const hint = "it does not answer: unplug it, or over Wi-Fi `ayeaye disconnect` and `ayeaye connect` it";
  await staged.tell(["devices", { devices: [phone(A, { state: "offline", hint })] }]);
  for (const hash of ["", `#/phone/${A}`]) {
    await page.evaluate((to) => (location.hash = to), hash);
    const there = page.locator(".hint", { hasText: "It does not answer: unplug it, or over Wi-Fi ayeaye disconnect and" });
    await there.waitFor();
    check(`what to do is a sentence, with its commands set apart: ${hash}`, (await there.locator("code").count()) === 2);
  }
  await staged.close("who has the phone");
}

/// What a person is asked to do at the phone is told to the agent when they hand the phone back.
async function yourTurn(all) {
  const question = { step: 3, kind: "takeover", text: "Please sign in.", options: [], app: "com.android.launcher3" };
  const can = { answer: true, stop: true, take: true, new_task: true };
  const stop_reason = "INFO_ACTION_NEEDS_REPLY";
  const session = run({ device_id: A, running: false, waiting: true, stop_reason, question, can });
  const told = [];
  const answer = (route) => {
    told.push(route.request().postDataJSON());
    return route.fulfill({ json: {} });
  };
  const staged = await driven(all, session, { [`POST sessions/${session.session_id}/continue`]: answer });
  const { page, viewer } = staged;
  check("a home screen is no app", (await page.getByText("in com.android.launcher3").count()) === 0);
  check("whoever drives is not offered to take over", (await viewer.button("Take over").count()) === 0);
  await accessible(viewer, "a person's turn, driving");
  await viewer.button("Hand back").click();
  await until("the answer", () => 0 < told.length);
  check("handing back says that it is done", told[0].reply === "done" && told[0].question_step === 3, told);
  await page.locator(".control").waitFor({ state: "detached" });
  await staged.close("a person's turn");
}

/// The second click of a double click on "Pause" does not go on again.
async function doubleClick(all) {
  const session = run({ device_id: A });
  const id = session.session_id;
  const told = [];
  const paused = { ...session, ...PAUSED };
  const staged = await Staged.open(all, {
    hash: `#/session/${id}`,
    answers: {
      [`POST sessions/${id}/pause`]: paused,
      [`GET sessions/${id}`]: paused,
      [`POST sessions/${id}/continue`]: (route) => {
        told.push("continue");
        return route.fulfill({ json: {} });
      },
    },
  });
  const { page, viewer } = staged;
  await staged.begin({ devices: [phone(A)], sessions: [session], session });
  const box = await viewer.button("Pause").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.click(x, y);
  await viewer.button("Go on").waitFor();
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await viewer.button("Go on").click();
  await page.getByText("It goes on.").waitFor();
  check("a double click on Pause pauses once", told.length === 1, told);
  await staged.close("a double click");
}
