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
