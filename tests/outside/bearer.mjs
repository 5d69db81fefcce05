// The conformance suite cannot send a token. Loaded before it (`node --import`), this adds the token of
// AYEAYE_HTTP_TOKEN to each of its requests and changes nothing else, so that the server's own check
// stays on and `Host` and `Origin` arrive as the suite wrote them.
import { subscribe } from "node:diagnostics_channel";

const bearer = `Bearer ${process.env.AYEAYE_HTTP_TOKEN}`;

// fetch
subscribe("undici:request:create", ({ request }) => request.addHeader("authorization", bearer));
// node:http
subscribe("http.client.request.created", ({ request }) => request.setHeader("authorization", bearer));
