// What is there to read: the history, two runs side by side, what can be downloaded, rules, settings.

import { stat } from "node:fs/promises";

import { check, until } from "./checks.mjs";
import { accessibleInAll, Viewer } from "./viewer.mjs";
import { begin } from "./watching.mjs";

// A task as somebody hostile would word it.
const MARKUP = '<img src=x onerror="document.title = 0"><b>bold</b>';

export async function reading({ browser, server, storage, session, device }) {
  const viewer = await Viewer.open(browser, server.origin, { storage });
  const { page } = viewer;
  await begin(viewer, MARKUP, device);
  await viewer.standing("Given up");
  check(
    "markup in a task is shown as text",
    (await page.getByRole("heading", { level: 1 }).textContent()) === MARKUP &&
      (await page.locator("h1 img, h1 b").count()) === 0,
  );
  await viewer.go();
  await page.getByRole("link", { name: "History" }).click();
  await page.getByRole("heading", { name: "History", level: 1 }).waitFor();
  check(
    "the heading of a page has the focus when it is gone to",
    (await page.evaluate(() => document.activeElement.id)) === "heading",
  );
  const runs = page.locator(".runs li");
  await runs.first().waitFor();
  const all = await runs.count();
  check("the history has the runs", 3 <= all, all);
  await page.getByRole("searchbox").fill("onerror");
  await until("fewer runs", async () => (await runs.count()) < all);
  check(
    "search finds by words of the task",
    (await runs.count()) === 1 && (await runs.first().textContent()).includes(MARKUP),
    await runs.allTextContents(),
  );
  await page.getByText("1 run", { exact: true }).waitFor();
  await page.getByRole("searchbox").fill("no such words anywhere");
  await page.getByText("Nothing found.").waitFor();
  await accessibleInAll(viewer, "a search without a find");
  await page.getByRole("searchbox").fill("");
  await runs.nth(1).waitFor();
  await accessibleInAll(viewer, "history");
  await page.getByRole("searchbox").fill("");
  // Two that have steps to show: one that was taken out of a queue has none.
  const done = runs.filter({ hasText: "Done" });
  for (const nth of [0, 1]) await done.nth(nth).locator(".choice input").check();
  await page.locator(".search .button").click();
  await page.waitForURL(/#\/compare\//);
  await page.locator(".cell .pixels").nth(1).waitFor();
  check("two runs stand side by side", (await page.locator(".pair > section").count()) === 2);
  await accessibleInAll(viewer, "two runs side by side");

  await viewer.go(`#/session/${session}`);
  await page.locator(".menu summary").waitFor();
  await page.locator(".language select").selectOption("en");
  for (const what of ["Report (HTML)", "Film", "Record (JSON lines)", "Log for UFO", "Log for PyCatan", "Log for GELab"]) {
    await page.locator(".menu summary").click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: what }).click()]);
    const failed = await download.failure();
    const size = failed ? 0 : (await stat(await download.path())).size;
    check(`download: ${what}`, 200 < size, [download.suggestedFilename(), size, failed]);
    await page.locator(".menu summary").focus();
    await page.keyboard.press("Escape");
  }
  await viewer.go("#/policy");
  await page.locator(".reading pre", { hasText: "careful" }).waitFor();
  check("the rules are told as `ayeaye policy show` tells them", /asked/.test(await page.locator(".reading pre").textContent()));
  check("and what is refused beside kinds of acts", await page.locator(".treatment.bad", { hasText: "Refused" }).isVisible());
  await accessibleInAll(viewer, "rules");
  await viewer.go("#/settings");
  await page.locator(".settings tbody tr").first().waitFor();
  await page.locator(".language select").selectOption("en");
  await page.getByRole("searchbox").fill("model.");
  const table = await page.locator(".settings").textContent();
  check(
    "settings are told, without secrets",
    /model\.name/.test(table) && !table.includes(process.env.AYEAYE_MODEL_API_KEY ?? "outside-model-key"),
    table,
  );
  await accessibleInAll(viewer, "settings");
  await viewer.go("#/session/00000000-0000-7000-8000-000000000000");
  await page.locator(".empty").waitFor();
  await accessibleInAll(viewer, "a run that is not there");
  await viewer.close("reading");

  const chinese = await Viewer.open(browser, server.origin, { storage, locale: "zh-CN" });
  await chinese.go();
  await chinese.page.getByRole("heading", { name: "手机", level: 1 }).waitFor();
  check("a Chinese browser is spoken to in Chinese", (await chinese.page.locator("html").getAttribute("lang")) === "zh-Hans");
  await chinese.page.locator(".who", { hasText: "本机" }).waitFor();
  await chinese.go(`#/session/${session}`);
  await chinese.page.locator(".step-label", { hasText: "点按" }).first().waitFor();
  const english = /\b(Tap|Open|Done|Type|Ask)\b|\d (s|ms|min)\b/;
  const steps = await chinese.page.locator(".step-label > span:last-child, .step-times").allTextContents();
  check("steps and times are told in Chinese", !steps.some((text) => english.test(text)), steps);
  await chinese.close("reading in Chinese");
  await byTheFirst(browser, server, storage);
}

/// Who reads several languages is spoken to in the first of them that the page has.
async function byTheFirst(browser, server, storage) {
  for (const [languages, heading] of [
    [["en-US", "en", "zh-CN"], "Phones"],
    [["fr-FR", "zh-TW", "en"], "手机"],
    [["fr-FR", "de"], "Phones"],
  ]) {
    const viewer = await Viewer.open(browser, server.origin, { storage, languages });
    await viewer.go();
    const first = await viewer.page.locator("h1").textContent();
    check(`who reads ${languages} is told of "${heading}"`, first === heading, first);
    await viewer.close(`reading by ${languages}`);
  }
}
