// Counts what holds and what does not, one line each; and waits for what is to come.

export const checks = { passed: 0, failed: 0 };

export function check(name, holds, detail) {
  checks[holds ? "passed" : "failed"] += 1;
  const said = holds || detail === undefined ? "" : `: ${JSON.stringify(detail)?.slice(0, 1200)}`;
  console.log(`${holds ? "ok   " : "FAIL "} page: ${name}${said}`);
  return Boolean(holds);
}

/// The first value of `ask` that is true, asked again and again; a request that fails counts as false.
export async function until(what, ask, limit = 30_000) {
  const end = performance.now() + limit;
  let last;
  while (performance.now() < end) {
    try {
      const value = await ask();
      if (value) return value;
      last = value;
    } catch (error) {
      last = error;
    }
    await new Promise((next) => setTimeout(next, 40));
  }
  throw new Error(`waited ${limit / 1000} s in vain for ${what} (${last})`);
}
