import { afterEach, describe, expect, it } from "vitest";
import { ociRegistry } from "#adapters/oci/registry";
import { registryContract } from "#test/contracts/registry.contract";
import { ask, closeServers, onLoopback, start } from "./asking.ts";
import { imageStore, reply, serve } from "./registry-server.ts";

const signal = new AbortController().signal;
const digest = `sha256:${"ab".repeat(32)}`;
afterEach(closeServers);

registryContract(async () => {
  const store = imageStore(2);
  const server = await serve((request, response) => store.handle(request, response));
  const closed = await serve((_, response) => reply(response, 401, {}, { "www-authenticate": 'Basic realm="closed"' }));
  const gone = await serve((_, response) => reply(response, 200));
  await gone.close();
  return {
    registry: ociRegistry({
      credentials: async () => ({ username: "robot", password: "wrong" }),
      registries: [server.host, closed.host, gone.host].map(onLoopback),
    }),
    host: server.host,
    push: async (repository, tag, content, platforms) => store.push(repository, tag, content, platforms),
    moveTag: async (repository, tag, to) => store.tag(repository, tag, to),
    deleteTag: async (repository, tag) => store.untag(repository, tag),
    unreachable: { registry: gone.host, repository: "shop/api" },
    denied: { registry: closed.host, repository: "shop/api" },
    close: async () => {
      await Promise.all([server.close(), closed.close()]);
    },
  };
});

describe("a tag", () => {
  it("is resolved by one HEAD that accepts indexes and images of both kinds", async () => {
    let accept: string | undefined;
    const server = await start((_, response) => {
      accept = response.req.headers.accept;
      reply(response, 200, "", { "docker-content-digest": digest });
    });

    const answer = await ask(server).resolve();

    expect(answer).toEqual({ kind: "manifest", digest, platforms: [] });
    expect(server.asked).toEqual([
      { method: "HEAD", path: "/v2/shop/api/manifests/1.0.0", authorization: undefined, body: "" },
    ]);
    expect(accept?.split(", ")).toEqual([
      "application/vnd.oci.image.index.v1+json",
      "application/vnd.docker.distribution.manifest.list.v2+json",
      "application/vnd.oci.image.manifest.v1+json",
      "application/vnd.docker.distribution.manifest.v2+json",
    ]);
  });

  it("is resolved by its content when the registry sends no digest", async () => {
    const server = await start(({ method }, response) =>
      reply(response, 200, method === "HEAD" ? "" : '{"layers":[],"config":{}}'),
    );

    const answer = await ask(server).resolve();

    expect(answer).toEqual({
      kind: "manifest",
      digest: "sha256:8189d277c47d09f1ad5ebf0348e868e53e93bf4b493571faf6caca02e4f3f576",
      platforms: [],
    });
    expect(server.asked.map(({ method }) => method)).toEqual(["HEAD", "GET"]);
  });

  it.each([
    { sent: "sha256:short", because: "too short" },
    { sent: `md5:${"a".repeat(32)}`, because: "of an unknown algorithm" },
    { sent: `${digest}/../../other`, because: "followed by something else" },
    { sent: digest.toUpperCase(), because: "in capitals" },
  ])("is resolved by its content when the registry's digest is $because", async ({ sent }) => {
    const server = await start(({ method }, response) =>
      reply(response, 200, method === "HEAD" ? "" : '{"layers":[],"config":{}}', { "docker-content-digest": sent }),
    );

    expect(await ask(server).resolve()).toEqual({
      kind: "manifest",
      digest: "sha256:8189d277c47d09f1ad5ebf0348e868e53e93bf4b493571faf6caca02e4f3f576",
      platforms: [],
    });
  });

  it("is not requested when it is invalid", async () => {
    const server = await start((_, response) => reply(response, 200));

    await expect(ask(server).resolve("../../other/manifests/1.0.0")).rejects.toMatchObject({ name: "PermanentError" });
    expect(server.asked).toEqual([]);
  });
});

describe("a manifest", () => {
  it("is rejected when its content does not have the digest", async () => {
    const server = await start((_, response) =>
      reply(response, 200, { layers: [], config: {} }, { "docker-content-digest": digest }),
    );

    expect(await ask(server).manifest(digest)).toEqual({
      kind: "unreachable",
      detail: `${server.host} sent content that does not hash to ${digest}`,
    });
  });

  it.each([
    "sha256:8189d277c47d09f1ad5ebf0348e868e53e93bf4b493571faf6caca02e4f3f576",
    "sha384:0cdabbaa602648c52fa1d3a1a8bcfa4dd04fe519733b1919797aaa5916850ef09c54bc9c51ece6e9fc902a82bc840cee",
    "sha512:c57308ffe490f57cc7cb0bead7d8fa83adbab349a3ef344d3207c87a2c01b5bfa21e17db97cff0a347b5b1f57a070a2a7e6d7e2fb2cfa979da824ef24702df89",
  ])("is read by the digest %s", async (of) => {
    const server = await start((_, response) => reply(response, 200, '{"layers":[],"config":{}}'));

    expect(await ask(server).manifest(of)).toEqual({ kind: "manifest", digest: of, platforms: [] });
  });

  it("has the platforms of an index in its order, each once, without attestations", async () => {
    const store = imageStore();
    const [amd, arm, bare, attested] = ["amd64", "arm64", "bare", "attested"].map((text) => store.image(text));
    const index = store.index([
      { digest: arm, platform: { os: "linux", architecture: "arm64" } },
      { digest: amd, platform: { os: "linux", architecture: "amd64" } },
      { digest: attested, platform: { os: "unknown", architecture: "unknown" } },
      { digest: bare },
      { digest: amd, platform: { os: "linux", architecture: "386" } },
    ]);
    store.tag("shop/api", "1.0.0", index);
    const server = await start((request, response) => store.handle(request, response));

    expect(await ask(server).manifest(index)).toEqual({
      kind: "manifest",
      digest: index,
      platforms: [arm, amd, bare],
      offers: ["linux/arm64", "linux/amd64", "linux/386"],
    });
  });

  it("has no platform of an invalid index, and a hundred at most", async () => {
    const store = imageStore();
    const digestOf = (text: string) => store.image(text);
    const child = (platform: unknown, index = 0) => ({ digest: digestOf(String(index)), platform });
    const odd = [
      { os: "linux" },
      { os: "linux", architecture: "../amd64" },
      { os: 1, architecture: [] },
      "linux/amd64",
    ];
    const many = Array.from({ length: 200 }, (_, index) => child({ os: "linux", architecture: `a${index}` }, index));
    const [none, most] = [store.index(odd.map((platform) => child(platform))), store.index(many)];
    store.tag("shop/api", "1.0.0", none);
    const server = await start((request, response) => store.handle(request, response));

    expect(await ask(server).manifest(none)).toMatchObject({ offers: [] });
    const answer = await ask(server).manifest(most);
    expect(answer.kind === "manifest" && answer.offers).toHaveLength(100);
  });

  it.each([
    { document: { manifests: [], layers: [] }, because: "it is an index and an image at once" },
    { document: { schemaVersion: 2, tag: "1.0.0" }, because: "it is neither an index nor an image" },
    { document: { manifests: [{ digest: "sha256:short" }] }, because: "a child's digest is none" },
    { document: { manifests: { digest } }, because: "its children are no list" },
    { document: [], because: "it is no object" },
  ])("is rejected when $because", async ({ document }) => {
    const store = imageStore();
    const of = store.put(document);
    store.tag("shop/api", "1.0.0", of);
    const server = await start((request, response) => store.handle(request, response));

    expect(await ask(server).manifest(of)).toEqual({
      kind: "unreachable",
      detail: `${server.host} sent content for ${of} that is not an image manifest`,
    });
  });

  it("is an artifact by its media types, in an index too", async () => {
    const store = imageStore();
    const helm = "application/vnd.cncf.helm.config.v1+json";
    const config = store.image("the configuration of a chart");
    const chart = store.put({ schemaVersion: 2, config: { mediaType: helm, digest: config }, layers: [] });
    const sbom = store.index([{ digest: chart, artifactType: "application/spdx+json" }]);
    store.tag("shop/api", "1.0.0", chart);
    const server = await start((request, response) => store.handle(request, response));

    expect(await ask(server).manifest(chart)).toEqual({
      ...{ kind: "manifest", digest: chart, platforms: [] },
      ...{ config, artifact: helm },
    });
    expect(await ask(server).manifest(sbom)).toMatchObject({ digest: sbom, artifact: "application/spdx+json" });
  });

  it("is rejected beyond 4 MiB, with and without a length header", async () => {
    const large = "x".repeat(4 * 1024 * 1024 + 1);
    const told = await start((_, response) => reply(response, 200, large, { "content-length": String(large.length) }));
    const untold = await start((_, response) => {
      response.write(large.slice(0, 100));
      response.end(large.slice(100));
    });

    for (const server of [told, untold]) {
      expect(await ask(server).manifest(digest)).toEqual({
        kind: "unreachable",
        detail: `${server.host} sent more than 4194304 bytes`,
      });
    }
  });
});

describe("a repository's name", () => {
  it.each([
    { registry: "registry.example.com/evil", repository: "shop/api", because: "a path in the host" },
    { registry: "user:pass@registry.example.com", repository: "shop/api", because: "a login in the host" },
    { registry: "registry.example.com", repository: "../v1/shop", because: "a path that climbs" },
    { registry: "registry.example.com", repository: "shop/api?x=1", because: "a query" },
    { registry: "registry.example.com:99999", repository: "shop/api", because: "a port that is none" },
    { registry: "", repository: "shop/api", because: "no host" },
  ])("is not requested with $because", async ({ registry, repository }) => {
    const asked = ociRegistry({ credentials: async () => undefined }).tags({ registry, repository }, signal);

    await expect(asked).rejects.toMatchObject({ name: "PermanentError" });
  });
});
