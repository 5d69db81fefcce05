// Where somebody is on the page and in lists, and how runs stand there.

import { check, until } from "./checks.mjs";
import { phone, run, Staged, step } from "./staged.mjs";
import { accessible, PHONE } from "./viewer.mjs";

const A = "a:1";

export async function places(all) {
  await historyStays(all);
  await searching(all);
  await standings(all);
  await questionsOnAPhone(all);
}

const found = (from, to, more) => {
  const line = (number) =>
    run({
      session_id: `00000000-0000-7000-8000-${String(1e6 - number).padStart(12, "0")}`,
      task: `Old ${number}`,
      running: false,
      stop_reason: "CANCELLED",
      ended_at: new Date().toISOString(),
    });
  const sessions = Array.from({ length: to - from }, (_, at) => line(from + at));
  return { sessions, more, next: more ? sessions.at(-1).session_id : null };
};

/// Whoever comes back to the history finds all that was loaded, where they were.
async function historyStays(all) {
  const answer = (route) => {
    const after = new URL(route.request().url()).searchParams.has("before");
    return route.fulfill({ json: after ? found(50, 100, false) : found(0, 50, true) });
  };
  const staged = await Staged.open(all, { hash: "#/history", answers: { "GET sessions": answer } });
  const { page, viewer } = staged;
  const runs = page.locator(".run");
  await staged.begin();
  await runs.nth(49).waitFor();
  await viewer.button("More").click();
  await runs.nth(99).waitFor();
  const target = runs.nth(80);
  await target.scrollIntoViewIfNeeded();
  const before = await page.evaluate(() => window.scrollY);
  await target.click();
  await page.waitForURL(/session/);
  await staged.tell(["session", { ...found(80, 81).sessions[0] }]);
  check("a new page begins at its top", (await page.evaluate(() => window.scrollY)) === 0 && 0 < before, before);
  const asked = staged.asked.length;
  await page.goBack();
  await until("the newest to be read anew", () => staged.asked.slice(asked).some(({ name }) => name === "GET sessions"));
  await page.locator(".found:not(.before)").waitFor();
  const now = await page.evaluate(() => [window.scrollY, document.activeElement.textContent]);
  check("whoever goes back is where they were", now[0] === before && now[1].includes("Old 80"), [before, now]);
  check("with all that was loaded", (await runs.count()) === 100 && (await viewer.button("More").count()) === 0, await runs.count());
  await staged.close("going back");
}

/// What was found before is not taken for what is looked for now.
async function searching(all) {
  const staged = await Staged.open(all, { hash: "#/history", answers: { "GET sessions": found(0, 3, false) } });
  const { page } = staged;
  await staged.begin();
  await page.getByText("3 runs").waitFor();
  let release;
  staged.answers["GET sessions"] = (route) => (release = () => route.fulfill({ json: found(0, 1, false) }));
  await page.getByLabel("Search tasks, apps, phones, results").fill("one");
  await page.getByText("Searching…").waitFor();
  check("a list that is being searched says so", (await page.locator(".found").getAttribute("aria-busy")) === "true");
  await accessible(staged.viewer, "a search");
  await until("the search", () => release);
  await release();
  await page.getByText("1 run", { exact: true }).waitFor();
  check("until the answer is there", (await page.locator(".found").getAttribute("aria-busy")) === "false");
  await staged.close("a search");
}

async function standings(all) {
  const away = run({
    away_until: "2030-01-01T02:58:30Z",
    message: "The phone is waited for until 2030-01-01T02:58:30Z: gone.",
    steps: [step(0, { action_type: "", label: "", over: false, picture: false })],
  });
  const damaged = run({
    running: false,
    unreadable: true,
    stop_reason: "STORAGE_FAILED",
    task: "",
    message: "the record is damaged",
  });
  const staged = await Staged.open(all, { hash: `#/session/${away.session_id}` });
  const { page } = staged;
  await staged.begin({ devices: [phone(A)], sessions: [away, damaged], session: away });
  const head = await page.locator(".run-head").innerText();
  const told = /Phone away/.test(head) && /Waiting for the phone until .*02:58/.test(head) && !head.includes("T02");
  check("a run whose phone is away says so, in local time", told, head);
  check("so does its step", await page.locator(".step").getByText("Waiting for the phone…").isVisible());
  await staged.viewer.go("#/");
  const line = page.locator(".run").nth(1);
  const chip = await line.locator(".chip").boundingBox();
  const title = await line.locator(".run-task").boundingBox();
  check("a record that cannot be read is no record that cannot be written", (await line.innerText()).includes("Record cannot be read"));
  check("and nothing of it is counted", (await line.locator(".run-time").textContent()) === "–", await line.innerText());
  check("a long word stays beside the task", chip.x + chip.width <= title.x, [chip, title]);
  await accessible(staged.viewer, "runs that are away and damaged");
  await staged.close("how runs stand");
}

async function questionsOnAPhone(all) {
  const stop_reason = "INFO_ACTION_NEEDS_REPLY";
  const asks = run({ running: false, waiting: true, question: "Which\u0007?", question_step: 1, stop_reason });
  const question = { step: 1, kind: "info", text: "Which\u0007?", options: ["Red\u001b[31m", "Blue"] };
  const answers = { [`GET sessions/${asks.session_id}`]: { ...asks, question } };
  const staged = await Staged.open(all, { hash: "#/settings", size: PHONE, answers });
  const { page } = staged;
  await staged.begin({ devices: [phone(A)], sessions: [asks] });
  const tab = page.getByRole("link", { name: /Phones.*1 question waits/ });
  check("on a phone, the tab of the phones says that a question waits", await tab.locator(".asks").isVisible());
  await accessible(staged.viewer, "a question that waits, on a phone");
  await staged.viewer.go("#/");
  await page.getByRole("button", { name: "Blue" }).waitFor();
  const words = await page.locator(".ask").innerText();
  check("control characters are not shown", !/[\0-\x08\x0b-\x1f]/.test(words) && words.includes("Which?"), words);
  await page.emulateMedia({ forcedColors: "active" });
  const frame = await page.locator(".pages a[aria-current]").evaluate((link) => getComputedStyle(link).outlineStyle);
  check("with few colours, the page that is shown has a frame", frame === "solid", frame);
  await staged.close("a question, on a phone");
}
