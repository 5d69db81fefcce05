// How small and how quick the page is, and that both languages say everything.

import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { check } from "./checks.mjs";
import { Viewer } from "./viewer.mjs";

const FOLDER = fileURLToPath(new URL("../../../crates/ayeaye/page/", import.meta.url));
const MOST_BYTES = 210_000;
const MOST_MS = 1000;
/// Where the machine is busy: as a multiple of what a page with nothing on it takes from the same server.
const MOST_TIMES = 12;

/// A file as the program has it (`page/files.rs`).
const shortened = (whole) => whole.replace(/^ +/gm, "").replace(/^\/\/.*\n/gm, "");

export async function budget({ browser, server, storage }) {
  const names = await readdir(FOLDER);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(FOLDER, name))).size));
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  check(`all files together are small: ${whole} bytes`, whole < MOST_BYTES, whole);
  const served = await Promise.all(
    names.map(async (name) =>
      (await (await fetch(`${server.origin}/page/${name}`)).text()) === shortened(await readFile(join(FOLDER, name), "utf8")),
    ),
  );
  check(
    "the program has them all, as they are here but for indentation and lines of comment",
    served.every(Boolean),
    names.filter((_, at) => !served[at]),
  );

  const { plain, sentence, spoken } = await import(pathToFileURL(join(FOLDER, "words.js")));
  const marked = "Sent [secret reply 8-15 #29880cf8] to [secret code 4-7 #0123abcd]. [secret santa]";
  check("marks of secrets are dots for people", plain(marked) === "Sent •••••• to ••••••. [secret santa]", plain(marked));
  check("and words for who hears them", spoken(marked) === "Sent a secret to a secret. [secret santa]", spoken(marked));
  const begun = ["it does not answer: unplug it", "adb does not answer", "emulator-5554 is busy", "Done."].map(sentence);
  const wanted = ["It does not answer: unplug it", "adb does not answer", "emulator-5554 is busy", "Done."];
  check("the server's words begin large, names stay as they are", String(begun) === String(wanted), begun);

  const [english, chinese] = await Promise.all(
    ["words-en.js", "words-zh.js"].map(async (name) => (await import(pathToFileURL(join(FOLDER, name)))).default),
  );
  const missing = Object.keys(english)
    .filter((key) => !(key in chinese))
    .concat(Object.keys(chinese).filter((key) => !(key in english)));
  check("both languages have all words", missing.length === 0, missing);
  const sources = (
    await Promise.all(
      names
        .filter((name) => name.endsWith(".js") && !name.startsWith("words-"))
        .map((name) => readFile(join(FOLDER, name), "utf8")),
    )
  ).join("\n");
  const used = [...sources.matchAll(/\bt\("([^"]+)"/g)].map(([, key]) => key);
  check(
    "no word is asked for that is not there",
    used.every((key) => key in english),
    used.filter((key) => !(key in english)),
  );
  check("no text becomes markup", !/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b/.test(sources));

  const [times, bare] = [[], []];
  // What else the machine does can spoil some visits; a page that is slow would spoil all.
  const isQuick = () => Math.min(...times) < Math.max(MOST_MS, MOST_TIMES * Math.min(...bare));
  while (times.length < 3 || (times.length < 10 && !isQuick())) {
    bare.push(await bareVisit(browser, server.origin));
    const viewer = await Viewer.open(browser, server.origin, { storage });
    await viewer.page.addInitScript(() => {
      // The moment in which a task can be written and the phones are there.
      new MutationObserver((_, observer) => {
        if (!document.querySelector("#task:enabled") || !document.querySelector(".phone")) return;
        observer.disconnect();
        requestAnimationFrame(() => (window.readyAfter = performance.now()));
      }).observe(document, { childList: true, subtree: true });
    });
    await viewer.go();
    times.push(Math.round(await (await viewer.page.waitForFunction(() => window.readyAfter)).jsonValue()));
    await viewer.close(`visit ${times.length}`);
  }
  console.log(`      usable after ${times.join(", ")} ms; a page with nothing on it after ${bare.join(", ")}`);
  check(`usable within ${MOST_MS} ms, or ${MOST_TIMES} times a page with nothing on it`, isQuick(), { times, bare });
}

/// How long a file of the server takes to be shown in a browser's new window, in milliseconds.
async function bareVisit(browser, origin) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => {
    addEventListener("load", () => requestAnimationFrame(() => (window.shownAfter = performance.now())));
  });
  await page.goto(`${origin}/page/words.js`);
  const shown = await (await page.waitForFunction(() => window.shownAfter)).jsonValue();
  await context.close();
  return Math.round(shown);
}
