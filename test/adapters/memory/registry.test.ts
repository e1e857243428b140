import { describe, expect, it } from "vitest";
import { memoryRegistry } from "#test/model/world/registry-hands";
import { registryContract } from "#test/contracts/registry.contract";

const signal = new AbortController().signal;

registryContract(async () => {
  const registry = memoryRegistry();
  const host = "registry.demo";
  registry.unreachable("away.demo", true);
  registry.denied("closed.demo", true);
  return {
    registry,
    host,
    push: async (repository, tag, _content, platforms) =>
      registry.push(host, repository, tag, platforms === undefined ? {} : { platforms }),
    moveTag: async (repository, tag, digest) => registry.moveTag(host, repository, tag, digest),
    deleteTag: async (repository, tag) => registry.deleteTag(host, repository, tag),
    unreachable: { registry: "away.demo", repository: "shop/api" },
    denied: { registry: "closed.demo", repository: "shop/api" },
    close: async () => undefined,
  };
});

describe("the memory registry", () => {
  const name = { registry: "registry.demo", repository: "shop/api" };

  it("gives equal pushes one digest, and each other push its own", () => {
    const pushThree = () => {
      const registry = memoryRegistry();
      return ["1.0.0", "1.0.0", "1.1.0"].map((tag) => registry.push("registry.demo", "shop/api", tag));
    };

    const digests = pushThree();

    expect(pushThree()).toEqual(digests);
    expect(new Set(digests).size).toBe(3);
    expect(digests.every((digest) => /^sha256:[0-9a-f]{64}$/.test(digest))).toBe(true);
  });

  it("pushes content under the digest it is given", async () => {
    const registry = memoryRegistry();
    const digest = `sha256:${"5f".repeat(32)}`;

    registry.push("registry.demo", "shop/api", "1.3.0", { digest });

    expect(await registry.resolve(name, "1.3.0", signal)).toEqual({ kind: "manifest", digest, platforms: [] });
  });

  it("keeps the platforms of content that gets another tag", async () => {
    const registry = memoryRegistry();
    const digest = registry.push("registry.demo", "shop/api", "1.3.0", { platforms: ["linux/amd64"] });
    const before = await registry.manifest(name, digest, signal);

    registry.push("registry.demo", "shop/api", "stable", { digest });

    expect(await registry.manifest(name, digest, signal)).toEqual(before);
  });

  it("names the artifact that was pushed", async () => {
    const registry = memoryRegistry();
    const helm = "application/vnd.cncf.helm.config.v1+json";
    const digest = registry.push("registry.demo", "shop/api", "1.3.0", { artifact: helm });

    expect(await registry.manifest(name, digest, signal)).toMatchObject({ digest, artifact: helm });
  });

  it("lists an empty repository after its last tag is deleted", async () => {
    const registry = memoryRegistry();
    registry.push("registry.demo", "shop/api", "1.3.0");

    registry.deleteTag("registry.demo", "shop/api", "1.3.0");

    expect(await registry.tags(name, signal)).toEqual({ kind: "tags", tags: [] });
  });

  it("refuses to move a tag to content it does not have", () => {
    expect(() => memoryRegistry().moveTag("registry.demo", "shop/api", "1.0.0", "sha256:0")).toThrow(RangeError);
  });

  it("answers again after an outage", async () => {
    const registry = memoryRegistry();
    const digest = registry.push("registry.demo", "shop/api", "1.3.0");
    registry.unreachable("registry.demo", true);
    const away = await registry.resolve(name, "1.3.0", signal);

    registry.unreachable("registry.demo", false);

    expect(away).toEqual({ kind: "unreachable", detail: "registry.demo could not be reached", isOutage: true });
    expect(await registry.resolve(name, "1.3.0", signal)).toEqual({ kind: "manifest", digest, platforms: [] });
  });

  it("counts its requests", async () => {
    const registry = memoryRegistry();

    await registry.tags(name, signal);
    await registry.resolve(name, "1.0.0", signal);
    await registry.resolve(name, "1.0.0", signal);

    expect(registry.calls).toEqual({ tags: 1, resolve: 2, manifest: 0, config: 0 });
  });
});
