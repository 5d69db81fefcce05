// Pictures of steps that could not be loaded, as while the server is gone: they are asked for again.

import { state } from "./store.js";

const REST = 3000;
// Tries for one that fails although the server is there: it may be missing for good.
const MOST = 3;

// Those that failed, and how often.
const failed = new Map();

export function watchPictures() {
  // These events rise to nobody, but are seen on their way down.
  document.addEventListener("load", ({ target }) => failed.delete(target), true);
  document.addEventListener("error", ({ target }) => fail(target), true);
}

function fail(picture) {
  // Screens are asked for again anyway.
  if (picture.tagName !== "IMG" || picture.src.startsWith("blob:")) return;
  const times = (failed.get(picture) ?? 0) + 1;
  failed.set(picture, times);
  if (times <= MOST) setTimeout(() => state.link === "open" && retry(picture), REST);
}

function retry(picture) {
  if (!picture.isConnected) failed.delete(picture);
  else if (failed.has(picture)) picture.src = picture.getAttribute("src");
}

/// The server is back, and with it perhaps the pictures.
export function retryPictures() {
  for (const picture of failed.keys()) {
    failed.set(picture, 0);
    retry(picture);
  }
}
