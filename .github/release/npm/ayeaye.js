#!/usr/bin/env node
"use strict";
// Starts the program `ayeaye` of the package for this system. Runs on Node 12 and newer.

const fs = require("fs");
const path = require("path");
const packages = require("../package.json").optionalDependencies;

const ELSE =
  "Without npm: an archive from the releases page, or with Rust `cargo install --locked --path crates/ayeaye` in the sources.";

function fail(...lines) {
  console.error(["ayeaye: " + lines[0], ...lines.slice(1), ELSE].join("\n"));
  process.exit(1);
}

// Linux with another C library than glibc (Alpine has musl) cannot start the program, and would only say "not found".
function otherLibc() {
  if (process.platform !== "linux" || !process.report) return false;
  try {
    // Not asked for here, and takes seconds where it looks up names of addresses.
    process.report.excludeNetwork = true;
    return !process.report.getReport().header.glibcVersionRuntime;
  } catch (_) {
    return false;
  }
}

function find() {
  const system = process.platform + "-" + process.arch;
  const name = Object.keys(packages).find((it) => it.endsWith("/" + system));
  if (!name) {
    const known = Object.keys(packages).map((it) => it.split("/")[1]);
    fail("there is no package for " + system + ".", "There are: " + known.join(", ") + ".");
  }
  const file = process.platform === "win32" ? "ayeaye.exe" : "ayeaye";
  let folder;
  try {
    folder = path.dirname(require.resolve(name + "/package.json"));
  } catch (_) {
    if (otherLibc()) fail("there is no package for " + system + " without glibc (this system's C library is another, as in Alpine).");
    fail(
      "the package " + name + " is not installed.",
      "npm leaves it out with --omit=optional or --no-optional, and where node_modules came from another system.",
      "Install again without these: npm install ayeaye"
    );
  }
  const program = path.join(folder, "bin", file);
  if (!fs.existsSync(program)) fail("the package " + name + " has no " + path.join("bin", file) + "; install it again.");
  return program;
}

const program = find();
const words = process.argv.slice(2);

if (typeof process.execve === "function" && process.platform !== "win32") {
  // Node 22.15 and newer: from here on the program is this process, so that its input, signals and exit code
  // are nobody else's, and no Node stays in memory.
  process.execve(program, [program, ...words], process.env);
}

// A terminal sends Ctrl-C to both. Passing it on as well would be the second one, which ends the program at once.
const shared = process.platform === "win32" || require("tty").isatty(0);
let child;
// Before the start, or a signal at the wrong moment would leave the program behind.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (!(shared && signal === "SIGINT")) child.kill(signal);
  });
}
child = require("child_process").spawn(program, words, { stdio: "inherit" });
child.on("error", (error) => fail("cannot start " + program + ": " + error.message));
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
