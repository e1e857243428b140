import { Readable } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import type { SendHttp } from "#adapters/shared/http-send";
import type { Credential } from "#adapters/oci/credentials";
import { mayHoldCredential, reachOf, siteOf } from "#adapters/oci/hosts";
import { ask, closeServers, start } from "./asking.ts";
import { reply } from "./registry-server.ts";

afterEach(closeServers);

const digest = `sha256:${"ab".repeat(32)}`;
const robot = async (): Promise<Credential> => ({ username: "robot", password: "canary" });
const robotBasic = "Basic cm9ib3Q6Y2FuYXJ5";

describe("a credential", () => {
  it("goes to no token service on another port of the registry's machine", async () => {
    const elsewhere = await start((_, response) => reply(response, 200, { token: "fresh" }));
    const server = await start((_, response) =>
      reply(response, 401, {}, { "www-authenticate": `Bearer realm="http://${elsewhere.host}/token"` }),
    );

    expect(await ask(server, { credentials: robot }).resolve()).toEqual({
      kind: "denied",
      detail: `${server.host} has its token service at ${elsewhere.host}, which may not receive its credential: add it to tokenHosts`,
    });
    expect(elsewhere.asked).toEqual([]);
  });

  it("goes to a token service that the owner names", async () => {
    const tokens = await start((_, response) => reply(response, 200, { token: "fresh" }));
    const server = await start(({ authorization }, response) => {
      if (authorization === "Bearer fresh") reply(response, 200, "", { "docker-content-digest": digest });
      else reply(response, 401, {}, { "www-authenticate": `Bearer realm="http://${tokens.host}/token"` });
    });

    const hosts = { [server.host]: { tokenHosts: [tokens.host] } };

    expect(await ask(server, { credentials: robot, hosts }).resolve()).toMatchObject({ kind: "manifest" });
    expect(tokens.asked.map(({ authorization }) => authorization)).toEqual([robotBasic]);
    expect(server.asked.map(({ authorization }) => authorization)).toEqual([undefined, "Bearer fresh"]);
  });

  it.each([301, 302, 303, 307, 308])("stays behind when the registry answers %s to another origin", async (status) => {
    const elsewhere = await start((_, response) => reply(response, 200, "", { "docker-content-digest": digest }));
    const server = await start(({ authorization }, response) => {
      if (authorization === undefined) reply(response, 401, {}, { "www-authenticate": "Basic realm=x" });
      else reply(response, status, {}, { location: `http://${elsewhere.host}/v2/shop/api/manifests/1.0.0` });
    });

    expect(await ask(server, { credentials: robot }).resolve()).toEqual({ kind: "manifest", digest, platforms: [] });
    expect(server.asked.map(({ authorization }) => authorization)).toEqual([undefined, robotBasic]);
    expect(elsewhere.asked.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  it("is not given to the host of a redirect that asks for one", async () => {
    const elsewhere = await start((_, response) =>
      reply(response, 401, {}, { "www-authenticate": `Bearer realm="http://${server.host}/token"` }),
    );
    const server = await start((_, response) => reply(response, 307, {}, { location: `http://${elsewhere.host}/x` }));

    expect(await ask(server, { credentials: robot }).resolve()).toEqual({
      kind: "denied",
      detail: `${server.host} redirects to ${elsewhere.host}, which asks for its own login`,
    });
    expect([...server.asked, ...elsewhere.asked].every(({ authorization }) => authorization === undefined)).toBe(true);
  });
});

describe("a host that only a registry names", () => {
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

  it.each(places)("is not asked for a token at $because", async ({ url }) => {
    const server = await start((_, response) =>
      reply(response, 401, {}, { "www-authenticate": `Bearer realm="${url}"` }),
    );

    expect(await ask(server).resolve()).toEqual({
      kind: "denied",
      detail: expect.stringContaining("names a token service that is not allowed") as unknown,
    });
  });

  it.each(places)("is not redirected to at $because", async ({ url }) => {
    const server = await start((_, response) => reply(response, 302, {}, { location: url }));

    expect(await ask(server).resolve()).toEqual({
      kind: "unreachable",
      detail: expect.stringContaining("redirects to a host that is not allowed") as unknown,
    });
  });

  it("is not connected to when its name leads to this machine", async () => {
    const server = await start((_, response) =>
      reply(response, 302, {}, { location: `https://localhost:${server.port}/x` }),
    );

    expect(await ask(server).resolve()).toEqual({
      kind: "unreachable",
      detail: `localhost:${server.port} could not be reached (ADDRESS_NOT_PUBLIC)`,
    });
  });

  it("is asked without a credential over HTTPS", async () => {
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

  it("is followed to three times at most", async () => {
    const server = await start((_, response) => reply(response, 302, {}, { location: "/again" }));

    expect(await ask(server).resolve()).toEqual({
      kind: "unreachable",
      detail: `${server.host} redirects more than 3 times`,
    });
    expect(server.asked).toHaveLength(4);
  });
});

describe("the hosts that may see a credential", () => {
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
    expect(mayHoldCredential(siteOf(registry, {}), new URL(realm))).toBe(may);
  });

  it("are asked over HTTP only where the registry is", () => {
    const hosts = { "plain.example.com": { insecure: true, tokenHosts: ["tokens.example.com"] } };
    const asked = ["plain.example.com", "tokens.example.com", "other.example.com"].map((host) =>
      reachOf(siteOf("plain.example.com", hosts), new URL(`http://${host}/token`)),
    );

    expect(asked).toEqual(["trusted", "trusted", "never"]);
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
    { registry: "localhost:5000", origin: "http://localhost:5000", because: "this machine is asked over HTTP" },
    { registry: "127.0.0.1.example.com", origin: "https://127.0.0.1.example.com", because: "a name is no address" },
    { registry: "mirrored.example.com", origin: "http://mirror:5000", because: "the owner says so" },
  ])("$registry is at $origin: $because", ({ registry, origin }) => {
    const hosts = { "mirrored.example.com": { endpoint: "mirror:5000", insecure: true } };

    expect(siteOf(registry, hosts).origin).toBe(origin);
  });

  it.each(["https://mirror", "mirror/path", "a b", "user@mirror", ""])(
    "is not taken from the setting %j",
    (endpoint) => {
      expect(() => siteOf("registry.example.com", { "registry.example.com": { endpoint } })).toThrow(
        `"${endpoint}" (registry registry.example.com) is not a host; expected "host" or "host:port"`,
      );
    },
  );
});
