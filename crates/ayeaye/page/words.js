// The words of the page in the language of the person.

import english from "./words-en.js";
import chinese from "./words-zh.js";

const ALL = { en: english, zh: chinese };
const KEPT = "ayeaye-language";

let chosen = "en";

export const languages = [
  { code: "en", name: "English" },
  { code: "zh", name: "中文" },
];

export const language = () => chosen;

/// The language that was chosen here before, else the first of the browser's that there is, else English.
export function preferred() {
  let kept = null;
  try {
    kept = localStorage.getItem(KEPT);
  } catch {
    // Storage is closed to this page: the browser's language it is.
  }
  if (kept in ALL) return kept;
  // In the order in which the person wants them.
  const wanted = navigator.languages.map((one) => one.toLowerCase().split("-")[0]);
  return wanted.find((one) => one in ALL) ?? "en";
}

export function choose(code, keep) {
  chosen = code in ALL ? code : "en";
  document.documentElement.lang = chosen === "zh" ? "zh-Hans" : "en";
  if (!keep) return;
  try {
    localStorage.setItem(KEPT, chosen);
  } catch {
    // It holds until the page is loaded again.
  }
}

/// The words for `key`; those that depend on numbers or names take them from `values`.
export function t(key, values) {
  const words = ALL[chosen][key] ?? english[key] ?? key;
  return typeof words === "function" ? words(values) : words;
}

/// Whether there are words for it.
export const worded = (group, value) => `${group}.${value}` in english;

// Among them the control characters, but for the ends of lines and tabs.
const UNSEEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/// What is shown in place of a secret.
export const HIDDEN = "••••••";

/// A text without the marks that stand for secrets in the record, and without what is not seen and turns the direction
/// of the rest.
export const plain = (text) => text?.replace(/\[secret [a-z]+ [\d+-]+ #[0-9a-f]{8}\]/g, HIDDEN).replace(UNSEEN, "");

/// The same for who hears it.
export const spoken = (text) => plain(text)?.replaceAll(HIDDEN, t("secret"));

/// The server's words begin small; names of phones and programs stay as they are.
export const sentence = (text) => text.replace(/^(?!adb\b)[a-z](?=[a-z]*[ ,:])/, (first) => first.toUpperCase());

/// The words for a value of the server's closed lists (stop reasons, states, actions), else the value itself.
export const named = (group, value) => ALL[chosen][`${group}.${value}`] ?? english[`${group}.${value}`] ?? value;
