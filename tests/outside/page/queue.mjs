// A task for a phone that is at work waits its turn, is seen to wait, and can be taken back.

import { check } from "./checks.mjs";
import { phoneState } from "./server.mjs";
import { accessible, Viewer } from "./viewer.mjs";
import { begin } from "./watching.mjs";

export async function queue({ browser, server, storage, device, phone }) {
  const viewer = await Viewer.open(browser, server.origin, { storage });
  const { page } = viewer;
  await begin(viewer, "Switch Bluetooth off.", device);
  await viewer.standing("Running");
  await begin(viewer, "Switch Bluetooth on.", device);
  await viewer.standing("In line");
  const waits = viewer.session();
  await begin(viewer, "Switch airplane mode on.", device);
  await viewer.standing("In line");
  await viewer.go(`#/phone/${encodeURIComponent(device)}`);
  await page.locator(".queue li").nth(1).waitFor();
  await accessible(viewer, "a phone with a queue");
  await page.locator(".queue li", { hasText: "airplane" }).getByRole("button").click();
  await page.locator(".queue li", { hasText: "airplane" }).waitFor({ state: "detached" });
  check("who waits is seen in line, and can be taken back", true);
  await viewer.go(`#/session/${waits}`);
  await viewer.standing("Done");
  const { airplane, bluetooth } = await phoneState(phone);
  check("who waited had its turn, who was taken back had none", bluetooth === true && airplane === false, {
    airplane,
    bluetooth,
  });
  await viewer.close("the queue");
  await late({ browser, server, storage, device });
}

/// The page is told of phones now and then: one may have become busy since.
async function late({ browser, server, storage, device }) {
  const viewer = await Viewer.open(browser, server.origin, { storage });
  const { page } = viewer;
  await page.addInitScript(() => {
    const listen = EventSource.prototype.addEventListener;
    EventSource.prototype.addEventListener = function (kind, told, ...rest) {
      const unlessDeaf = (event) => window.deaf || told(event);
      return listen.call(this, kind, kind === "devices" ? unlessDeaf : told, ...rest);
    };
  });
  await viewer.go();
  const start = page.locator(".compose button[type=submit]");
  await page.locator(".compose select").selectOption(device);
  await start.filter({ hasText: "Start" }).waitFor();
  await page.evaluate(() => (window.deaf = true));
  const ask = server.client(await server.cookie());
  const first = (await ask("tasks", { device_id: device, task: "Switch Bluetooth off.", max_steps: 20 })).session_id;
  await page.getByLabel("What should a phone do?").fill("Switch Bluetooth on.");
  check("the page does not know yet that the phone is busy", (await start.textContent()).includes("Start"));
  const told = page.getByText("The task is waiting in line.", { exact: true }).first();
  await Promise.all([start.click(), told.waitFor(), viewer.standing("In line")]);
  check("a phone that has just become busy takes a task into its queue", viewer.session() !== first);
  await viewer.standing("Done");
  await viewer.go();
  const form = page.locator(".compose");
  await form.evaluate((form) => form.reset());
  check("a form that was sent has its most steps again", (await form.locator("[name=max_steps]").inputValue()) === "20");
  await viewer.close("a task that comes late");
}
