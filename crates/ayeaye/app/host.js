// The host: JSON-RPC over messages to the window around this one, as MCP Apps (2026-01-26) has it.
"use strict";

const PROTOCOL = "2026-01-26";
// A host that is closing may never answer; no call of ours takes nearly as long.
const PATIENCE_MS = 60_000;
// The code of an error that says there is no such method.
const NO_METHOD = -32601;

// Connects, and returns what can be asked of the host. `on` has a function for each notification that is
// wanted, by its name without `ui/notifications/`, and `teardown` for the end.
export async function connectHost(on) {
  const waiting = new Map();
  let count = 0;

  const post = (message) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

  const request = (method, params) =>
    new Promise((resolve, reject) => {
      count += 1;
      const id = count;
      const late = setTimeout(() => settle(id, { error: { message: "no answer" } }), PATIENCE_MS);
      waiting.set(id, { resolve, reject, late });
      post({ id, method, params });
    });

  const settle = (id, { result, error }) => {
    const call = waiting.get(id);
    if (!call) return;
    waiting.delete(id);
    clearTimeout(call.late);
    if (error) call.reject(Object.assign(new Error(String(error.message || "refused")), { code: error.code }));
    else call.resolve(result || {});
  };

  const answer = (id, method) => {
    if (method === "ui/resource-teardown") on.teardown();
    if (method === "ui/resource-teardown" || method === "ping") post({ id, result: {} });
    else post({ id, error: { code: NO_METHOD, message: "no such method" } });
  };

  window.addEventListener("message", ({ source, data }) => {
    if (source !== window.parent || !data || data.jsonrpc !== "2.0") return;
    const named = typeof data.method === "string";
    if (!named && data.id !== undefined) settle(data.id, data);
    else if (named && data.id !== undefined) answer(data.id, data.method);
    else if (named) {
      const name = data.method.replace("ui/notifications/", "");
      if (Object.hasOwn(on, name)) on[name](data.params || {});
    }
  });

  const opened = await request("ui/initialize", {
    protocolVersion: PROTOCOL,
    appInfo: { name: "ayeaye", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  });

  const can = opened.hostCapabilities || {};
  return {
    context: opened.hostContext || {},
    can,
    // Whether it calls tools for the page. Some say that they do and know no such method.
    calls: Boolean(can.serverTools),
    begin: () => post({ method: "ui/notifications/initialized", params: {} }),
    sized: (width, height) => post({ method: "ui/notifications/size-changed", params: { width, height } }),
    show: (mode) => request("ui/request-display-mode", { mode }),
    tellModel: (text) => request("ui/update-model-context", { content: [{ type: "text", text }] }),
    // The result of a tool of this server; one that failed is an error with its text.
    async call(name, given) {
      const result = await request("tools/call", { name, arguments: given }).catch((error) => {
        if (error.code === NO_METHOD) this.calls = false;
        throw error;
      });
      if (result.isError) throw new Error(textOf(result));
      return result;
    },
  };
}

// The texts of a result.
export function textOf(result) {
  const blocks = Array.isArray(result.content) ? result.content : [];
  return blocks.filter(({ type }) => type === "text").map(({ text }) => text).join("\n");
}

// The address of a result's last picture, or null: the screen comes after those of steps.
export function pictureOf(result) {
  const blocks = Array.isArray(result.content) ? result.content : [];
  const picture = blocks.findLast(({ type }) => type === "image");
  const kind = /^image\/(jpeg|png|webp)$/.exec(picture?.mimeType || "");
  return kind && /^[A-Za-z0-9+/=]+$/.test(picture.data) ? `data:${kind[0]};base64,${picture.data}` : null;
}

// The facts of a result: hosts pass on its structure, its text, or both.
export function factsOf(result) {
  if (result.structuredContent) return result.structuredContent;
  for (const { type, text } of Array.isArray(result.content) ? result.content : []) {
    try {
      const facts = type === "text" && JSON.parse(text);
      if (facts && typeof facts === "object") return facts;
    } catch {
      // A text for people.
    }
  }
  return null;
}
