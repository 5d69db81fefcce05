// A session as it is now: looked at again and again while somebody sees it, and no longer.
"use strict";

import { factsOf, pictureOf } from "./host.js";

// How long the server may hold a call until there is news, in seconds.
const HOLD_S = 5;
// How often a session is looked for whose call has not come back yet.
const SEEK_MS = 1500;
// How old a picture may be before the screen itself is asked for: while the agent works it takes pictures of
// its own; while a person acts on the phone by hand, nobody else does.
const OLD_MS = 3000;
const MOST_WAIT_MS = 15_000;
// After so many looks in vain they are as rare as they become.
const MOST_FAILED = 3;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Watches one session. `tell` is called with `facts` and a `picture` that came with them, with a `live` picture of
// the screen, or with `trouble`, which is null when it is over. While `guessed`, it may be another session than the
// call's, and nothing must be done to it.
export class Watch {
  constructor(host, tell) {
    Object.assign(this, { host, tell, id: null, facts: null, sought: null });
    Object.assign(this, { guessed: false, searched: -Infinity, going: null });
    Object.assign(this, { seen: true, closed: false, turn: 0, pictured: 0, shots: 0, failed: 0 });
  }

  // Looks for the session of a call that has not come back: its arguments are all that is known.
  seek(given) {
    if (this.id) return;
    if (given.session_id) this.follow(given.session_id);
    else {
      this.sought = given;
      this.#wake();
    }
  }

  // Watches this session from now on.
  follow(id) {
    this.#turnTo(id, false);
    this.sought = null;
    this.#wake();
  }

  #turnTo(id, guessed) {
    if (this.facts?.session_id !== id) this.facts = null;
    Object.assign(this, { id, guessed });
  }

  // Whether somebody can see the page.
  seenNow(seen) {
    const before = this.seen;
    this.seen = seen;
    if (seen && !before) this.#wake();
  }

  close() {
    this.closed = true;
    this.turn += 1;
  }

  // Begins to look, in place of whatever looked before: the first time at once, as nothing is known of the time between.
  #wake() {
    this.turn += 1;
    this.hold = 0;
    this.#loop(this.turn);
    this.#pictures(this.turn);
  }

  #goesOn(turn) {
    return !this.closed && this.seen && turn === this.turn;
  }

  async #loop(turn) {
    let wait = 500;
    while (this.#goesOn(turn)) {
      try {
        const more = await (this.id && !this.guessed ? this.#look(turn) : this.#seek(turn));
        this.tell({ trouble: null });
        wait = 500;
        if (!more && !this.sought?.device_id) return;
        // The call goes on: it may have waited for the end of this run, to begin one of its own.
        if (!more) this.guessed = true;
      } catch (error) {
        wait = Math.min(wait * 2, MOST_WAIT_MS);
        if (this.#goesOn(turn)) this.tell({ trouble: error });
        await pause(wait);
      }
    }
  }

  // Looks for the session that the call has begun, and meanwhile at the one that may be it.
  async #seek(turn) {
    if (!this.sought?.device_id) return false;
    if (SEEK_MS <= performance.now() - this.searched) await this.#find(turn);
    if (!this.#goesOn(turn)) return false;
    // The call may begin another one after it.
    if (!this.id || !(await this.#look(turn))) await pause(SEEK_MS);
    return true;
  }

  // The run on the call's phone may be somebody else's, for whose end the call waits: that it is ours is only
  // guessed until the call says so, or until it is seen to have the call's task in the same words, which it has not
  // where a part of them is secret.
  async #find(turn) {
    const { sessions } = factsOf(await this.host.call("list_sessions", { limit: 5 }));
    this.searched = performance.now();
    const { device_id } = this.sought;
    const running = sessions.filter((it) => it.device_id === device_id && it.stop_reason === "STILL_RUNNING");
    const ours = running.find(({ task }) => this.#isSought(task)) || running[0];
    if (ours && this.#goesOn(turn)) this.#turnTo(ours.session_id, true);
  }

  // Lists cut off a long task.
  #isSought(task) {
    // As the server takes it: without control characters but these two.
    const asked = String(this.sought?.task || "").replace(/(?![\t\n])\p{Cc}/gu, "").trim();
    return asked !== "" && (task === asked || (task.endsWith("…") && asked.startsWith(task.slice(0, -1))));
  }

  async #look(turn) {
    const known = this.facts?.session_id === this.id ? this.facts : null;
    const result = await this.host.call("watch_session", {
      session_id: this.id,
      ...(known && { state: known.state, wait_seconds: this.hold, after: known.last }),
      ...(known?.picture !== undefined && { picture: known.picture }),
    });
    if (!this.#goesOn(turn)) return false;
    this.hold = HOLD_S;
    const facts = factsOf(result);
    const last = facts.steps.at(-1)?.step ?? known?.last;
    this.facts = { ...facts, last };
    const picture = pictureOf(result);
    if (picture) this.pictured = performance.now();
    if (known?.state !== facts.state) Object.assign(this, { shots: 0, failed: 0 });
    if (facts.running || facts.question) this.going = this.id;
    if (this.guessed && this.#isSought(facts.task)) this.guessed = false;
    this.tell({ facts, picture });
    return facts.running || Boolean(facts.question);
  }

  // The screen itself, where the last picture has grown old: now and then while there is something to wait for, once
  // when all is over. Of a session that was over before the page came the record has the end: the phone has gone on.
  async #pictures(turn) {
    while (this.#goesOn(turn)) {
      await pause(OLD_MS / 4);
      const facts = this.facts;
      const over = facts && !facts.running && !facts.question;
      if (over && !this.guessed && (this.shots || this.failed === MOST_FAILED || this.going !== this.id)) return;
      const old = (OLD_MS * 2 ** this.failed) / (over ? 2 : 1);
      if (!facts || performance.now() - this.pictured < old || (over && this.guessed)) continue;
      try {
        const given = { device_id: facts.device_info.device_id, max_size: 960 };
        const live = pictureOf(await this.host.call("get_screenshot", given));
        this.shots += 1;
        this.failed = 0;
        if (live && this.#goesOn(turn)) this.tell({ live });
      } catch {
        // Somebody else drives the phone, or it is gone: the last picture stays, and it is asked for less often.
        this.failed = Math.min(this.failed + 1, MOST_FAILED);
      }
      this.pictured = performance.now();
    }
  }
}
