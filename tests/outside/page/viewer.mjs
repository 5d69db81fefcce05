// People who look: each a browser's context of its own, whose requests and complaints are kept.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import { chromium } from "playwright-core";

import { check } from "./checks.mjs";

const require = createRequire(import.meta.url);
const PROGRAMS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export const LAPTOP = { width: 1280, height: 860 };
export const PHONE = { width: 390, height: 844 };

export function launch() {
  const executablePath = PROGRAMS.find(existsSync);
  if (!executablePath) throw new Error("there is no Chromium; `apt-get install chromium` brings it");
  const args = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--no-proxy-server",
    "--disable-background-networking",
    "--host-resolver-rules=MAP evil.example 127.0.0.1",
  ];
  return chromium.launch({ executablePath, args });
}

export class Viewer {
  /// `storage`: the cookies of somebody who is signed in.
  static async open(browser, origin, { size = LAPTOP, scheme = "light", locale = "en-GB", languages, storage } = {}) {
    const viewer = new Viewer();
    // Policies are kept from no script that a test brings along; those of the page are tested apart.
    viewer.context = await browser.newContext({
      viewport: size,
      colorScheme: scheme,
      locale,
      storageState: storage,
      reducedMotion: "reduce",
      bypassCSP: true,
      acceptDownloads: true,
      timezoneId: "UTC",
      hasTouch: size.width < 600,
      isMobile: size.width < 600,
    });
    if (languages)
      await viewer.context.addInitScript((all) => Object.defineProperty(navigator, "languages", { get: () => all }), languages);
    viewer.origin = origin;
    viewer.strays = [];
    viewer.complaints = [];
    viewer.failures = [];
    viewer.context.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(`${origin}/`) && !url.startsWith("blob:") && !url.startsWith("data:")) viewer.strays.push(url);
    });
    viewer.page = await viewer.context.newPage();
    viewer.page.on("pageerror", (error) => viewer.complaints.push(String(error.stack)));
    viewer.page.on("console", (message) => {
      // What was refused or cut off is shown in the page, and tested there.
      if (message.type() === "error" && !/Failed to load resource|net::ERR/.test(message.text()))
        viewer.complaints.push(message.text());
    });
    viewer.page.on("response", (answer) => {
      if (500 <= answer.status()) viewer.failures.push(`${answer.status()} ${answer.url()}`);
    });
    viewer.page.setDefaultTimeout(90_000);
    return viewer;
  }

  go(hash = "") {
    return this.page.goto(`${this.origin}/${hash}`);
  }

  button(name) {
    return this.page.getByRole("button", { name, exact: true });
  }

  /// The word that tells how the run on the page stands.
  standing(word) {
    return this.page.locator(".run-head .chip", { hasText: word }).waitFor();
  }

  /// Takes a phone over on its own page, and opens an app by its name.
  async takeOver(device, app) {
    await this.go(`#/phone/${encodeURIComponent(device)}`);
    await this.button("Take over").click();
    await this.page.getByText("You are driving this phone").first().waitFor();
    await this.page.getByText("More", { exact: true }).click();
    await this.page.getByLabel("App to open").fill(app);
    await this.page.getByLabel("App to open").press("Enter");
  }

  session() {
    return decodeURIComponent(new URL(this.page.url()).hash.split("/")[2] ?? "");
  }

  async close(name) {
    check(`${name}: nothing was asked of another origin`, this.strays.length === 0, this.strays);
    check(`${name}: the browser has nothing to complain of`, this.complaints.length === 0, this.complaints);
    check(`${name}: the server has failed in nothing`, this.failures.length === 0, this.failures);
    await this.context.close();
  }
}

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
let axe;

/// No violation that axe finds, in the page as it is.
export async function accessible(viewer, name) {
  axe ??= await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
  await viewer.page.evaluate(axe);
  const found = await viewer.page.evaluate(async (runOnly) => (await axe.run(document, { runOnly })).violations, RULES);
  check(
    `axe: ${name}`,
    found.length === 0,
    found.map(({ id, nodes }) => [id, nodes[0].target, nodes[0].failureSummary]),
  );
  const wide = await viewer.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  check(`nothing stands out of the page: ${name}`, wide <= 0, wide);
}

// Every state is looked at in both themes, both languages and both widths; how they are paired takes turns.
const WAYS = [
  [
    ["dark", "zh", PHONE],
    ["light", "en", LAPTOP],
  ],
  [
    ["light", "zh", LAPTOP],
    ["dark", "en", PHONE],
  ],
];
let turn = 0;

/// The same in both themes and both languages, on a laptop and on a phone; ends in English, light, on a laptop.
export async function accessibleInAll(viewer, name) {
  const { page } = viewer;
  turn = 1 - turn;
  for (const [scheme, language, size] of WAYS[turn]) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize(size);
    await page.locator(".language select").selectOption(language);
    await accessible(viewer, `${name}, ${scheme}, ${language}, ${size.width}`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(LAPTOP);
}
