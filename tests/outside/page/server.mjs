// The server whose page is looked at: started, killed and started again on one port and one data folder.

import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

import { until } from "./checks.mjs";

export const TOKEN = process.env.AYEAYE_HTTP_TOKEN ?? "page-main-token-0123456789abcdef";

/// A port that nobody listens on now, below those that the system gives to connections: one of these could have it
/// when the server comes back.
export async function freePort() {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const free = await new Promise((found) => {
      const probe = createServer()
        .once("error", () => found(false))
        .listen(port, "127.0.0.1", () => probe.close(() => found(true)));
    });
    if (free) return port;
  }
}

export class Server {
  constructor({ binary, folder, port, words = [], env = {} }) {
    this.command = [binary, "serve", "--http", `127.0.0.1:${port}`, ...words];
    this.log = createWriteStream(join(folder, "serve-page.log"), { flags: "a" });
    this.env = { ...process.env, AYEAYE_HTTP_TOKEN: TOKEN, AYEAYE_DATA_DIR: join(folder, "page-data"), ...env };
    this.port = port;
    this.origin = `http://127.0.0.1:${port}`;
  }

  async start() {
    const [program, ...words] = this.command;
    this.process = spawn(program, words, { env: this.env, stdio: ["ignore", "pipe", "pipe"] });
    this.process.stdout.pipe(this.log, { end: false });
    this.process.stderr.pipe(this.log, { end: false });
    this.ended = new Promise((done) => this.process.once("exit", done));
    await until("the server", async () => (await fetch(`${this.origin}/healthz`)).ok);
  }

  async stop(signal = "SIGTERM") {
    if (!this.process || this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill(signal);
    await this.ended;
  }

  /// A link that signs in, once: what `ayeaye ui` opens.
  async link() {
    const answer = await fetch(`${this.origin}/page/api/codes`, {
      method: "POST",
      headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
      body: "{}",
    });
    const { code } = await answer.json();
    return `${this.origin}/sign-in?code=${code}`;
  }

  /// The cookie of somebody who has just signed in.
  async cookie() {
    const answer = await this.request("sign-in", { body: { token: TOKEN } });
    return answer.headers.get("set-cookie").split(";")[0];
  }

  /// The page's interface by a client that is no browser.
  client(cookie) {
    return async (path, body) => {
      const told = await this.request(path, { body, cookie });
      if (!told.ok) throw new Error(`${path}: ${told.status} ${await told.text()}`);
      return told.json();
    };
  }

  request(path, { body, cookie, headers = {} }) {
    return fetch(`${this.origin}/page/api/${path}`, {
      method: body ? "POST" : "GET",
      headers: {
        Origin: this.origin,
        ...(cookie && { Cookie: cookie }),
        ...(body && { "Content-Type": "application/json" }),
        ...headers,
      },
      body: body && JSON.stringify(body),
    });
  }
}

/// Changes the fault plan of the virtual phone; none makes it a healthy one again.
export const phoneFault = async (phone, plan) => {
  const body = JSON.stringify(plan ?? {});
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${phone}/fault${plan ? "" : "/clear"}`, { method: "POST", headers, body });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
};

/// The virtual phone's own state: the only judge of what was done.
export const phoneState = async (phone) => (await (await fetch(`${phone}/state`)).json()).phone;
