// Requests to the server that the page came from, and to no other.

import { update } from "./store.js";

/// What the server said no to: its words, and the status (0: it did not answer).
export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

// How long an answer is waited for. What a phone has to do something for takes as long as that: an act, and a takeover,
// for which the act before it is finished.
const LIMIT = 30_000;
const PHONE_LIMIT = 90_000;

async function request(path, options, limit = LIMIT) {
  let answer;
  try {
    answer = await fetch(`/page/api/${path}`, { ...options, cache: "no-store", signal: AbortSignal.timeout(limit) });
  } catch {
    throw new Refused(0, "");
  }
  if (answer.status === 401) {
    update((s) => {
      s.signIn.needed = true;
      // Whoever was in the middle of something is told what has become of it.
      if (s.me) s.signIn.told = "ended";
      s.me = null;
    });
  }
  return answer;
}

async function failure(answer) {
  const body = await answer.json().catch(() => ({}));
  return new Refused(answer.status, typeof body.error === "string" ? body.error : `${answer.status}`);
}

async function json(answer) {
  if (!answer.ok) throw await failure(answer);
  return answer.status === 204 ? {} : answer.json().catch(() => ({}));
}

export const get = async (path, limit = LIMIT) => json(await request(path, {}, limit));

export const post = async (path, body = {}, limit = LIMIT) => {
  const headers = { "content-type": "application/json" };
  return json(await request(path, { method: "POST", headers, body: JSON.stringify(body) }, limit));
};

/// For what is begun or done on a phone before it is answered.
export const postToPhone = (path, body) => post(path, body, PHONE_LIMIT);

/// Why a stream is refused, which does not say so itself; null where it is not.
export async function refusal(path) {
  const answer = await request(path, {});
  if (!answer.ok) return (await failure(answer)).message;
  await answer.body.cancel();
  return null;
}

/// A request without a body.
export const send = async (method, path, options = {}) => json(await request(path, { method, ...options }));

/// A phone's screen, unless it is still the one called `tag` or there is none yet: `{ tag, picture }` or null.
export async function screen(device, tag) {
  const after = tag ? `?after=${encodeURIComponent(tag)}` : "";
  const answer = await request(`devices/${encodeURIComponent(device)}/screen${after}`);
  if (answer.status === 304 || answer.status === 204) return null;
  if (!answer.ok) throw await failure(answer);
  return { tag: (answer.headers.get("etag") ?? "").replace(/^W\/|"/g, ""), picture: await answer.blob() };
}

export const sessionPath = (id, rest = "") => `sessions/${encodeURIComponent(id)}${rest}`;
export const pictureUrl = (id, step) => `/page/api/${sessionPath(id, `/steps/${step}/picture`)}`;
export const downloadUrl = (id, what) => `/page/api/${sessionPath(id, `/download/${what}`)}`;
