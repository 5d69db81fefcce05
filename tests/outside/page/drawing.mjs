// The page's own drawing: whatever is drawn after whatever, the result is as if drawn anew; text stays text.

import { check } from "./checks.mjs";
import { Viewer } from "./viewer.mjs";

const ROUNDS = 1000;

export async function drawing({ browser, server, storage }) {
  const viewer = await Viewer.open(browser, server.origin, { storage });
  await viewer.go();
  const different = await viewer.page.evaluate(async (rounds) => {
    const { draw, h } = await import("/page/vdom.js");
    // A generator of its own, so that a failure can be seen again.
    let seed = 7;
    const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
    const tree = (depth) => {
      if (depth === 0 || random(4) === 0) return [null, false, "", "text", "<b>text</b>", 7][random(6)];
      const props = {
        class: "abc"[random(3)],
        title: random(2) ? `t${random(3)}` : null,
        "aria-busy": random(2) === 1,
        hidden: random(3) === 0,
      };
      if (random(2)) props.key = random(4);
      return h(
        ["p", "ul", "select", "svg"][random(4)],
        props,
        Array.from({ length: random(5) }, () => tree(depth - 1)),
      );
    };
    const root = document.createElement("div");
    for (let round = 0; round < rounds; round += 1) {
      const views = () => [tree(3), tree(3), tree(2)];
      const begun = seed;
      draw(root, views());
      const after = seed;
      seed = begun;
      const fresh = document.createElement("div");
      draw(fresh, views());
      seed = after;
      if (!root.isEqualNode(fresh)) return { round, begun, root: root.innerHTML, fresh: fresh.innerHTML };
    }
    return null;
  }, ROUNDS);
  check(`${ROUNDS} random pages are drawn over each other as if drawn anew`, different === null, different);
  const kept = await viewer.page.evaluate(async () => {
    const { draw, h } = await import("/page/vdom.js");
    const root = document.body.appendChild(document.createElement("div"));
    const list = (keys) =>
      h(
        "div",
        null,
        keys.map((key) => h("input", { key, class: key })),
      );
    draw(root, list(["a", "b"]));
    const field = root.querySelector(".b");
    field.value = "half a word";
    field.focus();
    draw(root, list(["c", "d", "a", "b", "e"]));
    const holds = document.activeElement === field && root.querySelector(".b").value === "half a word";
    root.remove();
    return holds;
  });
  check("what is being typed keeps its words and the focus when others come before it", kept);
  const links = await viewer.page.evaluate(async () => {
    const { link, parse } = await import("/page/routes.js");
    const device = "127.0.0.1:5555/%E0#?ä";
    return [
      parse(link("phone", device)).device === device,
      ["#/phone/%E0%A4%A", "#/nowhere", "#/compare/a", ""].map((hash) => parse(hash).page),
    ];
  });
  check(
    "any name of a phone stands in an address; a broken one leads to the first page",
    links[0] && links[1].every((page) => page === "phones"),
    links,
  );
  await moments(viewer);
  await viewer.close("drawing");
}

/// Where a phone was touched is shown on the screen that this was decided on, and only where it was done: the live
/// picture is of another moment.
async function moments({ page }) {
  const seen = await page.evaluate(async () => {
    const { draw } = await import("/page/vdom.js");
    const { runPage } = await import("/page/view-run.js");
    const { state } = await import("/page/store.js");
    const done = { index: 1, round: 0, action_type: "CLICK", label: "Tap", point: [500, 100], picture: true, over: true, sent: true };
    const next = { index: 2, round: 0, action_type: "TYPE", label: "Type", point: [300, 900], picture: false, over: false };
    const pixel = document.createElement("canvas").toDataURL();
    const root = document.body.appendChild(document.createElement("div"));
    const shown = (running, ...steps) => {
      const session = { session_id: "a", device_id: "b", task: "t", running, can: {}, step_count: steps.length };
      const open = { session, first: 0, steps: new Map(steps.map((step) => [step.index, step])) };
      const screens = new Map([["b", { url: pixel, tag: "1", error: null }]]);
      const devices = [{ device_id: "b", state: "device" }];
      const route = { page: "session", session: "a" };
      draw(root, runPage({ ...state, route, devices, open: new Map([["a", open]]), screens }));
      const moment = root.querySelector(".moment");
      return {
        onLive: root.querySelectorAll(".glass > .mark, .glass > .stroke").length,
        picture: moment?.querySelector("img").getAttribute("src") ?? null,
        marks: moment?.querySelectorAll(".mark").length ?? 0,
        visible: moment ? getComputedStyle(moment).opacity : null,
      };
    };
    const told = {
      decided: shown(true, { ...done, over: false }),
      refused: shown(true, { ...done, sent: undefined, error: "the screen has changed where it was aimed at" }),
      asked: shown(true, { ...done, sent: undefined, only_asked: true }),
      done: shown(true, done),
      next: shown(true, done, next),
      ended: shown(false, done),
    };
    root.remove();
    return told;
  });
  const { done, next, ...rest } = seen;
  check("no mark lies on the live picture", Object.values(seen).every((it) => it.onLive === 0), seen);
  check(
    "an act that was done is marked on the picture of its own step, also while the next one is thought about",
    [done, next].every((it) => /\/steps\/1\/picture/.test(it.picture) && it.marks === 1),
    seen,
  );
  check("a mark is not seen before its picture has come", done.visible === "0", done);
  check("an act that is not done yet, was refused or only asked about has no mark", Object.values(rest).every((it) => it.picture === null), rest);
}
