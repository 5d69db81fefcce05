// A person in the loop, by the official TypeScript SDK (version 2): questions in the way the client
// is able to.
//
//   node people.mjs --stdio BINARY | --http URL --era 2025-11-25|2026-07-28 --device SERIAL --phone URL
//
// For each transport and era: a client that cannot ask, one that asks and gets an answer, one whose
// person declines, each with progress, and one that cancels in the middle. Prints a line for every
// check; exits with 1 when one does not hold.
import { parseArgs, isDeepStrictEqual } from "node:util";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const { values: given } = parseArgs({
  options: {
    stdio: { type: "string" },
    http: { type: "string" },
    era: { type: "string", default: "2025-11-25" },
    device: { type: "string" },
    phone: { type: "string" },
    label: { type: "string", default: "ts" },
  },
});

const DONE = "TASK_COMPLETED_SUCCESSFULLY";
const ASKS = "INFO_ACTION_NEEDS_REPLY";
const RUNS = "STILL_RUNNING";

let failed = 0;
let passed = 0;
let prefix = "";

function check(name, holds, detail) {
  if (holds) {
    passed += 1;
    console.log(`ok    ${prefix}${name}`);
  } else {
    failed += 1;
    console.log(`FAIL  ${prefix}${name}: ${JSON.stringify(detail ?? null).slice(0, 1500)}`);
  }
}

function transport() {
  if (given.http) {
    const headers = { Authorization: `Bearer ${process.env.AYEAYE_HTTP_TOKEN}` };
    return new StreamableHTTPClientTransport(new URL(given.http), { requestInit: { headers } });
  }
  const passedOn = /^(AYEAYE_|ADB_|ANDROID_|HOME$|PATH$)/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => passedOn.test(name)));
  return new StdioClientTransport({ command: given.stdio, args: ["serve"], env, stderr: "inherit" });
}

// Who sits before the client: fills in a form as it is put, knowing nothing of our tools.
function fillIn(way, form) {
  if (way === "declines") return { action: "decline" };
  const [[name, field]] = Object.entries(form.requestedSchema.properties);
  const options = field.enum ?? (field.oneOf ?? []).map((option) => option.const);
  const content = options.find((option) => option.includes("Anna Bauer")) ?? options[0] ?? "Anna Bauer";
  return { action: "accept", content: { [name]: content } };
}

async function withClient(way, work) {
  const capabilities = way === "cannot ask" ? {} : { elicitation: { form: {} } };
  const versionNegotiation = given.era === "2026-07-28" ? { mode: { pin: given.era } } : undefined;
  const client = new Client({ name: "outside-check", version: "1.0.0" }, { capabilities, versionNegotiation });
  const asked = [];
  const told = [];
  if (way !== "cannot ask") {
    client.setRequestHandler("elicitation/create", async (request) => {
      asked.push(request.params);
      return fillIn(way, request.params);
    });
  }
  const report = async (name, args, options = {}) => {
    const listen = { onprogress: (progress) => told.push(progress), resetTimeoutOnProgress: true };
    const result = await client.callTool({ name, arguments: args }, { timeout: 110_000, ...listen, ...options });
    const text = result.content.filter((block) => block.type === "text").map((block) => block.text).join("");
    if (result.isError) throw new Error(`${name} is an error: ${text}`);
    if (!isDeepStrictEqual(JSON.parse(text), result.structuredContent)) {
      check(`${name}: text and structure agree`, false, text);
    }
    return result.structuredContent;
  };
  const follow = async (current) => {
    for (let tries = 0; current.stop_reason === RUNS && tries < 10; tries += 1) {
      current = await report("ask_agent_continue", { session_id: current.session_id });
    }
    return current;
  };
  await client.connect(transport());
  try {
    await work({ client, asked, told, report, follow });
  } finally {
    await client.close();
  }
}

async function sentMessages(text) {
  const state = (await (await fetch(`${given.phone}/state`)).json()).phone;
  return state.sent.filter((message) => message.text === text);
}

async function checkMessage(text) {
  const sent = await sentMessages(text);
  check("the phone sent the message once", sent.length === 1, sent);
  check("to the right Anna", sent.every((message) => /bauer/i.test(message.to)), sent);
}

function task(text) {
  return { device_id: given.device, task: `Tell Anna in the Messages app: "${text}"` };
}

async function oneWay(way) {
  prefix = `${given.label}, ${way}: `;
  const text = `Never mind (${given.label}, ${way})`;
  await withClient(way, async ({ asked, told, report, follow }) => {
    let current = await follow(await report("ask_agent_start_new_task", task(text)));
    if (way === "answers") {
      check("asked once", asked.length === 1, asked);
    } else {
      check("the question comes as a result", current.stop_reason === ASKS, current);
      check("asked in the call", asked.length === (way === "declines" ? 1 : 0), asked);
      const reply = { session_id: current.session_id, reply_from_client: "Anna Bauer" };
      current = await follow(await report("ask_agent_continue", reply));
    }
    check("done", current.stop_reason === DONE, current);
    for (const form of asked) {
      check("the question is put", form.message.includes("Anna"), form);
      check("with the notice that a screen may deceive", form.message.includes("deceive"), form);
    }
    const rising = told.every(({ progress }, i) => i === 0 || progress > told[i - 1].progress || progress <= 2);
    check("progress was told, rising", told.length > 0 && rising, told);
    await checkMessage(text);
  });
}

async function cancels() {
  prefix = `${given.label}, cancels: `;
  const text = `Never mind (${given.label}, cancels)`;
  await withClient("cannot ask", async ({ report, follow }) => {
    const list = async () => (await report("list_sessions", {})).sessions;
    const before = new Set((await list()).map((item) => item.session_id));
    const stop = new AbortController();
    const call = report("ask_agent_start_new_task", task(text), { signal: stop.signal });
    call.catch(() => undefined);
    let found;
    const end = Date.now() + 30_000;
    while (!found && Date.now() < end) {
      found = (await list()).find((item) => !before.has(item.session_id) && item.global_step_idx > 0);
    }
    stop.abort();
    const gone = await call.then(() => false, () => true);
    check("the call is gone", gone);
    const session = { session_id: found?.session_id };
    let current = await report("get_session", session);
    while (current.stop_reason === RUNS && Date.now() < end) current = await report("get_session", session);
    check("the run stops", current.stop_reason === "CANCELLED", current);
    current = await follow(await report("ask_agent_continue", session));
    check("and goes on where it was", current.stop_reason === ASKS, current);
    current = await follow(await report("ask_agent_continue", { ...session, reply_from_client: "Anna Bauer" }));
    check("to its end", current.stop_reason === DONE, current);
    await checkMessage(text);
  });
}

try {
  for (const way of ["cannot ask", "answers", "declines"]) await oneWay(way);
  await cancels();
} catch (error) {
  check("the job runs to its end", false, String(error?.stack ?? error));
}
process.exit(failed > 0 || passed === 0 ? 1 : 0);
