import { Readable } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import type { SendHttp } from "#adapters/shared/http-send";
import type { Credential } from "#adapters/oci/credentials";
import { mayHoldCredential, reachOf, siteOf } from "#adapters/oci/hosts";
import { ask, closeServers, onLoopback, start } from "./asking.ts";
import { reply } from "./registry-server.ts";

afterEach(closeServers);

const digest = `sha256:${"ab".repeat(32)}`;
const robot = async (): Promise<Credential> => ({ username: "robot", password: "canary" });
const repository = "shop/api";
const robotBasic = "Basic cm9ib3Q6Y2FuYXJ5";

/** Stands for a public host, and remembers what credentials it was sent. */
function openWay(statusCode: number, headers: Readonly<Record<string, string>>) {
  const authorizations: (string | undefined)[] = [];
  const send: SendHttp = async (_, call) => {
    authorizations.push(call.headers["authorization"]);
    return { statusCode, headers, body: Readable.from([]) };
  };
  return { authorizations, send };
}

describe("a credential", () => {
  it("is not sent to a token service on another port of the registry's machine", async () => {
    const elsewhere = await start((_, response) => reply(response, 200, { token: "fresh" }));
    const server = await start((_, response) =>
      reply(response, 401, {}, { "www-authenticate": `Bearer realm="http://${elsewhere.host}/token"` }),
    );

    expect(await ask(server, { credentials: robot }).resolve()).toEqual({
      kind: "denied",
      detail: `${server.host} names a token service that is not allowed: http://${elsewhere.host}; to allow the host, add it to tokenHosts of the registry's entry in lookout.yaml`,
    });
    expect(elsewhere.asked).toEqual([]);
  });

  it("is sent to a token service that lookout.yaml names", async () => {
    const tokens = await start((_, response) => reply(response, 200, { token: "fresh" }));
    const server = await start(({ authorization }, response) => {
      if (authorization === "Bearer fresh") reply(response, 200, "", { "docker-content-digest": digest });
      else reply(response, 401, {}, { "www-authenticate": `Bearer realm="http://${tokens.host}/token"` });
    });

    const registries = [{ ...onLoopback(server.host), tokenHosts: [tokens.host] }];

    expect(await ask(server, { credentials: robot, registries }).resolve()).toMatchObject({ kind: "manifest" });
    expect(tokens.asked.map(({ authorization }) => authorization)).toEqual([robotBasic]);
    expect(server.asked.map(({ authorization }) => authorization)).toEqual([undefined, "Bearer fresh"]);
  });

  it.each([301, 302, 303, 307, 308])("is not sent when the registry answers %s to another origin", async (status) => {
    const elsewhere = openWay(200, { "docker-content-digest": digest });
    const server = await start(({ authorization }, response) => {
      if (authorization === undefined) reply(response, 401, {}, { "www-authenticate": "Basic realm=x" });
      else reply(response, status, {}, { location: "https://blobs.example.com/v2/shop/api/manifests/1.0.0" });
    });

    const options = { credentials: robot, sendInTheOpen: elsewhere.send };
    expect(await ask(server, options).resolve()).toEqual({ kind: "manifest", digest, platforms: [] });
    expect(server.asked.map(({ authorization }) => authorization)).toEqual([undefined, robotBasic]);
    expect(elsewhere.authorizations).toEqual([undefined]);
  });

  it("is not sent to the host of a redirect", async () => {
    const server = await start((_, response) => reply(response, 307, {}, { location: "https://blobs.example.com/x" }));
    const elsewhere = openWay(401, { "www-authenticate": `Bearer realm="http://${server.host}/token"` });

    expect(await ask(server, { credentials: robot, sendInTheOpen: elsewhere.send }).resolve()).toEqual({
      kind: "denied",
      detail: `${server.host} redirects to blobs.example.com, which asks for its own login`,
    });
    expect([...server.asked.map(({ authorization }) => authorization), ...elsewhere.authorizations]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe("a host that only a registry names", () => {
  const needsEntry = "to allow the host, set tokenHosts and allowPrivateNetwork in an entry of HOST in lookout.yaml";
  const places = [
    { url: "http://localhost:1/token", because: "another name of this machine over HTTP" },
    { url: "http://169.254.169.254/latest", because: "the metadata service" },
    { url: "https://169.254.169.254/latest", because: "the metadata service over HTTPS" },
    { url: "https://127.1/token", because: "this machine in short" },
    { url: "https://0177.0.0.1/token", because: "this machine in octal digits" },
    { url: "https://[::1]/token", because: "this machine by IPv6" },
    { url: "https://[::ffff:10.0.0.1]/token", because: "a private address within IPv6" },
    { url: "https://[64:ff9b::a00:1]/token", because: "a private address behind NAT64" },
    { url: "https://[2002:a00:1::]/token", because: "a private address by 6to4" },
    { url: "https://10.0.0.1/token", because: "a private address" },
    { url: "file:///etc/passwd", because: "a file" },
  ];

  it.each(places)("gets no request for a token at $because", async ({ url }) => {
    const server = await start((_, response) =>
      reply(response, 401, {}, { "www-authenticate": `Bearer realm="${url}"` }),
    );

    expect(await ask(server).resolve()).toEqual({
      kind: "denied",
      detail: expect.stringContaining("names a token service that is not allowed") as unknown,
    });
  });

  it.each([
    ...places.map(({ url, because }) => ({
      ...{ url, because },
      remedy: url.startsWith("http") ? needsEntry : "Lookout follows only HTTPS and HTTP",
    })),
    {
      url: "https://user:word@blobs.test/",
      because: "a URL with a user",
      remedy: "Lookout follows no URL with a user",
    },
  ])("gets no redirect to $because, and the refusal names the entry", async ({ url, remedy }) => {
    const server = await start((_, response) => reply(response, 302, {}, { location: url }));

    const { protocol, host } = new URL(url);
    const what = `redirects to a host that is not allowed: ${protocol}//${host}`;
    expect(await ask(server).resolve()).toEqual({
      kind: "not-allowed",
      detail: `${server.host} ${what}; ${remedy.replace("HOST", server.host)}`,
    });
  });

  it("gets no connection if its name leads to this machine", async () => {
    const server = await start((_, response) =>
      reply(response, 302, {}, { location: `https://localhost:${server.port}/x` }),
    );

    expect(await ask(server).resolve()).toEqual({
      kind: "not-allowed",
      detail: `localhost:${server.port} has an address that is not public; to allow the address, set tokenHosts and allowPrivateNetwork in an entry of ${server.host} in lookout.yaml`,
    });
  });

  it("gets no credential over HTTPS", async () => {
    const asked: unknown[] = [];
    const sendInTheOpen: SendHttp = async (url, { headers }) => {
      asked.push([url, "authorization" in headers]);
      return { statusCode: 200, headers: {}, body: Readable.from([Buffer.from('{"token":"fresh"}')]) };
    };
    const server = await start(({ authorization }, response) => {
      if (authorization === "Bearer fresh") reply(response, 200, "", { "docker-content-digest": digest });
      else reply(response, 401, {}, { "www-authenticate": 'Bearer realm="https://tokens.example.com/token"' });
    });

    expect(await ask(server, { sendInTheOpen }).resolve()).toEqual({ kind: "manifest", digest, platforms: [] });
    expect(asked).toEqual([["https://tokens.example.com/token?scope=repository%3Ashop%2Fapi%3Apull", false]]);
  });

  it("is followed three times at most", async () => {
    const server = await start((_, response) => reply(response, 302, {}, { location: "/again" }));

    expect(await ask(server).resolve()).toEqual({
      kind: "unreachable",
      detail: `${server.host} redirects more than 3 times`,
    });
    expect(server.asked).toHaveLength(4);
  });
});

describe("the hosts that may get a credential", () => {
  it.each([
    {
      registry: "docker.io",
      realm: "https://auth.docker.io/token",
      may: true,
      because: "the known service of Docker Hub",
    },
    {
      registry: "index.docker.io",
      realm: "https://auth.docker.io/token",
      may: true,
      because: "another name of Docker Hub",
    },
    { registry: "docker.io", realm: "https://registry-1.docker.io/token", may: true, because: "the registry itself" },
    { registry: "docker.io", realm: "http://auth.docker.io/token", may: false, because: "HTTP" },
    { registry: "docker.io", realm: "https://auth.docker.io:8443/token", may: false, because: "another port" },
    { registry: "docker.io", realm: "https://auth.docker.io.example.com/token", may: false, because: "a longer name" },
    { registry: "docker.io", realm: "https://auth.docker.io@example.com/token", may: false, because: "a login" },
    { registry: "docker.io", realm: "https://login.docker.io/token", may: false, because: "only the same parent" },
    { registry: "ours.azurecr.io", realm: "https://ours.azurecr.io/oauth2/token", may: true, because: "itself" },
    {
      registry: "ours.azurecr.io",
      realm: "https://theirs.azurecr.io/oauth2/token",
      may: false,
      because: "a neighbour",
    },
    {
      registry: "theirs.example.com",
      realm: "https://auth.docker.io/token",
      may: false,
      because: "another registry's service",
    },
    {
      registry: "REGISTRY.Example.com",
      realm: "https://registry.example.com:443/t",
      may: true,
      because: "one host in capitals",
    },
  ])("$registry: $realm is $because", ({ registry, realm, may }) => {
    expect(mayHoldCredential(siteOf({ registry, repository }, []), new URL(realm))).toBe(may);
  });

  it("are asked over HTTP only if the registry is", () => {
    const registries = [{ host: "plain.example.com", insecure: true, tokenHosts: ["tokens.example.com"] }];
    const asked = ["plain.example.com", "tokens.example.com", "other.example.com"].map((host) =>
      reachOf(siteOf({ registry: "plain.example.com", repository }, registries), new URL(`http://${host}/token`)),
    );

    expect(asked).toEqual(["own", "own", "never"]);
  });
});

describe("the place of a registry", () => {
  it.each([
    {
      registry: "docker.io",
      origin: "https://registry-1.docker.io",
      because: "Docker Hub's registry has another name",
    },
    { registry: "ghcr.io", origin: "https://ghcr.io", because: "others are asked by their names" },
    { registry: "localhost:5000", origin: "https://localhost:5000", because: "nobody is asked over HTTP untold" },
    { registry: "127.0.0.1.example.com", origin: "https://127.0.0.1.example.com", because: "a name is no address" },
    { registry: "mirrored.example.com", origin: "http://mirror:5000", because: "the owner says so" },
  ])("$registry is at $origin: $because", ({ registry, origin }) => {
    const registries = [{ host: "mirrored.example.com", endpoint: "mirror:5000", insecure: true }];

    expect(siteOf({ registry, repository }, registries).origin).toBe(origin);
  });

  it.each(["https://mirror", "mirror/path", "a b", "user@mirror", ""])("is not %j", (endpoint) => {
    const name = { registry: "registry.example.com", repository };
    expect(() => siteOf(name, [{ host: "registry.example.com", endpoint }])).toThrow(
      `"${endpoint}" (registry registry.example.com) is not a host: expected "host" or "host:port"`,
    );
  });
});
