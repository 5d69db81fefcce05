// A server that says nothing any more, over a connection that nobody has closed; and what is late or comes too late.

import { check, until } from "./checks.mjs";
import { phone, run, Staged, step } from "./staged.mjs";
import { accessible } from "./viewer.mjs";

// A picture of one point.
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const picture = (route) => route.fulfill({ contentType: "image/png", headers: { etag: '"one"' }, body: Buffer.from(PNG, "base64") });
const never = () => undefined;

export async function silence(all) {
  await noHeartbeat(all);
  await noAnswer(all);
  await pictures(all);
}

async function noHeartbeat(all) {
  const staged = await Staged.open(all, { answers: { "GET devices/a:1/screen": picture } });
  const { page } = staged;
  const badge = (word) => page.locator(".connection", { hasText: word }).waitFor();
  await staged.begin({ devices: [phone("a:1")], heartbeat: 400 });
  await badge("Live");
  // Heartbeats for longer than the silence that ends it.
  await page.evaluate(async () => {
    for (let beat = 0; beat < 8; beat += 1) {
      await new Promise((next) => setTimeout(next, 200));
      window.streams.at(-1).dispatchEvent(new MessageEvent("alive", { data: "{}" }));
    }
  });
  const start = staged.viewer.button("Start");
  check("a server that sends heartbeats is there", (await page.locator(".banner").count()) === 0 && (await start.isEnabled()));
  // From here on nobody answers, and no connection ends.
  staged.answers["GET me"] = never;
  await page.locator(".banner", { hasText: "The server does not answer" }).waitFor({ timeout: 10_000 });
  await badge("Not connected");
  check("one that falls silent is told as gone", true);
  check("nothing can be sent", await start.isDisabled());
  await accessible(staged.viewer, "a silent server");
  await staged.close("a silent server");
}

async function noAnswer(all) {
  const session = run({ steps: [step(0)] });
  const id = session.session_id;
  const answers = { "GET devices/a:1/screen": picture, [`GET sessions/${id}`]: session, [`POST sessions/${id}/pause`]: never };
  const staged = await Staged.open(all, { hash: `#/session/${id}`, answers });
  const { page, viewer } = staged;
  await staged.begin({ devices: [phone("a:1")], sessions: [session], session });
  const badge = page.locator(".screen-bar");
  await badge.getByText("Live", { exact: true }).waitFor();
  staged.answers["GET devices/a:1/screen"] = (route) => route.abort();
  await badge.getByText("Not live").waitFor();
  check("a picture that cannot be asked for again is not live", true);
  await viewer.button("Pause").click();
  await page.getByText("No answer yet").waitFor();
  check("a request that takes long says so", await page.locator(".connection", { hasText: "Live" }).isVisible());
  await accessible(viewer, "a request that takes long");
  staged.answers["GET me"] = (route) => route.abort();
  await page.evaluate(() => import("/page/live.js").then(({ doubt }) => doubt()));
  await page.locator(".banner", { hasText: "The server does not answer" }).waitFor();
  check("and where nothing is answered at all, the server is told as gone", true);
  await staged.close("a request that takes long");
}

/// Pictures that could not be loaded while the server was gone come when it is back.
async function pictures(all) {
  const session = run({ steps: [step(0), step(1)], running: false, stop_reason: "USER_PAUSED" });
  const id = session.session_id;
  const answers = { [`GET sessions/${id}`]: session };
  for (const index of [0, 1]) answers[`GET sessions/${id}/steps/${index}/picture`] = (route) => route.abort();
  const staged = await Staged.open(all, { hash: `#/session/${id}`, answers });
  const { page } = staged;
  await staged.begin({ devices: [phone("a:1")], sessions: [session], session });
  await page.getByRole("button", { name: "Look at step 2" }).click();
  const broken = () => page.evaluate(() => [...document.images].filter((one) => one.complete && !one.naturalWidth).length);
  await until("pictures that fail", async () => (await broken()) === 3);
  await page.evaluate(() => window.streams.at(-1).dispatchEvent(new Event("error")));
  await page.locator(".banner").waitFor();
  for (const index of [0, 1]) staged.answers[`GET sessions/${id}/steps/${index}/picture`] = picture;
  await until("another stream", () => page.evaluate(() => 1 < window.streams.length));
  await staged.begin({ devices: [phone("a:1")], sessions: [session], session });
  await until("the pictures", async () => (await broken()) === 0);
  check("step pictures that failed are loaded when the server is back, the large one too", true);
  await staged.close("pictures that failed");
}
