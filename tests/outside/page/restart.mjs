// The server is killed in the middle of a run and started again: the page says so, and carries on.

import { setTimeout as rest } from "node:timers/promises";

import { check } from "./checks.mjs";
import { phoneFault, phoneState } from "./server.mjs";
import { accessible, Viewer } from "./viewer.mjs";
import { begin } from "./watching.mjs";

export async function restart({ browser, server, storage, device, phone }) {
  const viewer = await Viewer.open(browser, server.origin, { storage });
  const { page } = viewer;
  const words = "Killed in between";
  // So slow that the run is at work when the server is killed, however busy this machine is.
  await phoneFault(phone, { capture_delay_ms: 2000 });
  await begin(viewer, `Tell Anna in the Messages app: "${words}"`, device);
  await page.locator(".step").nth(1).waitFor();
  await page.locator(".run-screen .pixels").waitFor();
  await server.stop("SIGKILL");
  await page.locator(".banner[role=alert]").waitFor();
  check(
    "killed: the page says that it is not connected",
    await page.locator(".connection", { hasText: "Not connected" }).isVisible(),
  );
  await accessible(viewer, "without a server");
  const told = await page.locator(".banner[role=alert]").textContent();
  check("nothing is claimed of runs that nobody can know", !/go on|carry/i.test(told), told);
  for (const name of ["Pause", "Stop", "Take over", "Sign out"])
    check(`what cannot be sent is not offered: ${name}`, await viewer.button(name).isDisabled());
  const clock = () => page.locator(".fact", { hasText: "Time, including waiting" }).textContent();
  const before = await clock();
  await rest(2500);
  check("the clock of a run stands still", (await clock()) === before, [before, await clock()]);
  check("the last picture stays", (await page.locator(".run-screen .pixels").count()) === 1);
  check("and is not called live", await page.locator(".screen-bar .chip", { hasText: "Not live" }).isVisible());
  await phoneFault(phone);
  await server.start();
  await page.getByText("Runs in progress were cut short").first().waitFor();
  check("started again: the page says so, still signed in", await page.locator(".connection", { hasText: "Live" }).isVisible());
  await page.locator(".run-head .chip:not(.running)").waitFor();
  await viewer.button("Go on").click();
  await page.getByRole("heading", { name: "Question" }).waitFor();
  await page.getByLabel(/Your answer|Or in your own words/).fill("Anna Bauer");
  await viewer.button("Answer").click();
  await viewer.standing("Done");
  const sent = (await phoneState(phone)).sent.filter((message) => message.text === words);
  check("the run is carried on and done, once", sent.length === 1, sent);
  await whileDriving(viewer, server, device);
  await viewer.close("the restart");
}

/// The new server knows nothing of who drove.
async function whileDriving(viewer, server, device) {
  const { page } = viewer;
  await viewer.go(`#/phone/${encodeURIComponent(device)}`);
  await viewer.button("Take over").click();
  await page.getByText("You are driving this phone").first().waitFor();
  await page.locator(".chip", { hasText: "Yours" }).waitFor();
  await server.stop("SIGKILL");
  await page.locator(".banner[role=alert]").waitFor();
  await server.start();
  await page.getByText("You no longer drive this phone").waitFor({ timeout: 15_000 });
  await viewer.button("Take over").waitFor();
  check("started again while somebody drives: the page says that it is over", true);
}
