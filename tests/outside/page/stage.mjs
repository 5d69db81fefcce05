// Virtual phones behind a real adb server, and a model: what the pictures of the page are taken of.

import { execFile, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { until } from "./checks.mjs";
import { freePort, Server } from "./server.mjs";

const HERE = fileURLToPath(new URL("..", import.meta.url));
const KEY = "outside-model-key";
const run = promisify(execFile);

export class Stage {
  constructor(binary, folder) {
    Object.assign(this, { binary, folder, started: [], phones: [] });
  }

  /// Starts adb's server, a phone for each kind (`stock`, `oneui`, …), the model of the first, and our server.
  /// The phones are listed in this order.
  async open(kinds) {
    const adb = await freePort();
    this.env = {
      ...process.env,
      HOME: this.folder,
      ADB_SERVER_SOCKET: `tcp:127.0.0.1:${adb}`,
      ADB_LOCAL_TRANSPORT_MAX_PORT: "5554",
    };
    this.spawn("adb", "adb", ["-P", String(adb), "server", "nodaemon"]);
    await until("adb's server", () => this.adb("devices"));
    const ports = [];
    for (const _ of kinds) ports.push(await freePort());
    ports.sort();
    for (const kind of kinds) await this.addPhone(kind, ports.shift());
    const model = await freePort();
    this.spawn("model", "python3", [
      join(HERE, "fake_model.py"),
      "--port",
      String(model),
      "--script",
      `http://127.0.0.1:${this.phones[0].script}/v1`,
      "--key",
      KEY,
      "--log",
      join(this.folder, "model.jsonl"),
      "--latency",
      "0.9",
    ]);
    await until("the model", async () => (await fetch(`http://127.0.0.1:${model}/v1/models`)).ok);
    const env = {
      ...this.env,
      AYEAYE_MODEL_BASE_URL: `http://127.0.0.1:${model}/v1`,
      AYEAYE_MODEL_NAME: "gelab-zero-4b-preview",
      AYEAYE_MODEL_API_KEY: KEY,
    };
    this.server = new Server({ binary: this.binary, folder: this.folder, port: await freePort(), env });
    await this.server.start();
    return this.server;
  }

  async addPhone(kind, port) {
    const [control, script] = [await freePort(), await freePort()];
    const words = ["phone", "--port", String(port), "--control", `127.0.0.1:${control}`, "--model", `127.0.0.1:${script}`];
    const child = this.spawn(`phone-${kind}`, this.binary, kind === "stock" ? words : [...words, "--like", kind]);
    const phone = { id: `127.0.0.1:${port}`, control: `http://127.0.0.1:${control}`, script, child };
    await until("the phone", async () => (await fetch(`${phone.control}/state`)).ok);
    await this.adb("connect", phone.id);
    await until("the phone on adb", async () => (await this.adb("devices")).includes(`${phone.id}\tdevice`));
    this.phones.push(phone);
  }

  async adb(...words) {
    return (await run("adb", words, { env: this.env })).stdout;
  }

  spawn(name, program, words) {
    const log = createWriteStream(join(this.folder, `${name}.log`), { flags: "a" });
    const child = spawn(program, words, { env: this.env, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    this.started.push(child);
    return child;
  }

  async close() {
    await this.server?.stop();
    for (const child of this.started.reverse()) child.kill();
  }
}
