// Questions that a run puts to the person at the server (`manual_reply`): the run stands still for them, and the page
// has them as any other.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { check, until } from "./checks.mjs";
import { freePort, Server } from "./server.mjs";
import { accessibleInAll, Viewer } from "./viewer.mjs";
import { begin } from "./watching.mjs";

export async function operator({ browser, server }) {
  const folder = await mkdtemp(join(tmpdir(), "ayeaye-page-"));
  const config = join(folder, "ayeaye.toml");
  await writeFile(config, '[run]\nreply-mode = "manual_reply"\n');
  const env = { AYEAYE_CONFIG: config, AYEAYE_DATA_DIR: join(folder, "data"), HOME: folder };
  const model = { AYEAYE_MODEL_BASE_URL: "", AYEAYE_MODEL_NAME: "" };
  const binary = server.command[0];
  const own = new Server({ binary, folder, port: await freePort(), words: ["--virtual"], env: { ...env, ...model } });
  await own.start();
  const viewer = await Viewer.open(browser, own.origin, {});
  const { page } = viewer;
  await page.goto(await own.link());
  await begin(viewer, 'Tell Anna in the Messages app: "Late"');
  await viewer.standing("Asks");
  await page.locator(".run-ask .ask").waitFor();
  check("a run that stands still for the operator asks on the page", await viewer.button("Pause").isVisible());
  await until("the tab to say it", async () => (await page.title()).startsWith("(1) "));
  check("and is told nothing but the answer", (await page.locator(".say").count()) === 0);
  await accessibleInAll(viewer, "a question to the operator");
  await page.locator(".choices .button", { hasText: "Bauer" }).click();
  await viewer.standing("Done");
  check("answered, it goes on", !(await page.title()).startsWith("("), await page.title());

  await begin(viewer, 'Tell Anna in the Messages app: "Later"');
  await viewer.standing("Asks");
  await viewer.button("Give up the task").click();
  await viewer.standing("Stopped");
  await viewer.go();
  await page.locator("a.run").first().waitFor();
  await until("no question to wait", async () => (await page.locator(".asking").count()) === 0);
  check("given up, it waits no longer", true);
  await viewer.close("the operator's questions");
  await own.stop();
  await rm(folder, { recursive: true, force: true });
}
