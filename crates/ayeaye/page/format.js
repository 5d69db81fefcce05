// Times, durations and money as the chosen language writes them.

import { language, t } from "./words.js";

const cache = new Map();

function formatter(kind, options) {
  const name = `${language()} ${kind.name} ${JSON.stringify(options)}`;
  if (!cache.has(name)) cache.set(name, new kind(language(), options));
  return cache.get(name);
}

/// `820 ms`, `4.2 s`, `3:07 min`, `1:02 h`.
export function duration(ms) {
  if (!Number.isFinite(ms) || ms < 0) return "–";
  if (ms < 1000) return `${Math.round(ms)} ${t("unit.ms")}`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} ${t("unit.s")}`;
  const seconds = Math.round(ms / 1000);
  const pair = (large, small) => `${large}:${String(small).padStart(2, "0")}`;
  if (seconds < 3600) return `${pair(Math.floor(seconds / 60), seconds % 60)} ${t("unit.min")}`;
  return `${pair(Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60))} ${t("unit.h")}`;
}

/// A duration that grows while it is looked at: whole seconds.
export const elapsed = (ms) => (ms < 60_000 ? `${Math.max(0, Math.round(ms / 1000))} ${t("unit.s")}` : duration(ms));

export function time(at) {
  const date = new Date(at);
  return Number.isNaN(date.getTime())
    ? "–"
    : formatter(Intl.DateTimeFormat, { timeStyle: "medium", hourCycle: "h23" }).format(date);
}

/// `14:03` today, `21 Nov, 14:03` before.
export function when(at, now) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "–";
  const hours = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  const today = new Date(now).toDateString() === date.toDateString();
  return formatter(Intl.DateTimeFormat, today ? hours : { day: "numeric", month: "short", ...hours }).format(date);
}

/// What a session has cost: nothing is said where no model was asked, or where nobody knows the price.
export const cost = ({ cost_usd: usd, cost_known: known, model_ms: model }) => (known && 0 < model ? money(usd) : "–");

export function money(usd) {
  const digits = usd !== 0 && usd < 0.1 ? 4 : 2;
  return formatter(Intl.NumberFormat, {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  }).format(usd);
}

/// How long a session has taken, or takes until now. Of one that cannot be read nobody knows.
export const taken = (session, now) =>
  session.unreadable ? NaN : new Date(session.ended_at ?? now).getTime() - new Date(session.started_at).getTime();
