import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownNames } from "#runtime/local/browser-guard";
import { httpFace, type HttpServer, listen } from "#runtime/local/http";
import type { Shell } from "#runtime/local/shell";
import { demoShell, token } from "./demo-shell.ts";

let shell: Shell;
let server: HttpServer;

beforeAll(async () => {
  const { shell: opened, http } = demoShell();
  shell = opened;
  server = await listen(httpFace(http), { host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  await shell.stop(1_000);
  await server.stop(1_000);
});

/** Asks with the token. fetch would not let a header be chosen. */
function ask(path: string, headers: Readonly<Record<string, string>>, method = "GET"): Promise<number> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const all = { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers };
    const asked = request({ hostname, port, path, method, headers: all, agent: false }, (response) => {
      const cors = Object.keys(response.headers).filter((name) => name.startsWith("access-control-"));
      response.resume();
      if (cors.length > 0) reject(new Error(`it has headers of CORS: ${cors.join()}`));
      else resolve(response.statusCode ?? 0);
    });
    asked.on("error", reject);
    asked.end(method === "POST" ? JSON.stringify({ scope: "*", by: "ana", why: "the year ends" }) : undefined);
  });
}
const port = () => new URL(server.url).port;

describe("a server on a loopback address", () => {
  it.each([
    ["127.0.0.1", 200],
    ["localhost", 200],
    ["LOCALHOST", 200],
    ["[::1]", 200],
    ["evil.example", 421],
    ["127.0.0.1.evil.example", 421],
    ["localhost.", 421],
    ["0.0.0.0", 421],
    ["2130706433", 421],
    ["[::ffff:127.0.0.1]", 400],
    ["user@127.0.0.1", 400],
  ])("answers as %s with its port: %s", async (name, status) => {
    expect(await ask("/v1/workloads", { host: `${name}:${port()}` })).toBe(status);
  });

  it.each(["127.0.0.1", "localhost", "127.0.0.1:1"])("does not answer as %s, without its own port", async (host) => {
    expect(await ask("/v1/workloads", { host })).toBe(421);
  });

  it("answers /healthz and webhooks under other names, which may come through a tunnel", async () => {
    const host = "tunnel.example";

    expect([await ask("/healthz", { host }), await ask("/webhooks/none", { host }, "POST")]).toEqual([200, 404]);
  });

  it("answers under any name on another address", () => {
    const hosts = ["0.0.0.0", "::", "10.0.0.1", "127.test"];

    expect(hosts.map((host) => ownNames(host, 4_040))).toEqual(hosts.map(() => undefined));
  });

  it("answers without a port on port 80", () => {
    expect(ownNames("127.0.0.1", 80)?.has("localhost")).toBe(true);
    expect(ownNames("127.1", 80)?.has("localhost")).toBe(true);
  });
});

describe("a write request", () => {
  it.each([
    ["a program", {}, 200],
    ["its own page", { "sec-fetch-site": "same-origin" }, 200],
    ["a person who typed the address", { "sec-fetch-site": "none" }, 200],
    ["a page of another site", { "sec-fetch-site": "cross-site" }, 403],
    ["a page of another port", { "sec-fetch-site": "same-site" }, 403],
    ["an unknown kind of page", { "sec-fetch-site": "" }, 403],
    ["a page with another origin", { origin: "http://evil.example" }, 403],
    ["a page with no origin of its own", { origin: "null" }, 403],
    ["a page of another port with its origin alone", { origin: "http://127.0.0.1:1" }, 403],
  ])("of %s (%o): %i", async (_, headers, status) => {
    expect(await ask("/v1/freezes", headers, "POST")).toBe(status);
  });

  it("of its own page may have its origin", async () => {
    expect(await ask("/v1/freezes", { origin: server.url, "sec-fetch-site": "same-origin" }, "POST")).toBe(200);
  });

  it("gets no preflight answer for pages of other origins", async () => {
    const headers = { origin: "http://evil.example", "access-control-request-method": "POST" };

    expect(await ask("/v1/freezes", headers, "OPTIONS")).toBe(403);
  });
});
