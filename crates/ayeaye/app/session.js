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

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Watches one session. `tell` is called with `facts` and a `picture` that came with them, with a `live` picture of
// the screen, or with `trouble`, which is null when it is over.
export class Watch {
  constructor(host, tell) {
    Object.assign(this, { host, tell, id: null, facts: null, sought: null });
    Object.assign(this, { seen: true, closed: false, turn: 0, pictured: 0, shots: 0 });
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
    Object.assign(this, { id, sought: null });
    this.#wake();
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

  // Begins to look, in place of whatever looked before.
  #wake() {
    this.turn += 1;
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
        const more = this.id ? await this.#look(turn) : await this.#find(turn);
        this.tell({ trouble: null });
        wait = 500;
        if (!more) return;
      } catch (error) {
        wait = Math.min(wait * 2, MOST_WAIT_MS);
        if (this.#goesOn(turn)) this.tell({ trouble: error });
        await pause(wait);
      }
    }
  }

  // Looks for the session that the call has begun: a phone has one run at a time. The task tells no more, since what
  // is secret in it is not in the record.
  async #find(turn) {
    if (!this.sought?.device_id) return false;
    const { sessions } = factsOf(await this.host.call("list_sessions", { limit: 5 }));
    const { device_id } = this.sought;
    const ours = sessions.find((it) => it.device_id === device_id && it.stop_reason === "STILL_RUNNING");
    if (ours && this.#goesOn(turn)) this.id = ours.session_id;
    else await pause(SEEK_MS);
    return true;
  }

  async #look(turn) {
    const known = this.facts?.session_id === this.id ? this.facts : null;
    const result = await this.host.call("watch_session", {
      session_id: this.id,
      ...(known && { state: known.state, wait_seconds: HOLD_S, after: known.last }),
      ...(known?.picture !== undefined && { picture: known.picture }),
    });
    if (!this.#goesOn(turn)) return false;
    const facts = factsOf(result);
    const last = facts.steps.at(-1)?.step ?? known?.last;
    this.facts = { ...facts, last };
    const picture = pictureOf(result);
    if (picture) this.pictured = performance.now();
    if (known?.state !== facts.state) this.shots = 0;
    this.tell({ facts, picture });
    return facts.running || Boolean(facts.question);
  }

  // The screen itself, where the last picture has grown old: now and then while there is something to wait for, once
  // when all is over.
  async #pictures(turn) {
    let failed = 0;
    while (this.#goesOn(turn) && failed < 3) {
      await pause(OLD_MS / 4);
      const facts = this.facts;
      const over = facts && !facts.running && !facts.question;
      if (over && this.shots) return;
      if (!facts || performance.now() - this.pictured < OLD_MS / (over ? 2 : 1)) continue;
      try {
        const given = { device_id: facts.device_info.device_id, max_size: 960 };
        const live = pictureOf(await this.host.call("get_screenshot", given));
        this.pictured = performance.now();
        this.shots += 1;
        if (live && this.#goesOn(turn)) this.tell({ live });
      } catch {
        // Somebody else drives the phone, or it is gone: the last picture stays.
        failed += 1;
      }
    }
  }
}
