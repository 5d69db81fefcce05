// Who comes in, and who does not.

import { check } from "./checks.mjs";
import { TOKEN } from "./server.mjs";
import { accessibleInAll, Viewer } from "./viewer.mjs";

export async function signingIn({ browser, server }) {
  const viewer = await Viewer.open(browser, server.origin);
  const { page, context } = viewer;
  await viewer.go();
  await page.getByLabel("Token of this server").waitFor();
  await accessibleInAll(viewer, "the page to sign in");
  const told = await page.evaluate(async () =>
    Promise.all(
      ["me", "devices", "sessions", "events", "policy", "settings"].map(
        async (path) => (await fetch(`/page/api/${path}`)).status,
      ),
    ),
  );
  check(
    "without a sign-in everything is 401",
    told.every((status) => status === 401),
    told,
  );

  await page.getByLabel("Token of this server").fill("not-the-token-of-this-server-at-all");
  await viewer.button("Sign in").click();
  await page.getByRole("alert").filter({ hasText: /\w/ }).first().waitFor();
  check("a wrong token does not sign in, and says so", await page.getByLabel("Token of this server").isVisible());
  await page.goto(`${server.origin}/sign-in?code=${"0".repeat(43)}`);
  await page.getByText("That link has been used").waitFor();
  check("a wrong code is told as such, and gone from the address", !page.url().includes("?"), page.url());

  await page.getByLabel("Token of this server").fill(TOKEN);
  await page.getByLabel("Token of this server").press("Enter");
  await page.getByRole("heading", { name: "Phones", level: 1, exact: true }).waitFor();
  const [cookie] = await context.cookies();
  check(
    "the cookie is out of reach of scripts and of other sites",
    cookie.httpOnly && cookie.sameSite === "Strict" && cookie.path === "/",
    cookie,
  );
  check(
    "the token is kept nowhere in the page",
    !(
      await page.evaluate(
        () => document.documentElement.outerHTML + document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage }),
      )
    ).includes(TOKEN),
  );
  const storage = await context.storageState();
  await page.route("**/sign-out", (asked) => asked.abort());
  await viewer.button("Sign out").click();
  await page.getByText("You are still signed in.").waitFor();
  check("a sign-out that the server did not get is told, and the page stays", await viewer.button("Sign out").isEnabled());
  await page.unroute("**/sign-out");
  await page.route("**/sign-out", async (asked) => asked.fulfill({ response: await asked.fetch(), status: 500 }));
  await viewer.button("Sign out").click();
  await page.getByText("but the server could not record that").waitFor();
  check("a sign-out that was not written is told, and gone from the address", !page.url().includes("?"), page.url());
  // The one failure that was made here.
  viewer.failures = viewer.failures.filter((it) => !it.endsWith("/sign-out"));
  await page.unroute("**/sign-out");
  await page.getByLabel("Token of this server").fill(TOKEN);
  await page.getByLabel("Token of this server").press("Enter");
  await page.getByRole("heading", { name: "Phones", level: 1, exact: true }).waitFor();
  await viewer.button("Sign out").click();
  await page.getByLabel("Token of this server").waitFor();
  const old = await fetch(`${server.origin}/page/api/me`, { headers: { Cookie: `${cookie.name}=${cookie.value}` } });
  check("signed out: the old cookie opens nothing", old.status === 401, [old.status, storage.cookies.length]);

  const link = await server.link();
  await page.goto(link);
  await page.getByRole("heading", { name: "Phones", level: 1, exact: true }).waitFor();
  check("the one-time link signs in, and is gone from the address", page.url() === `${server.origin}/`, page.url());
  const kept = await context.storageState();
  await context.clearCookies();
  await page.goto(link);
  await page.getByText("That link has been used").waitFor();
  check("a second time it does not", await page.getByLabel("Token of this server").isVisible());
  await viewer.close("signing in");
  // Without what this viewer chose: the others begin as anew.
  return { ...kept, origins: [] };
}
