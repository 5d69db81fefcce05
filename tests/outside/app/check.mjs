// The phone inside the chat, in a host page built on the extension's own package, in Chromium.
//
//   node app/check.mjs --binary AYEAYE [--pictures FOLDER]
//
//   host page (AppBridge) - sandbox of another origin - our page      ayeaye serve --http --virtual
//        └────────────────────── official client over HTTP ──────────────────────┘
//
// Prints a line for every check; exits with 1 when one does not hold. `--pictures` keeps what was seen.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRequire } from "node:module";
import { parseArgs } from "node:util";

import { chromium } from "playwright-core";

import { servePages } from "./pages.mjs";
import { theCallAlone, theCallInSpite } from "./only-shown.mjs";
import { whatIsAskedFor } from "./watch.mjs";

const { values: given } = parseArgs({ options: { binary: { type: "string" }, pictures: { type: "string" } } });
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TOKEN = "outside-app-token-0123456789abcdef";
const LIGHT = { theme: "light", locale: "en-GB", displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"], containerDimensions: { maxHeight: 2000 } };
const DONE = "TASK_COMPLETED_SUCCESSFULLY";
const LONG = "Find running shoes in size 42 for less than 50 euros in the Shop app, put them in the cart and go on to the checkout, but stop before paying.";

let passed = 0;
let failed = 0;

function check(name, holds, detail) {
  if (holds) passed += 1;
  else failed += 1;
  console.log(`${holds ? "ok   " : "FAIL "} app: ${name}${holds ? "" : `: ${JSON.stringify(detail ?? null).slice(0, 1500)}`}`);
}

const same = (name, got, want) => check(name, JSON.stringify(got) === JSON.stringify(want), { got, want });

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

// Asks again and again, until it holds.
async function until(what, holds, limit = 30_000) {
  const end = Date.now() + limit;
  let last;
  while (Date.now() < end) {
    try {
      last = await holds();
      if (last) return last;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited in vain for ${what}: ${last}`);
}

async function startServer(folder, origin) {
  const port = await freePort();
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    ADB_SERVER_SOCKET: "tcp:127.0.0.1:1",
    AYEAYE_ADB_START_SERVER: "false",
    AYEAYE_DATA_DIR: join(folder, "data"),
    AYEAYE_HTTP_TOKEN: TOKEN,
    AYEAYE_HTTP_ALLOWED_ORIGINS: origin,
  };
  const words = ["serve", "--http", `127.0.0.1:${port}`, "--virtual"];
  const server = spawn(given.binary, words, { env, stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  server.stderr.on("data", (text) => (log += text));
  const at = `http://127.0.0.1:${port}`;
  await until("the server", async () => (await fetch(`${at}/healthz`)).ok || log);
  return { url: `${at}/mcp`, log: () => log, end: () => new Promise((resolve) => server.once("exit", resolve).kill("SIGTERM")) };
}

// One look at the page of the newest view.
class View {
  constructor(page) {
    this.page = page;
    this.frame = page.frameLocator("#views > iframe:last-of-type").frameLocator("iframe");
  }

  status = () => this.frame.locator("#status-text").innerText();
  until = (status, limit) => until(`"${status}"`, async () => (await this.status()) === status, limit);
  steps = () => this.frame.locator("#steps li").count();
  button = (name) => this.frame.getByRole("button", { name, exact: true });
  // By the keyboard: headless Chromium drops clicks on frames in frames that have just changed their place or size.
  press = async (name, shown) => {
    await this.button(name).press("Enter");
    await shown.waitFor();
  };
  said = (status) => this.frame.locator("#status-text", { hasText: status });
  host = (name, ...values) => this.page.evaluate(([name, values]) => window.host[name](...values), [name, values]);
  session = async () => (await this.host("call", "plain", "list_sessions", { limit: 1 })).structuredContent.sessions[0];

  async picture(name) {
    if (!given.pictures) return;
    mkdirSync(given.pictures, { recursive: true });
    const clip = await this.page.locator("#views > iframe:last-of-type").boundingBox();
    await this.page.screenshot({ path: join(given.pictures, `${name}.png`), clip });
  }

  // What axe finds fault with, in the view itself.
  async faults() {
    const frames = this.page.frames();
    const inner = frames[frames.length - 1];
    await inner.evaluate(AXE);
    const { violations } = await inner.evaluate(() => window.axe.run(document, { rules: { region: { enabled: false } } }));
    return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 120))]);
  }
}

async function withoutTheExtension(view) {
  const plain = await view.host("offered", "plain");
  const apps = await view.host("offered", "apps");
  same("a host without the extension is told of no page", Object.values(plain.pages).filter(Boolean), []);
  check("nor in its resources", !plain.resources.some(([uri]) => uri.startsWith("ui:")), plain.resources);
  check("nor of the page's own tools", plain.appOnly.length === 0 && plain.model.every(({ _meta }) => !_meta), plain);
  // The step of a question is the page's own to give.
  const ofPage = (tools) => tools.filter((it) => "question_step" in it.inputSchema.properties).map((it) => it.name);
  same("nor of what the page alone says", [ofPage(plain.model), ofPage(apps.model)], [[], ["ask_agent_continue"]]);
  const bare = (tools) =>
    tools.map(({ _meta, inputSchema: { properties, ...schema }, ...tool }) => {
      const { question_step, ...others } = properties;
      return { ...tool, inputSchema: { ...schema, properties: others } };
    });
  same("else its model sees the same tools as with it", bare(plain.model), bare(apps.model));
  same("with it, three tools have the page", Object.entries(apps.pages).filter(([, page]) => page), [
    ["ask_agent_continue", "ui://ayeaye/run"],
    ["ask_agent_start_new_task", "ui://ayeaye/run"],
    ["get_session", "ui://ayeaye/run"],
  ]);
  same("two are for the page alone", apps.appOnly, ["pause_task", "watch_session"]);
  check("the page is listed", apps.resources.some(([uri, type]) => uri === "ui://ayeaye/run" && type === "text/html;profile=mcp-app"), apps.resources);
  const { devices } = (await view.host("call", "plain", "list_connected_devices", {})).structuredContent;
  return devices[0].device_id;
}

// The call has come back, the run goes on: the page follows it, asks its question, and takes the answer.
async function aQuestion(view, device) {
  const task = "In Messages, tell Anna: I am ten minutes late";
  await view.host("show", "ask_agent_start_new_task", { device_id: device, task, wait_seconds: 0.5 }, LIGHT);
  same("its task is shown before anything has come back", await view.frame.locator("h1").innerText(), task);
  await view.frame.locator("#screen").waitFor({ state: "visible" });
  check("the screen is shown", (await view.frame.locator("#screen").getAttribute("alt")).startsWith("The screen of "));
  const frame = view.page.frames().at(-1);
  same("its frame has no origin of its own", await frame.evaluate(() => self.origin), "null");
  const reached = await frame.evaluate((url) => fetch(url).then(() => "yes", () => "no"), view.page.url());
  same("and reaches nothing, not even the host", reached, "no");
  await view.frame.locator("#mark").waitFor({ state: "visible" });
  await view.picture("running");
  await view.until("Needs your answer");
  same("the call had returned long before", (await view.host("result")).structuredContent.stop_reason, "STILL_RUNNING");
  check("the question is there", (await view.frame.locator("#question-text").innerText()).includes("Which one?"));
  const thought = await view.frame.locator("details[open] .thought").innerText();
  check("with what the agent thought", thought.includes("must not decide"), thought);
  same("axe finds nothing", await view.faults(), []);
  await view.picture("question");
  const anna = view.frame.getByRole("button", { name: "Anna Bauer" });
  await view.host("scrollAway", true);
  await until("the answers to be held", () => anna.isDisabled());
  const looks = async () => (await view.host("seen")).calls.filter(({ name }) => name === "watch_session").length;
  const before = await looks();
  await view.host("scrollAway", false);
  await until("the answers to be taken again", () => anna.isEnabled(), 4000);
  check("out of sight no answer is taken, and in sight only after a look, which is not held", before < (await looks()));
  // The question lists its choices, so a press answers it.
  await view.frame.getByRole("button", { name: "Anna Bauer" }).click();
  await view.until("Done");
  check("the question is gone", !(await view.frame.locator("#question").isVisible()));
  check("its result is shown", (await view.frame.locator("#message").innerText()).includes("Anna Bauer"));
  check("the steps are there", 5 <= (await view.steps()), await view.steps());
  same("the session is done", (await view.session()).stop_reason, DONE);
  const told = await until("the model to be told", async () => (await view.host("seen")).told[0]);
  same("the model is told what came of it", JSON.parse(told.content[0].text).stop_reason, DONE);
  same("axe finds nothing at the end", await view.faults(), []);
  await view.picture("done");
  check("once all is over it asks for nothing more", 0 < (await quiet(view)));
  const { sizes } = await view.host("seen");
  check("it has told its height, and fits", 300 < sizes.at(-1) && sizes.at(-1) < 900, sizes);
  await view.host("close");
}

// The call is still waiting: the page finds its session, and what a person has to do is not done in the chat.
async function aSecret(view, device) {
  const task = "Sign in to the Nimbus app as robin with the password Quince-41; the code comes to my other phone.";
  await view.host("show", "ask_agent_start_new_task", { device_id: device, task, wait_seconds: 90 }, LIGHT);
  await view.frame.locator("#steps li").first().waitFor();
  check("a call that has not come back is followed too", !(await view.host("seen")).hasResult);
  await view.until("Needs your answer");
  check("a code is not asked for in the chat", !(await view.frame.getByRole("textbox").isVisible()));
  same("but on the phone", await view.frame.locator("#by-hand").innerText(), "Type it on the phone, not here and not in the chat.");
  await view.picture("secret");
  const before = (await view.session()).global_step_idx;
  await view.button("Done, go on").focus();
  await view.page.keyboard.press("Enter");
  const after = await until("the agent to look", async () => {
    const now = await view.session();
    return now.stop_reason !== "STILL_RUNNING" && before < now.global_step_idx && now;
  });
  same("said to be done, the agent looks, and asks again", after.stop_reason, "INFO_ACTION_NEEDS_REPLY");
  await view.host("call", "plain", "stop_task", { session_id: after.session_id });
  await view.until("Stopped");
  check("what was given up is not offered to be gone on with", !(await view.button("Continue").isVisible()));
  await view.host("close");
}

// Each kind of question, in the page's own module: a choice needs a screen that asks for one.
async function everyKindOfAnswer(browser, pages) {
  const page = await browser.newPage();
  await page.goto(`${pages.host}/app/index.html`);
  const replies = (question) =>
    page.evaluate(async (question) => {
      const { showQuestion } = await import("/app/question.js");
      const given = [];
      showQuestion({ text: "<b>Send it?</b>", kind: "confirm", ...question }, (reply) => given.push(reply));
      const labels = [...document.querySelectorAll("#choices button")].map((it) => it.textContent);
      document.querySelectorAll("#choices button").forEach((it) => it.click());
      return { labels, given, text: document.getElementById("question-text").textContent };
    }, question);
  const choice = await replies({ answer: { by: "choice", options: ["yes", "no", "<i>later</i>"] } });
  same("choices are buttons, their words no markup", choice.labels, ["Yes", "No", "<i>later</i>"]);
  same("each is answered as it was offered", choice.given, ["yes", "no", "<i>later</i>"]);
  same("nor is the question's", choice.text, "<b>Send it?</b>");
  same("by hand there is one", (await replies({ answer: { by: "hand", done: "The user did it." } })).given, ["The user did it."]);
  same("for a text there is none", (await replies({ answer: { by: "text" } })).labels, []);
  const inChat = { kind: "info", options: ["<i>Anna</i>", "yes"] };
  same("where it is answered in the chat there is none either", (await replies(inChat)).labels, []);
  same("and the options are a list, no markup", await page.locator("#choices li").allTextContents(), ["<i>Anna</i>", "Yes"]);
  const byHand = async (question) => (await replies({ options: [], ...question })) && page.locator("#by-hand").textContent();
  same("what is done by hand says so there too", await byHand({ kind: "takeover" }), "Do this by hand on the phone.");
  same("and what is secret", await byHand({ kind: "info", asks_for_secret: true }), "Type it on the phone, not here and not in the chat.");
  const own = async (question) => {
    await replies(question);
    const box = page.locator("#reply-text");
    return (await box.isVisible()) && box.getAttribute("placeholder");
  };
  const afterEnter = (keyCode) =>
    page.evaluate(async (keyCode) => {
      const { showQuestion } = await import("/app/question.js");
      const given = [];
      showQuestion({ text: "Who?", kind: "info", answer: { by: "text" } }, (reply) => given.push(reply));
      const box = document.getElementById("reply-text");
      box.value = "安";
      box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", keyCode, bubbles: true, cancelable: true }));
      return given;
    }, keyCode);
  same("Enter sends an answer", await afterEnter(13), ["安"]);
  same("but not where an input method has it, which Safari tells by its code alone", await afterEnter(229), []);
  const options = ["Anna", "Ben"];
  same("beside choices one can say it in other words", await own({ kind: "info", answer: { by: "choice", options } }), "Or in your own words");
  same("but what is secret not", await own({ kind: "info", asks_for_secret: true, answer: { by: "choice", options } }), false);
  same("nor what is done by hand", await own({ kind: "takeover", answer: { by: "hand", done: "Done." } }), false);
  same("nor what is answered in the chat", await own(inChat), false);
  const steps = await page.evaluate(async () => {
    const { addStep } = await import("/app/steps.js");
    const action = { action_type: "TYPE", value: "[secret reply 8-15 #29880cf8]" };
    for (const step of [4, 5, 7, 10]) addStep({ step, action });
    addStep({ step: 13, action, gap: "omitted" });
    return [...document.querySelectorAll("#steps li")].map((row) => row.textContent);
  });
  const [typed, cut] = ["Type “••••••”", "Cut short, or done elsewhere"];
  same("steps that are not told of are a line", steps, [`5${typed}`, `6${typed}`, `7${cut}`, `8${typed}`, `9–10${cut}`, `11${typed}`, "12–13Left out here", `14${typed}`]);
  same("a secret is heard as a word", await page.locator("#news").textContent(), "Step 14: Type “a secret”");
  await page.close();
}

// In another language, in the dark: paused, gone on with, out of sight, in full, stopped.
async function aLongRun(view, device) {
  const context = { ...LIGHT, theme: "dark", locale: "zh-CN" };
  await view.page.evaluate(() => document.body.classList.add("dark"));
  await view.host("show", "ask_agent_start_new_task", { device_id: device, task: LONG, wait_seconds: 0 }, context);
  await view.until("进行中");
  await view.frame.locator("#mark").waitFor({ state: "visible" });
  await view.picture("chinese");
  await view.press("暂停", view.said("已暂停"));
  const paused = await view.session();
  same("it is paused", paused.stop_reason, "USER_PAUSED");
  same("axe finds nothing in the dark", await view.faults(), []);
  await view.press("继续", view.said("进行中"));
  await until("another step", async () => paused.global_step_idx < (await view.session()).global_step_idx);

  await view.host("scrollAway", true);
  await quiet(view);
  const away = await view.session();
  await until("steps that nobody sees", async () => away.global_step_idx < (await view.session()).global_step_idx);
  const steps = await view.steps();
  await view.host("scrollAway", false);
  await until("what was missed", async () => steps < (await view.steps()));
  check("out of sight it asks for nothing, in sight it catches up", true);

  await view.press("全屏", view.button("退出全屏"));
  await view.picture("fullscreen");
  same("axe finds nothing in full screen", await view.faults(), []);
  await view.press("退出全屏", view.button("全屏"));
  await view.press("停止", view.said("已停止"));
  same("it is stopped", (await view.session()).stop_reason, "CANCELLED");
  await view.page.evaluate(() => document.body.classList.remove("dark"));
  await view.host("close");
}

// Somebody else's run is on the phone, and the call comes to nothing: nothing can be done to that run from here.
async function anotherCallsRun(view, device) {
  const other = await view.host("call", "plain", "ask_agent_start_new_task", { device_id: device, task: LONG, wait_seconds: 0 });
  const { session_id: theirs } = other.structuredContent;
  await view.host("show", "ask_agent_start_new_task", { device_id: device, task: "look at the clock" }, LIGHT);
  await view.until("Not started");
  check("a run of somebody else's cannot be stopped here", !(await view.button("Stop").isVisible()) && !(await view.button("Pause").isVisible()));
  check("and no step of it is shown", (await view.steps()) === 0);
  same("nor was it", (await view.session()).stop_reason, "STILL_RUNNING");
  await view.host("close");
  await view.host("call", "plain", "stop_task", { session_id: theirs });
}

async function nothing(view) {
  await view.host("show", "ask_agent_start_new_task", { device_id: "nobody", task: "look" }, LIGHT);
  await view.until("Not started");
  const why = await view.frame.getByRole("alert").innerText();
  check("a call that failed says why, and not what models are advised", why.includes("nobody") && !/hint|list_connected|`/.test(why), why);
  await view.picture("failed");
  await view.host("close");
}

// The number of calls, once no more come.
async function quiet(view) {
  let before = -1;
  await until("calls to end", async () => {
    const { calls } = await view.host("seen");
    const rests = calls.length === before;
    before = calls.length;
    if (!rests) await view.page.waitForTimeout(2000);
    return rests;
  });
  return before;
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), "ayeaye-app-"));
  const pages = await servePages();
  const server = await startServer(folder, pages.host);
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ["--no-sandbox"] });
  const said = [];
  let view;
  try {
    const page = await browser.newPage({ viewport: { width: 760, height: 900 }, deviceScaleFactor: 2 });
    page.on("console", (message) => message.type() === "error" && said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error)));
    const place = new URLSearchParams({ server: server.url, token: TOKEN, sandbox: pages.sandbox });
    await page.goto(`${pages.host}/?${place}`);
    await page.locator("body[data-ready]").waitFor({ timeout: 20_000 });
    view = new View(page);
    const device = await withoutTheExtension(view);
    await everyKindOfAnswer(browser, pages);
    await whatIsAskedFor(browser, pages, check);
    for (const scene of [aQuestion, aSecret, aLongRun, anotherCallsRun, nothing]) await scene(view, device);
    for (const scene of [theCallAlone, theCallInSpite]) await scene(view, device, { check, same, until, LIGHT, LONG });
    same("nothing went wrong in the page", said.filter((line) => !/connect-src|Refused to connect/.test(line)), []);
  } catch (error) {
    check("to the end", false, String(error.stack));
    console.log(said.join("\n"), JSON.stringify((await view?.host("seen").catch(String))?.calls?.slice(-12)));
    console.log(await view?.frame.locator("main").ariaSnapshot().catch(String));
    console.log(server.log().split("\n").slice(-20).join("\n"));
  } finally {
    await browser.close();
    await server.end();
    pages.close();
    rmSync(folder, { recursive: true, force: true });
  }
  process.exit(failed || !passed ? 1 : 0);
}

function chromiumPath() {
  const folders = (process.env.PATH || "").split(":");
  const paths = ["chromium", "chromium-browser", "google-chrome"].flatMap((name) => folders.map((it) => join(it, name)));
  const found = paths.find((path) => existsSync(path));
  if (!found) throw new Error("there is no Chromium; `apt-get install chromium` brings it");
  return found;
}

await main();
