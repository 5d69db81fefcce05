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
}
