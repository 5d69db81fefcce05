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
  await viewer.close("drawing");
}
