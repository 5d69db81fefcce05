// Which phone a task goes to: nothing changes it behind the back of whoever writes; and phones of one model are told apart.

import { check, until } from "./checks.mjs";
import { phone, run, Staged } from "./staged.mjs";
import { accessible } from "./viewer.mjs";

const [A, B, LONG] = ["a:1", "b:1", "adb-R5CR30ABCDE-aBcDeF._adb-tls-connect._tcp"];

export async function choices(all) {
  await thePhoneStays(all);
  await whereQuestionsWait(all);
  await oneModel(all);
}

async function thePhoneStays(all) {
  const tasks = [];
  const take = (route) => {
    tasks.push(route.request().postDataJSON());
    return route.fulfill({ json: { session_id: "x" } });
  };
  const staged = await Staged.open(all, { answers: { "POST tasks": take } });
  const { page, viewer } = staged;
  const chosen = () => page.locator(".compose select").inputValue();
  const task = page.getByLabel("What should a phone do?");
  const free = [phone(A), phone(B)];
  const busy = [phone(A, { busy: true }), phone(B)];
  await staged.begin({ devices: free });
  await staged.tell(["devices", { devices: busy }]);
  check("a phone that is free is offered", (await chosen()) === B, await chosen());
  await staged.tell(["devices", { devices: free }]);
  await task.fill("For the first");
  await staged.tell(["devices", { devices: busy }]);
  check("once somebody writes, the phone stays although it is busy by now", (await chosen()) === A, await chosen());
  await viewer.button("Queue").waitFor();
  await page.reload();
  await page.waitForFunction(() => 0 < window.streams.length);
  await staged.begin({ devices: busy });
  check("also when the page is loaded again", (await chosen()) === A && (await task.inputValue()) === "For the first");
  await staged.tell(["devices", { devices: [phone(B)] }]);
  check("also when it is away", (await chosen()) === A, await chosen());
  await page.getByText(`${A} is not reachable. Wait for it, or choose another phone.`).waitFor();
  check("then nothing can be started", await viewer.button("Start").isDisabled());
  await task.press("Control+Enter");
  await accessible(viewer, "a phone that is away while somebody writes");
  await page.locator(".compose select").selectOption(B);
  await staged.tell(["devices", { devices: free }]);
  await viewer.button("Start").click();
  await until("the task", () => 0 < tasks.length);
  check("a phone that was chosen gets it, once", tasks.length === 1 && tasks[0].device_id === B, tasks);
  await staged.close("the phone of a task");
}

async function whereQuestionsWait(all) {
  const staged = await Staged.open(all);
  const { page, viewer } = staged;
  const asks = (id) => run({ device_id: id, running: false, waiting: true, question: "Which?", question_step: 1 });
  await staged.begin({ devices: [phone(A), phone(B)], sessions: [asks(A), asks(B)] });
  check("no phone on which a question waits is chosen for somebody", (await page.locator(".compose select").inputValue()) === "");
  check("nothing is started without a choice", await viewer.button("Start").isDisabled());
  await page.locator(".compose select").selectOption(A);
  await viewer.button("Start all the same").waitFor();
  await page.getByText("A question waits on this phone.").waitFor();
  check("one that is chosen says what happens", true);
  await staged.close("phones that ask");
}

async function oneModel(all) {
  const staged = await Staged.open(all, { hash: "#/history" });
  const { page } = staged;
  const devices = [phone(A), phone(LONG), phone("c:1", { model: "Pixel 9" })];
  const sessions = [
    run({ device_id: A }),
    run({ device_id: LONG, running: false, waiting: true, question: "Which?", question_step: 1 }),
    run({ device_id: "c:1", device_model: "Pixel 9" }),
  ];
  staged.answers["GET sessions"] = { sessions, more: false };
  const names = ["Pixel 7 (a:1)", "Pixel 7 (adb-R5CR30ABCDE-aBcDeF)", "Pixel 9"];
  await staged.begin({ devices, sessions });
  const words = (place) => page.locator(place).allTextContents();
  const now = await words(".now .now-foot > :last-child");
  check("phones of one model are told apart in what goes on", `${now}` === `${names}`, now);
  await staged.viewer.go("#/");
  const lines = await until("the list", async () => {
    const found = await words(".run-task .faint");
    return found.length === names.length && found;
  });
  check("in lists of runs", `${lines}` === `${names}`, lines);
  const options = await words(".compose option");
  check("where a task is written", options.every((one, at) => one.startsWith(`${names[at]} · `)), options);
  const asks = await words(".ask h2");
  check("where one asks", asks[0] === `${names[1]} asks`, asks);
  await staged.viewer.go(`#/session/${sessions[0].session_id}`);
  await staged.tell(["session", sessions[0]]);
  const [fact] = await words(".fact dd");
  check("and on a run's page", fact === names[0], fact);
  await staged.close("phones of one model");
}
