// What the page asks its host for while it watches a session: its own module, a host that is made up, and a clock that
// is not waited for.

// Runs `scene` in a page that has the module; what it returns.
async function watched(browser, pages, scene, seconds) {
  const page = await browser.newPage();
  await page.clock.install();
  await page.goto(`${pages.host}/app/index.html`);
  await page.evaluate(async () => {
    const { Watch } = await import("/app/session.js");
    const facts = (id, more) => ({ session_id: id, device_info: { device_id: "d" }, steps: [], state: 1, running: false, question: null, ...more });
    // `answers` has a function for each tool.
    window.watch = (answers) => {
      const calls = [];
      const call = async (name, given) => {
        calls.push(name);
        // As long as the server may hold it.
        if (given.wait_seconds) await new Promise((resolve) => setTimeout(resolve, 1000 * given.wait_seconds));
        const structuredContent = answers[name]?.(given);
        const picture = name === "get_screenshot" && { type: "image", mimeType: "image/png", data: "AAAA" };
        return { structuredContent, content: picture ? [picture] : [] };
      };
      const it = new Watch({ call }, (told) => told.trouble && console.error(told.trouble));
      return { it, calls };
    };
    window.facts = facts;
  });
  await page.evaluate(scene);
  await page.clock.runFor(1000 * seconds);
  const seen = await page.evaluate(() => window.seen());
  await page.close();
  return seen;
}

const screenshots = (calls) => calls.filter((name) => name === "get_screenshot").length;

export async function whatIsAskedFor(browser, pages, check) {
  let seen = await watched(browser, pages, () => {
    const { it, calls } = window.watch({ watch_session: ({ session_id: id }) => window.facts(id) });
    window.seen = () => calls;
    it.follow("old");
  }, 20);
  check("of a session that was over before, the phone as it is now is not shown", screenshots(seen) === 0, seen);

  seen = await watched(browser, pages, () => {
    let looks = 0;
    const { it, calls } = window.watch({
      watch_session: ({ session_id: id }) => window.facts(id, { state: (looks += 1), running: looks === 1 }),
    });
    window.seen = () => calls;
    it.follow("new");
  }, 20);
  check("of one that was seen to go on it is, once", 1 <= screenshots(seen) && screenshots(seen) <= 2, seen);

  seen = await watched(browser, pages, () => {
    const { it, calls } = window.watch({
      watch_session: ({ session_id: id }) => window.facts(id, { question: { kind: "takeover" } }),
      get_screenshot: () => {
        throw new Error("busy");
      },
    });
    window.seen = () => calls;
    it.follow("asks");
  }, 120);
  check("while there is a question, looks in vain become rare and do not end", 5 <= screenshots(seen) && screenshots(seen) < 12, screenshots(seen));

  const guess = (task) => `
    const sessions = [{ session_id: "theirs", device_id: "d", task: "theirs", stop_reason: "STILL_RUNNING" }];
    const { it } = window.watch({
      list_sessions: () => ({ sessions }),
      watch_session: ({ session_id: id }) => window.facts(id, { running: true, task: id }),
    });
    const states = [];
    setInterval(() => states.push([it.id, it.guessed].join(" ")), 500);
    setTimeout(() => sessions.unshift({ ...sessions[0], session_id: "mine", task: "mine" }), 10_000);
    setTimeout(() => ${task === "mine" ? "undefined" : 'it.follow("third")'}, 25_000);
    window.seen = () => [...new Set(states)];
    it.seek({ device_id: "d", task: "${task}" });
  `;
  seen = await watched(browser, pages, guess("mine"), 30);
  const holds = (...want) => JSON.stringify(seen) === JSON.stringify(want);
  check("whosever runs on the phone is a guess, until a run has the call's task", holds("theirs true", "mine true", "mine false") || holds("theirs true", "mine false"), seen);
  seen = await watched(browser, pages, guess("a secret one"), 30);
  check("and where none has, until the call says so", holds("theirs true", "third false") || (seen.at(-1) === "third false" && seen.slice(0, -1).every((it) => it.endsWith(" true"))), seen);

  seen = await watched(browser, pages, () => {
    const run = (id) => ({ session_id: id, device_id: "d", task: "mine", stop_reason: "STILL_RUNNING" });
    let sessions = [run("stopped")];
    const { it } = window.watch({
      list_sessions: () => ({ sessions }),
      watch_session: ({ session_id: id }) => {
        const running = sessions.some((it) => it.session_id === id);
        return window.facts(id, { running, task: "mine", state: Number(running) });
      },
    });
    const states = [];
    setInterval(() => states.push([it.id, it.guessed].join(" ")), 500);
    setTimeout(() => (sessions = []), 8_000);
    setTimeout(() => (sessions = [run("begun")]), 20_000);
    window.seen = () => [...new Set(states)];
    it.seek({ device_id: "d", task: "mine" });
  }, 40);
  check("a call that waited for the end of a run with its task is followed to the run that it begins", seen.includes("stopped false") && seen.includes("stopped true") && seen.at(-1) === "begun false", seen);
}
