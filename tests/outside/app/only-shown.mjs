// The page in hosts that do nothing for it but tell it of the call: what the call came back with is all that it has.

const task = "In Messages, tell Anna: I am ten minutes late";
const sentence = "This client does not let this page act on the phone: answer or go on in the chat.";

const buttons = (view) => view.frame.locator("button:visible, textarea:visible").allInnerTexts();
const trouble = (view) => view.frame.locator("#trouble:visible").allInnerTexts();
const limits = (view) => view.frame.locator("#only-shown:visible").allInnerTexts();
const asked = async (view, method) => (await view.host("seen")).asked.filter((it) => it === method).length;

// Such a host says so: nothing but a sandbox is among its capabilities.
export async function theCallAlone(view, device, { check, same, until, LIGHT }) {
  const context = { ...LIGHT, availableDisplayModes: ["inline"] };
  const start = { device_id: device, task, wait_seconds: 90 };
  await view.host("show", "ask_agent_start_new_task", start, context, { sandbox: {} });
  await view.until("Working");
  same("a host that calls no tools is shown the task of the call", await view.frame.locator("h1").innerText(), task);
  same("and that the page can do nothing", await limits(view), [sentence]);
  same("nothing to press, and no trouble", [await buttons(view), await trouble(view)], [[], []]);
  await view.picture("only-working");
  await view.until("Needs your answer");
  check("what the call came back with is there: its question", (await view.frame.locator("#question-text").innerText()).includes("Which one?"));
  const options = await view.frame.locator("#choices li").allInnerTexts();
  check("its options, as text", options.includes("Anna Bauer") && options.length === 2, options);
  const { structuredContent: asks } = await view.host("result");
  same("its steps", await view.steps(), asks.intermediate_logs.length);
  same("still nothing to press, and no trouble", [await buttons(view), await trouble(view), await limits(view)], [[], [], [sentence]]);
  check("the advice to the model is folded away", await view.frame.locator("#advice:not([open])").isVisible());
  check("there is no empty phone", !(await view.frame.locator("#phone").isVisible()));
  same("axe finds nothing with a host that calls no tools", await view.faults(), []);
  await view.picture("only-question");

  const reply = { session_id: asks.session_id, reply_from_client: options[0], wait_seconds: 90, screenshot: "each" };
  await view.host("showHere", "ask_agent_continue", reply);
  await view.until("Done");
  check("another call takes its place", (await view.frame.locator("#message").innerText()).includes(options[0]));
  check("without the question", !(await view.frame.locator("#question").isVisible()));
  const { structuredContent: done, content } = await view.host("result");
  same("with its own steps", await view.steps(), done.intermediate_logs.length);
  const last = content.filter(({ type }) => type === "image").at(-1);
  same("and its picture of the screen", await view.frame.locator("#screen").getAttribute("src"), `data:${last.mimeType};base64,${last.data}`);
  await view.picture("only-done");

  await view.page.evaluate(() => document.body.classList.add("dark"));
  await view.host("context", { theme: "dark", locale: "zh-CN" });
  await view.until("已完成");
  const { width, height } = view.page.viewportSize();
  await view.page.setViewportSize({ width: 352, height });
  same("it is said in Chinese too", await limits(view), ["此客户端不允许本页操作手机：请在聊天中回答或继续。"]);
  await view.frame.locator("#advice summary").press("Enter");
  same("axe finds nothing in the dark and narrow", await view.faults(), []);
  await view.picture("only-narrow");
  await view.page.setViewportSize({ width, height });
  await view.page.evaluate(() => document.body.classList.remove("dark"));
  same("all the while no tool was called", await asked(view, "tools/call"), 0);
  await view.host("close");
}

// Another one says that it calls tools and shows pages in full, and has neither method.
export async function theCallInSpite(view, device, { check, same, until, LIGHT, LONG }) {
  const start = { device_id: device, task: LONG, wait_seconds: 0 };
  await view.host("show", "ask_agent_start_new_task", start, LIGHT, { serverTools: {}, updateModelContext: { text: {} } });
  await view.until("Working when the call returned");
  same("where tools/call is no method, it is the same", [await trouble(view), await limits(view)], [[], [sentence]]);
  const calls = await asked(view, "tools/call");
  await view.picture("only-refused");
  await view.button("Full screen").press("Enter");
  await until("no button for what the host only says it does", async () => !(await buttons(view)).length);
  same("and no tool is asked for again", await asked(view, "tools/call"), calls);
  const { session_id: ours } = (await view.host("result")).structuredContent;
  await view.host("showHere", "ask_agent_start_new_task", { device_id: "nobody", task: "look" });
  await view.until("Not started");
  check("a call that failed says why there too", (await trouble(view))[0]?.includes("nobody"), await trouble(view));
  same("and no steps or limits of the one before", [await view.steps(), await limits(view)], [0, []]);
  await view.page.setViewportSize({ width: 352, height: 900 });
  await view.picture("only-failed-narrow");
  check("a failed call is read in a narrow page too", 200 < (await view.frame.locator("h1").boundingBox()).width);
  await view.page.setViewportSize({ width: 760, height: 900 });
  await view.host("call", "plain", "stop_task", { session_id: ours });
  await view.host("close");
}
