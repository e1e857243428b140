import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Hono } from "hono";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpFace, type HttpServer, listen } from "#runtime/local/http";
import type { Shell } from "#runtime/local/shell";
import { demoShell, token } from "#test/runtime/local/demo-shell";
import { attemptsOf, chromiumPath, startChromium } from "./chromium.ts";

/** Another site, and one whose name leads to this machine. */
const [evil, rebound] = ["evil.test", "rebound.test"];

let shell: Shell;
let lookout: HttpServer;
let site: Server;
let browser: Browser;
/** Each answer of the API that was no refusal, and each with a header of CORS. */
const allowed: string[] = [];

if (chromiumPath === undefined)
  process.stderr.write("No Chromium is here, so the hostile page is not tried: apt-get install chromium\n");

/** The answers of CI count a skipped test as failed. */
describe.skipIf(chromiumPath === undefined)("a hostile page in a real browser", () => {
  beforeAll(async () => {
    const { shell: opened, demo, http } = demoShell();
    shell = opened;
    const face = httpFace({ ...http, demoPush: demo.pushTo(shell) });
    const watched = new Hono();
    watched.all("*", async ({ req }) => {
      const response = await face.fetch(req.raw);
      if (req.path.startsWith("/v1") && response.status < 400) allowed.push(`${req.method} ${req.path}`);
      const cors = [...response.headers.keys()].filter((name) => name.startsWith("access-control-"));
      if (cors.length > 0) allowed.push(`${req.method} ${req.path} ${cors.join()}`);
      return response;
    });
    lookout = await listen(watched, { host: "127.0.0.1", port: 0 });
    site = createServer((_, response) => response.setHeader("content-type", "text/html").end("<body>hello</body>"));
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    browser = await startChromium(chromiumPath ?? "", [evil, rebound]);
  });
  afterAll(async () => {
    await browser.close();
    site.close();
    await shell.stop(1_000);
    await lookout.stop(100);
  });

  const lookoutPort = (): string => new URL(lookout.url).port;
  const sitePort = (): string => String((site.address() as AddressInfo).port);

  const pages = [
    { of: "another site", page: () => `http://${evil}:${sitePort()}/`, target: () => lookout.url },
    { of: "another port of this machine", page: () => `http://127.0.0.1:${sitePort()}/`, target: () => lookout.url },
    {
      of: "another port, by another name of this machine",
      page: () => `http://localhost:${sitePort()}/`,
      target: () => `http://localhost:${lookoutPort()}`,
    },
    {
      of: "a site whose name leads to this machine",
      page: () => `http://${rebound}:${lookoutPort()}/healthz`,
      target: () => `http://${rebound}:${lookoutPort()}`,
    },
  ];
  const tokens = [
    { has: "no token", given: {} },
    { has: "a token of another server", given: { token: "stolen-0123456789" } },
    { has: "the token itself", given: { token } },
  ];
  const cases = pages.flatMap((page) => tokens.map((one) => ({ ...page, ...one })));

  it.concurrent.each(cases)("of $of with $has reads nothing and changes nothing", async ({ page, target, given }) => {
    const attempts = await attemptsOf(browser, page(), { url: target(), ...given });

    expect(attempts.length).toBeGreaterThan(25);
    expect(attempts.filter(({ learned }) => learned !== undefined)).toEqual([]);
    expect(allowed).toEqual([]);
    expect(await shell.ports.freezes.list()).toEqual([]);
  });

  it("would succeed from Lookout's own address with the token", async () => {
    const attempts = await attemptsOf(browser, `${lookout.url}/healthz`, { url: lookout.url, token });

    const learned = attempts.filter((attempt) => attempt.learned !== undefined).map(({ name }) => name);
    expect(learned).toContain("fetch GET with a token");
    expect(learned).toContain("fetch POST with a token");
    expect(learned).not.toContain("fetch POST as JSON");
    expect((await shell.ports.freezes.list()).length).toBe(1);
  });
});
