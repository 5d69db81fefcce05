// The pages of the host, on two origins: the chat, and the sandbox that its views are in.
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

import { rolldown } from "rolldown";

const MODULES = new URL("../../../crates/ayeaye/app/", import.meta.url);

const HOST = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Host</title><link rel="icon" href="data:,">
<style>
  body { margin: 0; font: 15px/1.5 system-ui, sans-serif; background: #faf9f7; color: #222 }
  body.dark { background: #141413; color: #ddd }
  #views { max-width: 720px; margin: 0 auto; padding: 16px }
  iframe { display: block; width: 100%; border: 1px solid #8885; border-radius: 12px }
  iframe.fullscreen { position: fixed; inset: 0; height: 100% !important; border: 0; border-radius: 0 }
</style>
<body><div id="above"></div><div id="views"></div><script type="module" src="/host.js"></script></body></html>`;

// Passes messages on in both directions, but for those that are its own: "Sandbox proxy" in the specification.
const SANDBOX = `<!doctype html><html><meta charset="utf-8"><style>html,body,iframe{margin:0;border:0;width:100%;height:100%;display:block}</style>
<body><script>
  const inner = document.createElement("iframe");
  addEventListener("message", ({ source, data }) => {
    if (source === inner.contentWindow) parent.postMessage(data, "*");
    else if (source !== parent) return;
    else if (data?.method === "ui/notifications/sandbox-resource-ready") {
      inner.setAttribute("sandbox", data.params.sandbox);
      inner.srcdoc = data.params.html;
      document.body.append(inner);
    } else inner.contentWindow?.postMessage(data, "*");
  });
  parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, "*");
</script></body></html>`;

// What a host has to allow a page that names no origins, and no more.
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'self'; object-src 'none'; base-uri 'self'";

async function bundle() {
  const input = fileURLToPath(new URL("host.js", import.meta.url));
  const bundled = await rolldown({ input, platform: "browser", logLevel: "silent" });
  const { output } = await bundled.generate({ format: "esm", codeSplitting: false });
  await bundled.close();
  return output[0].code;
}

function serve(answers, headers) {
  const server = createServer((request, response) => {
    const [type, body] = answers[new URL(request.url, "http://host").pathname] ?? ["text/plain", ""];
    response.writeHead(body ? 200 : 404, { "content-type": `${type}; charset=utf-8`, ...headers });
    response.end(body);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

// Serves both; `close` ends them.
export async function servePages() {
  const modules = readdirSync(MODULES).map((name) => {
    const type = { js: "text/javascript", css: "text/css", html: "text/html" }[name.split(".").at(-1)];
    return [`/app/${name}`, [type, readFileSync(new URL(name, MODULES), "utf8")]];
  });
  const answers = { "/": ["text/html", HOST], "/host.js": ["text/javascript", await bundle()] };
  const host = await serve({ ...answers, ...Object.fromEntries(modules) }, {});
  const sandbox = await serve({ "/": ["text/html", SANDBOX] }, { "content-security-policy": POLICY });
  const at = (server) => `http://127.0.0.1:${server.address().port}`;
  const close = () => [host, sandbox].forEach((server) => server.close());
  return { host: at(host), sandbox: `${at(sandbox)}/`, close };
}
