// The live page in a real browser, on the real server, with the virtual phone behind a real adb server.
//
//   node page/main.mjs --binary target/debug/ayeaye --device SERIAL --phone http://127.0.0.1:9200 --folder DIR
//
// Prints a line for every check; exits with 1 when one does not hold.
import { parseArgs } from "node:util";

import { budget } from "./budget.mjs";
import { check, checks } from "./checks.mjs";
import { choices } from "./choices.mjs";
import { drawing } from "./drawing.mjs";
import { driving } from "./driving.mjs";
import { interrupted } from "./interrupted.mjs";
import { freePort, Server } from "./server.mjs";
import { operator } from "./operator.mjs";
import { places } from "./places.mjs";
import { queue } from "./queue.mjs";
import { reading } from "./reading.mjs";
import { restart } from "./restart.mjs";
import { silence } from "./silence.mjs";
import { signingIn } from "./sign_in.mjs";
import { strangers } from "./strangers.mjs";
import { launch } from "./viewer.mjs";
import { hiddenTabs, twenty, twoAndOneAsleep } from "./viewers.mjs";
import { elsewhere, takeover } from "./takeover.mjs";
import { watching } from "./watching.mjs";
import { written } from "./written.mjs";

const { values: given } = parseArgs({
  options: {
    binary: { type: "string" },
    device: { type: "string" },
    phone: { type: "string" },
    folder: { type: "string" },
    scene: { type: "string", multiple: true },
  },
});

const server = new Server({ binary: given.binary, folder: given.folder, port: await freePort() });
const browser = await launch();
const all = { browser, server, device: given.device, phone: given.phone };
const scenes = [
  ["sign-in", signingIn],
  ["watching", watching],
  ["driving", driving],
  ["queue", queue],
  ["takeover", takeover],
  ["elsewhere", elsewhere],
  ["operator", operator],
  ["reading", reading],
  ["viewers", twoAndOneAsleep],
  ["hidden", hiddenTabs],
  ["restart", restart],
  ["interrupted", interrupted],
  ["silence", silence],
  ["choices", choices],
  ["written", written],
  ["places", places],
  ["strangers", strangers],
  ["drawing", drawing],
  ["budget", budget],
  ["twenty", twenty],
];

try {
  await server.start();
  all.storage = await signingIn(all);
  for (const [name, scene] of scenes.slice(1)) {
    if (given.scene && !given.scene.includes(name)) continue;
    const begun = performance.now();
    try {
      const told = await scene(all);
      if (name === "watching") all.session = told;
    } catch (error) {
      check(`${name} goes to its end`, false, String(error?.stack ?? error));
    }
    console.log(`      ${name}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  }
} catch (error) {
  check("all goes to its end", false, String(error?.stack ?? error));
} finally {
  await browser.close();
  await server.stop();
}
process.exit(checks.failed > 0 || checks.passed === 0 ? 1 : 0);
