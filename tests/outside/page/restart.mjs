// The server is killed in the middle of a run and started again: the page says so, and carries on.

import { check } from "./checks.mjs";
import { phoneState } from "./server.mjs";
import { accessible, Viewer } from "./viewer.mjs";
import { begin } from "./watching.mjs";

export async function restart({ browser, server, storage, device, phone }) {
  const viewer = await Viewer.open(browser, server.origin, { storage });
  const { page } = viewer;
  const words = "Killed in between";
  await begin(viewer, `Tell Anna in the Messages app: "${words}"`, device);
  await page.locator(".step").nth(1).waitFor();
  await server.stop("SIGKILL");
  await page.locator(".banner[role=alert]").waitFor();
  check(
    "killed: the page says that it is not connected",
    await page.locator(".connection", { hasText: "Not connected" }).isVisible(),
  );
  await accessible(viewer, "without a server");
  await server.start();
  await page.getByText("The server was started again. Carrying on.").first().waitFor();
  check("started again: the page says so, still signed in", await page.locator(".connection", { hasText: "Live" }).isVisible());
  await page.locator(".run-head .chip:not(.running)").waitFor();
  await viewer.button("Go on").click();
  await page.getByRole("heading", { name: "Question" }).waitFor();
  await page.getByLabel(/Your answer|Or in your own words/).fill("Anna Bauer");
  await viewer.button("Answer").click();
  await viewer.standing("Done");
  const sent = (await phoneState(phone)).sent.filter((message) => message.text === words);
  check("the run is carried on and done, once", sent.length === 1, sent);
  await viewer.close("the restart");
}
