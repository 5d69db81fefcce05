// The pictures of docs/ that are not of the live page: the demo as it is in a terminal, its report, and the page in a chat.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const IMAGES = fileURLToPath(new URL("../../../docs/images/", import.meta.url));
const CHAT = fileURLToPath(new URL("../app/check.mjs", import.meta.url));
// As long as the folder that it stands for, so that lines break in the same places.
const SHOWN_HOME = "/home/robin";

/// Makes a picture small: what is in it needs few colours.
export function fewColours(file) {
  execFileSync("pngquant", ["--force", "--speed", "1", "--strip", "--output", file, "96", file]);
}

/// Runs the demo at a terminal of its own, beside the phone as it was in the end; and opens its report.
export async function demoPictures(binary, browser) {
  const home = await mkdtemp("/tmp/");
  try {
    const said = await demo(binary, home);
    const data = join(home, ".local/share/ayeaye");
    const pictures = join(data, "traces/images");
    const screen = await readFile(join(pictures, (await readdir(pictures)).sort().at(-1)), "base64");
    const terminal = said.replaceAll(home, SHOWN_HOME);
    await shoot(browser, "demo", { width: 1140, height: 590 }, 2, (page) => page.setContent(beside(terminal, screen)));
    const [report] = await readdir(join(data, "reports"));
    const address = `file://${join(data, "reports", report)}`;
    await shoot(browser, "report", { width: 1200, height: 2225 }, 1, (page) => page.goto(address));
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function demo(binary, home) {
  const { PATH } = process.env;
  const env = { PATH, HOME: home, TERM: "xterm-256color", LANG: "C.UTF-8", SHELL: "/bin/sh", AYEAYE: binary };
  const child = spawn("script", ["-qefc", 'stty cols 94 rows 40; "$AYEAYE" demo', "/dev/null"], { env });
  let said = "";
  child.stdout.on("data", (more) => {
    const asked = said.includes("Enter: ");
    said += more;
    if (!asked && said.includes("Enter: ")) child.stdin.write("\n");
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`the demo ended with ${code}: ${said}`);
  return said;
}

function beside(said, screen) {
  const lines = said
    .replaceAll("\r", "")
    .trimEnd()
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll("\x1b[1m", "<b>")
    .replaceAll("\x1b[0m", "</b>");
  return `<!doctype html><meta charset="utf-8"><style>
    body { margin: 0; padding: 20px; display: flex; gap: 24px; align-items: center; background: #f1f2f6 }
    pre { margin: 0; padding: 20px 22px; flex: 1; box-sizing: border-box; border-radius: 10px; background: #1a1b1f;
      color: #d8d9de; font: 14px/21px "DejaVu Sans Mono", monospace }
    b { color: #fff }
    img { display: block; height: 520px; border: 8px solid #000; border-radius: 26px }
  </style><pre><b>$ ayeaye demo</b>\n${lines}</pre><img src="data:image/jpeg;base64,${screen}">`;
}

async function shoot(browser, name, viewport, deviceScaleFactor, show) {
  const context = await browser.newContext({ viewport, deviceScaleFactor, locale: "en-GB", timezoneId: "UTC" });
  const page = await context.newPage();
  await show(page);
  const file = join(IMAGES, `${name}.png`);
  await page.screenshot({ path: file, animations: "disabled" });
  fewColours(file);
  await context.close();
}

/// The question in a chat, as the checks of that page see it.
export async function chatPicture(binary, folder) {
  const pictures = join(folder, "chat");
  const words = [CHAT, "--binary", binary, "--pictures", pictures];
  execFileSync(process.execPath, words, { stdio: ["ignore", "ignore", "inherit"] });
  const file = join(IMAGES, "app.png");
  await copyFile(join(pictures, "question.png"), file);
  fewColours(file);
}
