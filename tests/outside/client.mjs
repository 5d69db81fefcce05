// An MCP client by the official TypeScript SDK: the main job, over stdio or Streamable HTTP.
//
//   node client.mjs --stdio target/debug/ayeaye --device SERIAL --phone http://127.0.0.1:9200
//   node client.mjs --http http://127.0.0.1:9300/mcp ...       (token in AYEAYE_HTTP_TOKEN)
//
// Prints a line for every check; exits with 1 when one does not hold.
import { parseArgs, isDeepStrictEqual } from "node:util";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { values: given } = parseArgs({
  options: {
    stdio: { type: "string" },
    http: { type: "string" },
    device: { type: "string" },
    phone: { type: "string" },
    label: { type: "string", default: "ts" },
  },
});

let failed = 0;
let passed = 0;

function check(name, holds, detail) {
  if (holds) {
    passed += 1;
    console.log(`ok    ${given.label}: ${name}`);
  } else {
    failed += 1;
    console.log(`FAIL  ${given.label}: ${name}: ${JSON.stringify(detail ?? null).slice(0, 1500)}`);
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

const client = new Client({ name: "outside-check", version: "1.0.0" }, { capabilities: {} });
let lastSchemaComplaint;
client.onerror = (error) => {
  lastSchemaComplaint = error;
};

// A tool's report: no error, and the same facts in text and in structure. The SDK itself checks the
// structure against the tool's output schema and throws where they differ.
async function report(name, args, options = {}) {
  const result = await client.callTool({ name, arguments: args }, undefined, { timeout: 110_000, ...options });
  const text = result.content.filter((block) => block.type === "text").map((block) => block.text).join("");
  if (result.isError) throw new Error(`${name} is an error: ${text}`);
  const told = JSON.parse(text);
  if (!isDeepStrictEqual(told, result.structuredContent)) check(`${name}: text and structure agree`, false, text);
  return told;
}

async function follow(current, options) {
  for (let tries = 0; current.stop_reason === "STILL_RUNNING" && tries < 10; tries += 1) {
    current = await report("ask_agent_continue", { session_id: current.session_id }, options);
  }
  return current;
}

async function sentMessages(text) {
  const state = (await (await fetch(`${given.phone}/state`)).json()).phone;
  return state.sent.filter((message) => message.text === text);
}

async function mainJob() {
  check("server's name", client.getServerVersion()?.name === "ayeaye", client.getServerVersion());
  check("server's instructions", (client.getInstructions() ?? "").length > 200, client.getInstructions());
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  for (const name of [
    "list_connected_devices",
    "ask_agent_start_new_task",
    "ask_agent_continue",
    "get_screenshot",
    "stop_task",
  ]) {
    check(`tool ${name}`, names.includes(name), names);
  }
  const { devices } = await report("list_connected_devices", {});
  const ours = devices.find((device) => device.device_id === given.device);
  check("the phone is listed, ready", ours?.state === "device", devices);

  const text = `The train is late (${given.label})`;
  const told = [];
  const options = { onprogress: (progress) => told.push(progress.progress), resetTimeoutOnProgress: true };
  const task = `Tell Anna in the Messages app: "${text}"`;
  const first = await report("ask_agent_start_new_task", { device_id: given.device, task }, options);
  const asked = await follow(first, options);
  check("the agent asks", asked.stop_reason === "INFO_ACTION_NEEDS_REPLY", asked);
  check("which Anna", asked.question?.text.includes("Anna"), asked.question);
  check("progress was told, rising", told.length > 0 && told.every((v, i) => i === 0 || v > told[i - 1]), told);
  check("nothing is sent yet", (await sentMessages(text)).length === 0);
  const answer = { session_id: asked.session_id, reply_from_client: "Anna Bauer, please" };
  const done = await follow(await report("ask_agent_continue", answer, options), options);
  check("answered, it is done", done.stop_reason === "TASK_COMPLETED_SUCCESSFULLY", done);
  check("in the same session", done.session_id === first.session_id, [first.session_id, done.session_id]);
  const sent = await sentMessages(text);
  check("the phone sent the message once", sent.length === 1, sent);
  check("to the right Anna", sent.every((message) => /bauer/i.test(message.to)), sent);
  const again = { session_id: done.session_id, screenshot: "end" };
  const pictured = await client.callTool({ name: "ask_agent_continue", arguments: again });
  const pictures = pictured.content.filter((block) => block.type === "image");
  check("with a picture where one is wanted", pictures.length === 1, pictured.content.map((block) => block.type));
  check("beside the same facts", isDeepStrictEqual(pictured.structuredContent, done), pictured.structuredContent);
  const wrong = await client.callTool({ name: "ask_agent_start_new_task", arguments: { device_id: "nobody", task } });
  check("an unknown device is refused with a reason", wrong.isError && JSON.stringify(wrong.content).includes("nobody"), wrong);
  check("the client heard nothing odd", lastSchemaComplaint === undefined, String(lastSchemaComplaint));
}

try {
  await client.connect(transport());
  await mainJob();
} catch (error) {
  check("the job runs to its end", false, String(error?.stack ?? error));
}
await client.close();
process.exit(failed > 0 || passed === 0 ? 1 : 0);
