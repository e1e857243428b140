import { connect as connectTcp } from "node:net";
import { connect } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { httpFace, type HttpServer, listen } from "#runtime/local/http";
import { type OwnAuthority, ownAuthority } from "#test/runtime/own-authority";
import { trustingFetch } from "#cli/trusting-fetch";
import { demoShell, token } from "./demo-shell.ts";

const { shell, http } = demoShell();
const first: OwnAuthority = ownAuthority();
const second: OwnAuthority = ownAuthority();

let server: HttpServer;
beforeEach(async () => {
  server = await listen(httpFace(http), { host: "127.0.0.1", port: 0 }, shell, first);
});
afterEach(() => server.stop(0));

const portOf = ({ url }: HttpServer): number => Number(new URL(url).port);

async function ask(path: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<Response> {
  const authorization = `Bearer ${token}`;
  const trust = { certificates: first.ca, isPinned: false };
  return trustingFetch(server.url + path, { method, headers: { authorization, ...headers } }, trust);
}

/** Returns the error of a request, without `fetch` around it. */
async function errorOf(answer: Promise<Response>): Promise<unknown> {
  const error: unknown = await answer.catch((thrown: unknown) => thrown);
  const cause = (error as Error).cause as { readonly code?: string; readonly message: string };
  return cause.code ?? cause.message;
}

describe("a server with a certificate", () => {
  it("answers over HTTPS on each of its sockets", async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask("/v1/workloads", { connection: "close" })));

    expect(server.url).toMatch(/^https:/);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it("accepts writes from its own pages only", async () => {
    const origin = server.url;
    const from = async (of: string) => (await ask("/v1/doctor/probes", { origin: of }, "POST")).status;

    expect([await from(origin), await from(origin.replace("https", "http")), await from("https://evil.test")]).toEqual([
      202, 403, 403,
    ]);
  });

  it("refuses versions before TLS 1.2", async () => {
    const code = await new Promise((resolve) => {
      const socket = connect({
        port: portOf(server),
        host: "127.0.0.1",
        minVersion: "TLSv1",
        maxVersion: "TLSv1.1",
        rejectUnauthorized: false,
      });
      socket.once("error", ({ code: found }: NodeJS.ErrnoException) => {
        resolve(found);
      });
      socket.once("secureConnect", () => {
        resolve(socket.getProtocol());
      });
    });

    expect(code).not.toMatch(/^TLSv/);
  });

  it("uses a renewed certificate for new connections, and a request in progress goes on", async () => {
    const stream = await ask("/v1/events");
    server.useCertificate(second);

    expect(await errorOf(ask("/healthz"))).toMatch(/SIGNATURE|SELF_SIGNED|ISSUER/);
    const renewed = await trustingFetch(`${server.url}/healthz`, {}, { certificates: second.ca, isPinned: false });
    expect([renewed.status, stream.status]).toEqual([200, 200]);
    await stream.body?.cancel();
  });

  it("stops in time although clients stay silent, close early, or don't trust it", async () => {
    const silent = connectTcp(portOf(server), "127.0.0.1");
    silent.on("error", () => undefined);
    await new Promise((resolve) => silent.once("connect", resolve));
    for (const pair of [second, second])
      await errorOf(trustingFetch(server.url, {}, { certificates: pair.ca, isPinned: false }));
    const early = connectTcp(portOf(server), "127.0.0.1", () => early.end());
    await new Promise((resolve) => early.once("close", resolve).resume());

    await server.stop(50);
  });
});

describe("a pinned certificate", () => {
  it("is trusted under any name, and another one of the same authority is not", async () => {
    const trust = { certificates: first.cert, isPinned: true };
    const byName = server.url.replace("127.0.0.1", "localhost");

    expect((await trustingFetch(`${byName}/healthz`, {}, trust)).status).toBe(200);
    expect(
      await errorOf(trustingFetch(`${server.url}/healthz`, {}, { certificates: second.cert, isPinned: true })),
    ).toMatch(/SIGNATURE|SELF_SIGNED|ISSUER|another certificate/);
  });
});
