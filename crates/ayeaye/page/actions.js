// What a person does with runs: each is a request, and what comes of it arrives by the stream.

import { get, post, postToPhone, sessionPath } from "./api.js";
import { forgetAll } from "./drafts.js";
import { doubt } from "./live.js";
import { readSession } from "./sessions.js";
import { state, toast, update } from "./store.js";
import { go } from "./routes.js";
import { sentence, t } from "./words.js";

/// What to say of a request that failed.
export const reason = (refused) => (refused.status === 0 ? t("error.unreachable") : sentence(refused.message));

// Whoever waits longer than this is told that the answer has not come yet.
const LONG = 4000;

/// One request at a time for `name`; what went wrong stands beside it until the next try.
export async function once(name, work) {
  if (state.busy.has(name)) return undefined;
  const slow = setTimeout(() => {
    update((s) => s.slow.add(name));
    doubt();
  }, LONG);
  update((s) => {
    s.busy.add(name);
    s.errors.delete(name);
  });
  try {
    return await work();
  } catch (refused) {
    if (refused.status === undefined) throw refused;
    update((s) => s.errors.set(name, reason(refused)));
    return undefined;
  } finally {
    clearTimeout(slow);
    update((s) => [s.busy, s.slow].forEach((names) => names.delete(name)));
  }
}

export async function startTask(task) {
  const begun = await once("compose", async () => {
    try {
      return await postToPhone("tasks", task);
    } catch (refused) {
      if (refused.status !== 409 || task.queue) throw refused;
      // The phone has become busy since the page was told of it. What was refused has left nothing behind.
      task.queue = true;
      return postToPhone("tasks", task);
    }
  });
  if (!begun) return false;
  toast(t(task.queue ? "task.queued" : "task.started"), "good");
  go("session", begun.session_id);
  return true;
}

/// Goes on with a session: a reply, guidance, a next request, or neither to resume.
export async function goOn(id, words) {
  const done = await once(id, async () => {
    await postToPhone(sessionPath(id, "/continue"), words).catch((refused) => overtaken(id, refused));
    await readSession(id);
    return true;
  });
  if (done) toast(t(words.reply || words.task ? "did.sent" : "did.resumed"), "good");
  return Boolean(done);
}

/// What was refused because the session is not as it is shown is read anew. Where no question is left to stand beside,
/// why it was refused is said at the side.
async function overtaken(id, refused) {
  if (refused.status === 409) {
    await readSession(id).catch(() => undefined);
    if (state.route.session !== id && !state.open.get(id)?.session?.question) toast(reason(refused), "bad");
  }
  throw refused;
}

/// Ends what is at work, and gives up what waits for an answer.
export async function stop(id) {
  const wasWaiting = Boolean(state.sessions?.find((one) => one.session_id === id)?.waiting);
  const done = await once(id, async () => {
    await post(sessionPath(id, "/stop"));
    await readSession(id);
    return true;
  });
  if (done) toast(t(wasWaiting ? "did.given-up" : "did.stopped"));
}

export async function pause(id) {
  return once(id, async () => {
    await post(sessionPath(id, "/pause"));
    await readSession(id);
    return true;
  });
}

let asked = 0;

/// Searches the history; of answers that overtake each other the one to the newest question counts.
export async function search(query, more = false) {
  const mine = ++asked;
  const last = more ? state.history.next : null;
  update((s) => Object.assign(s.history, { query, busy: true, error: null }));
  try {
    const before = last ? `&before=${encodeURIComponent(last)}` : "";
    const found = await get(`sessions?limit=50&q=${encodeURIComponent(query)}${before}`);
    if (mine !== asked) return;
    update((s) => {
      const known = s.history.sessions ?? [];
      const again = !more && s.history.found === query;
      s.history.found = query;
      // The newest are read anew; what was found before them stays, so that whoever comes back is where they were.
      const last = again ? known.findIndex((one) => one.session_id === found.sessions.at(-1)?.session_id) : -1;
      if (0 <= last) {
        s.history.sessions = [...found.sessions, ...known.slice(last + 1)];
        if (last + 1 < known.length) return;
      } else {
        s.history.sessions = more ? [...known, ...found.sessions] : found.sessions;
      }
      s.history.more = found.more;
      s.history.next = found.next;
    });
  } catch (refused) {
    if (mine === asked) update((s) => (s.history.error = reason(refused)));
  } finally {
    if (mine === asked) update((s) => (s.history.busy = false));
  }
}

export async function signIn(token) {
  update((s) => Object.assign(s.signIn, { busy: true, error: null }));
  try {
    await post("sign-in", { token });
    // What belongs to whoever was signed in before is forgotten with the page; the address stays.
    location.reload();
  } catch (refused) {
    update((s) => Object.assign(s.signIn, { busy: false, error: reason(refused) }));
  }
}

export async function signOut() {
  try {
    await post("sign-out");
  } catch (refused) {
    if (refused.status === 500) {
      forgetAll();
      location.replace("/?sign-in=unwritten");
      return;
    }
    // Whoever leaves a computer of others has to know that they are still signed in there.
    if (refused.status !== 401) {
      toast(`${t("sign-out.not")} ${reason(refused)}`, "bad");
      return;
    }
  }
  forgetAll();
  location.replace("/");
}

/// Reads what stands on the pages that nothing streams to.
export async function load(name, take) {
  await once(name, async () => {
    const answer = await get(name);
    update((s) => take(s, answer));
  });
}
