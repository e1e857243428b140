import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { parseConfiguration } from "#contracts/config/configuration";
import type { Registry } from "#ports/registry";
import { readSecret, type SecretSources } from "#runtime/local/configuration-secrets";
import { openRegistries } from "#runtime/registries";
import { type OwnAuthority, ownAuthority } from "./own-authority.ts";

const password = "correct-horse-battery-staple";
const basic = Buffer.from(`ana:${password}`).toString("base64");
const signal = new AbortController().signal;
const tags = { kind: "tags", tags: ["1.0.0"] } as const;

let authority: OwnAuthority;
let other: OwnAuthority;
let folder: string;
beforeAll(() => {
  [authority, other] = [ownAuthority(), ownAuthority()];
  folder = mkdtempSync(join(tmpdir(), "lookout-tls-"));
  for (const [name, { ca }] of [
    ["own.pem", authority],
    ["other.pem", other],
  ] as const)
    writeFileSync(join(folder, name), ca);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A registry that asks for the password. Answers its port, and the requests that it took. */
async function registryServer(isTls: boolean) {
  const asked: IncomingMessage[] = [];
  const answer: RequestListener = (request, response) => {
    asked.push(request);
    if (request.headers.authorization !== `Basic ${basic}`)
      return void response.writeHead(401, { "www-authenticate": "Basic realm=shop" }).end();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ tags: tags.tags }));
  };
  const server = isTls ? createTlsServer({ key: authority.key, cert: authority.cert }, answer) : createServer(answer);
  closing.push(() => server.closeAllConnections());
  return { port: await listen(server), asked };
}

/**
 * A proxy that only tunnels, to one port. Answers what it was told, and every byte that passed it
 * on the way there.
 */
async function proxyTo(port: number) {
  const told: string[] = [];
  const heard: Buffer[] = [];
  const sockets: (Socket | Duplex)[] = [];
  const server = createServer((request, response) => {
    told.push(`${String(request.method)} ${String(request.url)} ${JSON.stringify(request.headers)}`);
    response.writeHead(405).end();
  });
  server.on("connect", (request: IncomingMessage, client: Duplex, head: Buffer) => {
    told.push(`CONNECT ${String(request.url)} ${JSON.stringify(request.headers)}`);
    const target = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      target.write(head);
      client.on("data", (chunk: Buffer) => heard.push(chunk));
      client.pipe(target).pipe(client);
    });
    sockets.push(client, target);
    for (const socket of [client, target]) socket.on("error", () => undefined);
  });
  closing.push(() => sockets.forEach((socket) => socket.destroy()));
  const url = `http://127.0.0.1:${await listen(server)}`;
  return { url, told, bytes: () => Buffer.concat(heard).toString("latin1") };
}

/** Opens the registries of a `lookout.yaml`, as the local process does. */
function registries(entry: object, parameters: Readonly<Record<string, string>> = {}): Registry {
  const configuration = parseConfiguration({
    registries: [{ username: "ana", passwordEnv: "SHOP_PASSWORD", ...entry }],
  });
  if (!configuration.ok) throw new Error(JSON.stringify(configuration.problem));
  const sources: SecretSources = {
    environment: { SHOP_PASSWORD: password },
    readFile: (path) => readFile(join(folder, path), "utf8"),
    readInAws: async (place) => {
      const value = "parameter" in place ? parameters[place.parameter] : undefined;
      return value === undefined ? { kind: "missing", why: "there is no such parameter" } : { kind: "secret", value };
    },
  };
  const { value } = configuration;
  return openRegistries({
    configuration: value,
    readSecret: ({ ref }) => readSecret(ref, sources),
    environment: {},
  });
}

describe("a registry with a private certificate authority", () => {
  it("accepts requests with caFile, and with caParameter", async () => {
    const { port } = await registryServer(true);
    const host = `127.0.0.1:${port}`;
    const name = { registry: host, repository: "shop/api" };

    for (const ca of [{ caFile: "own.pem" }, { caParameter: "/lookout/ca" }]) {
      const registry = registries({ host, allowPrivateNetwork: true, ...ca }, { "/lookout/ca": authority.ca });
      expect(await registry.tags(name, signal)).toEqual(tags);
      expect(await registry.inspect(name, signal)).toMatchObject({
        listing: tags,
        answer: { scheme: "https", serverTime: expect.any(Number) as number },
        credentialFrom: `the entry of ${host} in lookout.yaml`,
      });
    }
  });

  it.each([
    { with: "no authority of its entry", ca: {} },
    { with: "another authority in caFile", ca: { caFile: "other.pem" } },
    {
      with: "another authority in caParameter",
      ca: { caParameter: "/lookout/ca" },
    },
  ])("is refused with $with, names the setting in the reason, and gets no request", async ({ ca }) => {
    const { port, asked } = await registryServer(true);
    const host = `127.0.0.1:${port}`;
    const registry = registries({ host, allowPrivateNetwork: true, ...ca }, { "/lookout/ca": other.ca });

    expect(await registry.tags({ registry: host, repository: "shop/api" }, signal)).toEqual({
      ...{ kind: "unreachable", isOutage: true, reason: "registry-not-trusted" },
      detail: `${host} has a certificate that can't be trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE); to trust another authority, set caFile or caParameter of an entry of ${host} in lookout.yaml`,
    });
    expect(asked).toEqual([]);
  });

  it("is refused when its file or parameter can't be read, with its name", async () => {
    const { port } = await registryServer(true);
    const host = `127.0.0.1:${port}`;
    const ask = (ca: object) =>
      registries({ host, allowPrivateNetwork: true, ...ca }).tags({ registry: host, repository: "shop/api" }, signal);

    expect(await ask({ caFile: "none.pem" })).toMatchObject({
      ...{ kind: "unreachable", detail: expect.stringContaining("none.pem") as string },
    });
    expect(await ask({ caParameter: "/lookout/none" })).toMatchObject({
      detail: expect.stringContaining("there is no such parameter") as string,
    });
  });
});

describe("a registry behind a proxy", () => {
  const name = { registry: "registry.test", repository: "shop/api" };

  it("gets requests by name through a tunnel, so the proxy never sees the password", async () => {
    const { port, asked } = await registryServer(true);
    const proxy = await proxyTo(port);
    const registry = registries({ host: "registry.test", proxy: proxy.url, caFile: "own.pem" });

    expect(await registry.tags(name, signal)).toEqual(tags);
    expect(asked.at(-1)?.headers.authorization).toBe(`Basic ${basic}`);
    expect(proxy.told).not.toEqual([]);
    for (const line of proxy.told) expect(line).toMatch(/^CONNECT registry\.test:443 /);
    for (const secret of [password, basic, "authorization"])
      expect(`${proxy.told.join("\n")}${proxy.bytes()}`.toLowerCase()).not.toContain(secret.toLowerCase());
  });

  it("is refused through the tunnel too when its authority is unknown", async () => {
    const { port, asked } = await registryServer(true);
    const proxy = await proxyTo(port);
    const registry = registries({ host: "registry.test", proxy: proxy.url, caFile: "other.pem" });

    expect(await registry.tags(name, signal)).toMatchObject({ kind: "unreachable", reason: "registry-not-trusted" });
    expect([asked, proxy.bytes().includes(basic)]).toEqual([[], false]);
  });

  it("over HTTP uses a tunnel too, so the proxy sees no headers", async () => {
    const { port } = await registryServer(false);
    const proxy = await proxyTo(port);
    const registry = registries({ host: "registry.test", proxy: proxy.url, insecure: true });

    expect(await registry.tags(name, signal)).toEqual(tags);
    expect(proxy.told.map((line) => line.split(" ", 2).join(" "))).toEqual(
      proxy.told.map(() => "CONNECT registry.test:80"),
    );
    expect(proxy.told.join("\n")).not.toContain(basic);
  });

  it.each(["10.0.0.5", "127.0.0.1:5000", "localhost:5000", "[::1]:5000"])(
    "at %s, which is not public, is refused without a request to the proxy",
    async (host) => {
      const proxy = await proxyTo(1);
      const registry = registries({ host, proxy: proxy.url });

      expect(await registry.tags({ registry: host, repository: "shop/api" }, signal)).toEqual({
        kind: "not-allowed",
        detail: `${host} has an address that is not public; to allow the address, set allowPrivateNetwork in an entry of ${host} in lookout.yaml`,
      });
      expect(proxy.told).toEqual([]);
    },
  );

  it.each([
    {
      by: "a redirect",
      answer: { status: 307, headers: { location: "https://vault.internal.example/v1/secrets" } },
      refusal: {
        kind: "not-allowed",
        detail:
          "registry.test redirects to a host that is not allowed: https://vault.internal.example; behind its proxy, add the host to tokenHosts of an entry of registry.test in lookout.yaml",
      },
    },
    {
      by: "a token service",
      answer: { status: 401, headers: { "www-authenticate": 'Bearer realm="https://vault.internal.example/token"' } },
      refusal: {
        kind: "denied",
        detail:
          "registry.test names a token service that is not allowed: https://vault.internal.example; to allow the host, add it to tokenHosts of the registry's entry in lookout.yaml; the credential is from the entry of registry.test in lookout.yaml",
      },
    },
  ])("leads the proxy to no other host by $by", async ({ answer, refusal }) => {
    const server = createServer((_, response) => void response.writeHead(answer.status, answer.headers).end());
    closing.push(() => server.closeAllConnections());
    const proxy = await proxyTo(await listen(server));
    const registry = registries({ host: "registry.test", proxy: proxy.url, insecure: true });

    expect(await registry.tags(name, signal)).toEqual(refusal);
    expect(proxy.told.map((line) => line.split(" ", 2).join(" "))).toEqual(["CONNECT registry.test:80"]);
  });

  it("can't be reached while the proxy refuses the tunnel, and gets no direct request", async () => {
    const { port, asked } = await registryServer(true);
    const refusing = createServer();
    refusing.on("connect", (_request, socket: Duplex) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
    const proxy = `http://127.0.0.1:${await listen(refusing)}`;
    const host = `127.0.0.1:${port}`;
    const registry = registries({ host, proxy, allowPrivateNetwork: true, caFile: "own.pem" });

    expect(await registry.tags({ registry: host, repository: "shop/api" }, signal)).toMatchObject({
      kind: "unreachable",
      isOutage: true,
    });
    expect(asked).toEqual([]);
  });
});
