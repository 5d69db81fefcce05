// What phones are called: their model, and where several have the same, also the name that tells them apart.

import { state } from "./store.js";

// Longer names are cut in the middle: they differ at their ends.
const LONGEST = 24;

// The phones of each model, of what they were told from.
let told = [];
let models = new Map();

/// What a phone is called, by a phone of the list or by a session of it.
export function phoneName({ device_id: id, model, device_model: recorded }) {
  const name = model || recorded;
  if (!name) return id;
  const alike = known().get(name) ?? new Set();
  const others = [...alike].filter((one) => one !== id);
  if (others.length === 0) return name;
  const short = shortened(id);
  return `${name} (${others.some((one) => shortened(one) === short) ? id : short})`;
}

/// Those that are connected, and those of runs.
function known() {
  const { devices, sessions, history, open } = state;
  const now = [devices, sessions, history.sessions, open.size];
  if (now.every((one, place) => one === told[place])) return models;
  told = now;
  models = new Map();
  const add = (name, id) => name && id && models.set(name, (models.get(name) ?? new Set()).add(id));
  for (const one of devices ?? []) add(one.model, one.device_id);
  const shown = [...open.values()].map(({ session }) => session).filter(Boolean);
  for (const one of [...(sessions ?? []), ...(history.sessions ?? []), ...shown]) add(one.device_model, one.device_id);
  return models;
}

function shortened(id) {
  // What every phone found by mDNS has at its end.
  const own = id.replace(/\._adb(-tls-connect)?\._tcp\.?$/, "");
  return own.length <= LONGEST ? own : `${own.slice(0, 11)}…${own.slice(-12)}`;
}
