// A host of MCP Apps, as small as one can be: a page with the official client, and the `AppBridge` of the
// extension's own package. Like a chat, it calls tools, and shows the page of those that have one.
//
// The view is where the specification wants it: a sandbox of another origin, and in it a frame without any.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AppBridge, PostMessageTransport, getToolUiResourceUri, isToolVisibilityAppOnly } from "@modelcontextprotocol/ext-apps/app-bridge";

const MIME_TYPE = "text/html;profile=mcp-app";
const EXTENSIONS = { "io.modelcontextprotocol/ui": { mimeTypes: [MIME_TYPE] } };

const place = new URL(location.href).searchParams;
const views = document.getElementById("views");

// A client of the server; with or without the extension.
async function connect(extensions) {
  const client = new Client({ name: "outside-host", version: "1" }, { capabilities: { extensions } });
  const headers = { Authorization: `Bearer ${place.get("token")}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(place.get("server")), { requestInit: { headers } }));
  return client;
}

const clients = { apps: await connect(EXTENSIONS), plain: await connect({}) };

// What a host shows its model, and what of it has a page.
async function offered(which) {
  const { tools } = await clients[which].listTools();
  const { resources } = await clients[which].listResources();
  return {
    model: tools.filter((tool) => !isToolVisibilityAppOnly(tool)),
    appOnly: tools.filter(isToolVisibilityAppOnly).map(({ name }) => name),
    pages: Object.fromEntries(tools.map((tool) => [tool.name, getToolUiResourceUri(tool) ?? null])),
    resources: resources.map(({ uri, mimeType }) => [uri, mimeType]),
  };
}

// A view of the page, not yet told of any call. With `only`, its host is one that does nothing for a page, and says that
// it has these capabilities.
async function open(tool, context, only) {
  const client = clients.apps;
  const { tools } = await client.listTools();
  const { contents } = await client.readResource({ uri: getToolUiResourceUri(tools.find(({ name }) => name === tool)) });
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin");
  frame.style.height = "80px";
  const ready = new Promise((resolve) => {
    window.addEventListener("message", ({ source, data }) => {
      if (source === frame.contentWindow && data?.method === "ui/notifications/sandbox-proxy-ready") resolve();
    });
  });
  frame.src = place.get("sandbox");
  views.append(frame);
  await ready;

  const capabilities = only ?? { serverTools: {}, updateModelContext: { text: {} } };
  const bridge = new AppBridge(only ? null : client, { name: "outside-host", version: "1" }, capabilities, { hostContext: context });
  const view = { frame, bridge, context, asked: [], calls: [], told: [], sizes: [] };
  window.addEventListener("message", ({ source, data }) => {
    if (source === frame.contentWindow && data?.method) view.asked.push(data.method);
  });
  bridge.onsizechange = ({ height }) => {
    view.sizes.push(height);
    frame.style.height = `${height}px`;
  };
  const initialized = new Promise((resolve) => (bridge.oninitialized = resolve));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  if (only) bridge.onrequestdisplaymode = () => Promise.reject(new Error("not in this host"));
  else doAsAsked(view, client);
  await bridge.sendSandboxResourceReady({ html: contents[0].text, sandbox: "allow-scripts", csp: contents[0]._meta?.ui?.csp });
  await initialized;
  return view;
}

// What the page of a view may ask for.
function doAsAsked(view, client) {
  const { bridge, frame } = view;
  bridge.onrequestdisplaymode = async ({ mode }) => {
    frame.classList.toggle("fullscreen", mode === "fullscreen");
    view.context = { ...view.context, displayMode: mode };
    bridge.setHostContext(view.context);
    return { mode };
  };
  bridge.onupdatemodelcontext = async (params) => {
    view.told.push(params);
    return {};
  };
  // In place of what the bridge does by itself, to count.
  bridge.oncalltool = async (params) => {
    const call = { name: params.name, began: performance.now() };
    view.calls.push(call);
    const result = await client.callTool(params);
    call.took = performance.now() - call.began;
    return result;
  };
}

let view = null;

// What the check asks of the host.
window.host = {
  offered,
  // Calls a tool as the model would, and shows its page at once; the result is told when it comes.
  async show(tool, given, context, only) {
    view = await open(tool, context, only);
    await this.showHere(tool, given);
  },
  // A call whose page is the one that is shown already.
  async showHere(tool, given) {
    await view.bridge.sendToolInput({ arguments: given });
    view.returned = clients.apps.callTool({ name: tool, arguments: given }, { timeout: 120_000 }).then(async (result) => {
      view.result = result;
      await view.bridge.sendToolResult(result);
    });
  },
  async result() {
    await view.returned;
    return view.result;
  },
  call: async (which, name, given) => clients[which].callTool({ name, arguments: given }),
  seen: () => ({ asked: view.asked, calls: view.calls, told: view.told, sizes: view.sizes, hasResult: Boolean(view.result) }),
  context(changes) {
    view.context = { ...view.context, ...changes };
    view.bridge.setHostContext(view.context);
  },
  scrollAway: (away) => {
    document.getElementById("above").style.height = away ? "4000px" : "0";
  },
  async close() {
    await view.bridge.teardownResource({});
    view.frame.remove();
  },
};
document.body.dataset.ready = "";
