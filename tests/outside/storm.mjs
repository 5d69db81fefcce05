// A client on TypeScript SDK 1.23.0, which Gemini CLI contains: it takes every stream that ends for a broken
// one and resumes it. Counts its GETs; a server that answers a finished stream with an empty one is asked
// again for ever.
//
//   node storm.mjs --http http://127.0.0.1:9300/mcp       (token in AYEAYE_HTTP_TOKEN)
//
// Prints a line for every check; exits with 1 when one does not hold.
import { parseArgs } from "node:util";

import { Client } from "sdk-1.23/client/index.js";
import { StreamableHTTPClientTransport } from "sdk-1.23/client/streamableHttp.js";

const CALLS = 40;
// It resumes after a second; a storm goes on in every second that follows.
const QUIET = 3000;

const { values: given } = parseArgs({
  options: { http: { type: "string" }, label: { type: "string", default: "ts 1.23" } },
});

let failed = 0;
let passed = 0;

function check(name, holds, detail) {
  if (holds) passed += 1;
  else failed += 1;
  const rest = holds ? "" : `: ${JSON.stringify(detail ?? null)}`;
  console.log(`${holds ? "ok   " : "FAIL "} ${given.label}: ${name}${rest}`);
}

const gets = [];
const statuses = {};

async function counting(url, init) {
  const answer = await fetch(url, init);
  if (init?.method === "GET") {
    gets.push(performance.now());
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
  }
  return answer;
}

const headers = { Authorization: `Bearer ${process.env.AYEAYE_HTTP_TOKEN}` };
const options = { requestInit: { headers }, fetch: counting };
const transport = new StreamableHTTPClientTransport(new URL(given.http), options);
const client = new Client({ name: "outside-check", version: "1.0.0" }, { capabilities: {} });
const complaints = [];
client.onerror = (error) => complaints.push(String(error));
await client.connect(transport);
for (let call = 0; call < CALLS; call += 1) await client.listTools();

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const begun = performance.now();
// Until it has been quiet for long enough, or has not become quiet for far too long.
while (performance.now() - Math.max(begun, gets.at(-1) ?? 0) < QUIET && performance.now() - begun < 4 * QUIET) {
  await pause(100);
}
const idle = performance.now() - (gets.at(-1) ?? 0);
check("it comes to rest", idle >= QUIET, { idle, gets: gets.length, statuses });
// One for the session's own stream, one in vain for each stream that has ended.
check("no stream is resumed twice", gets.length <= CALLS + 4, { gets: gets.length, statuses });
check("nothing is complained of", complaints.length === 0, complaints.slice(0, 5));
await client.close();
process.exit(failed || !passed ? 1 : 0);
