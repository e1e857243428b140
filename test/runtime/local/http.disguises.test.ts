import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

/** Sends a path as it is written, which fetch would normalise. */
function ask(path: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on("error", reject);
    asked.end();
  });
}

describe("the API of the local process", () => {
  it("answers every caller with the token", async () => {
    expect(await ask("/v1/workloads", { authorization: `Bearer ${token}` })).toBe(200);
  });

  it.each([
    ...["/v1/workloads", "//v1/workloads", "/v1//workloads", "/V1/workloads", "/v1%2fworkloads", "/%76%31/workloads"],
    ...[
      "/x/../v1/workloads",
      "/x/%2e%2e/v1/workloads",
      "/./v1/workloads",
      "/webhooks/../v1/workloads",
      "/v1/workloads/",
    ],
    ...[
      "/v1/workloads?authorization=x",
      "/v1/workloads;x",
      "/v1\\workloads",
      "http://127.0.0.1/v1/workloads",
      "/healthz/../v1/workloads",
    ],
  ])("is closed to %s without the token", async (path) => {
    expect([400, 401, 404]).toContain(await ask(path));
  });

  it.each([
    ["an empty token", { authorization: "Bearer " }],
    ["an empty header", { authorization: "" }],
    ["a token of blanks", { authorization: "Bearer    " }],
    ["the beginning of the token", { authorization: "Bearer the token of this tes" }],
    ["the token and more", { authorization: `Bearer ${token}, Bearer x` }],
    ["the name of a caller", { "x-lookout-caller": "arn:aws:iam::111122223333:role/Admin" }],
  ])("is closed to %s", async (_, headers) => {
    expect(await ask("/v1/workloads", headers)).toBe(401);
  });
});
