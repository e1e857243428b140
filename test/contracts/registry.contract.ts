import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Registry, RepositoryName } from "#ports/registry";

/** A registry to ask, with the hands that change it. */
export interface RegistryWorld {
  readonly registry: Registry;
  readonly host: string;
  /**
   * Pushes an image of linux/amd64, or an index of the platforms, and answers its digest. Another
   * `content` is another digest.
   */
  push(repository: string, tag: string, content: string, platforms?: readonly string[]): Promise<string>;
  moveTag(repository: string, tag: string, digest: string): Promise<void>;
  deleteTag(repository: string, tag: string): Promise<void>;
  /** A repository of a host that can't be reached. */
  readonly unreachable: RepositoryName;
  /** A repository of a host that refuses the credential. */
  readonly denied: RepositoryName;
  close(): Promise<void>;
}

function configOf(answer: Awaited<ReturnType<Registry["manifest"]>>): string {
  return (answer.kind === "manifest" ? answer.config : undefined) ?? "";
}

const neverPushed = `sha256:${"0".repeat(64)}`;

/** What every Registry must do, whatever it asks. */
export function registryContract(open: () => Promise<RegistryWorld>): void {
  describe("a registry", () => {
    const signal = new AbortController().signal;
    let world: RegistryWorld;
    beforeAll(async () => {
      world = await open();
    });
    afterAll(async () => {
      await world.close();
    });
    const named = (repository: string): RepositoryName => ({ registry: world.host, repository });

    it("lists every tag of a repository", async () => {
      for (const tag of ["1.0.0", "1.1.0", "latest"]) await world.push("shop/listed", tag, tag);

      const listing = await world.registry.tags(named("shop/listed"), signal);

      const sorted = listing.kind === "tags" ? { ...listing, tags: listing.tags.toSorted() } : listing;
      expect(sorted).toEqual({ kind: "tags", tags: ["1.0.0", "1.1.0", "latest"] });
    });

    it("does not list a deleted tag", async () => {
      await world.push("shop/cleaned", "1.0.0", "a");
      await world.push("shop/cleaned", "1.1.0", "b");

      await world.deleteTag("shop/cleaned", "1.0.0");

      expect(await world.registry.tags(named("shop/cleaned"), signal)).toEqual({ kind: "tags", tags: ["1.1.0"] });
      expect(await world.registry.resolve(named("shop/cleaned"), "1.0.0", signal)).toEqual({ kind: "not-found" });
    });

    it("finds nothing in a missing repository", async () => {
      expect(await world.registry.tags(named("shop/nowhere"), signal)).toEqual({ kind: "not-found" });
      expect(await world.registry.resolve(named("shop/nowhere"), "1.0.0", signal)).toEqual({ kind: "not-found" });
      expect(await world.registry.manifest(named("shop/nowhere"), neverPushed, signal)).toEqual({ kind: "not-found" });
    });

    it("finds no tag and no digest that was never pushed", async () => {
      await world.push("shop/one", "1.0.0", "one");

      expect(await world.registry.resolve(named("shop/one"), "1.0.1", signal)).toEqual({ kind: "not-found" });
      expect(await world.registry.manifest(named("shop/one"), neverPushed, signal)).toEqual({ kind: "not-found" });
    });

    it("resolves a tag to its digest", async () => {
      const digest = await world.push("shop/api", "1.0.0", "api");

      const answer = await world.registry.resolve(named("shop/api"), "1.0.0", signal);

      expect(answer).toEqual({ kind: "manifest", digest, platforms: [] });
    });

    it("sees a tag that was pushed again at once", async () => {
      const before = await world.push("shop/again", "latest", "before");
      await world.registry.resolve(named("shop/again"), "latest", signal);

      const after = await world.push("shop/again", "latest", "after");

      expect(after).not.toBe(before);
      expect(await world.registry.resolve(named("shop/again"), "latest", signal)).toEqual({
        kind: "manifest",
        digest: after,
        platforms: [],
      });
    });

    it("sees a tag that was moved back to older content", async () => {
      const older = await world.push("shop/back", "1.0.0", "older");
      await world.push("shop/back", "stable", "newer");

      await world.moveTag("shop/back", "stable", older);

      expect(await world.registry.resolve(named("shop/back"), "stable", signal)).toEqual({
        kind: "manifest",
        digest: older,
        platforms: [],
      });
    });

    it("reads a single image by its digest, and its platform from its configuration", async () => {
      const digest = await world.push("shop/single", "1.0.0", "single");

      const answer = await world.registry.manifest(named("shop/single"), digest, signal);

      const config = configOf(answer);
      expect(answer).toEqual({ kind: "manifest", digest, platforms: [], config });
      expect(await world.registry.config(named("shop/single"), config, signal)).toEqual({
        kind: "config",
        platform: "linux/amd64",
      });
    });

    it("finds no configuration that was never pushed", async () => {
      await world.push("shop/bare", "1.0.0", "bare");

      expect(await world.registry.config(named("shop/bare"), neverPushed, signal)).toEqual({ kind: "not-found" });
      expect(await world.registry.config(named("shop/nowhere"), neverPushed, signal)).toEqual({ kind: "not-found" });
    });

    it("reads an index with the names and the digests of its platforms, each of which is an image", async () => {
      const digest = await world.push("shop/index", "1.0.0", "index", ["linux/amd64", "linux/arm64"]);

      const answer = await world.registry.manifest(named("shop/index"), digest, signal);

      const platforms = answer.kind === "manifest" ? answer.platforms : [];
      expect(answer).toEqual({ kind: "manifest", digest, platforms, offers: ["linux/amd64", "linux/arm64"] });
      expect(new Set([digest, ...platforms]).size).toBe(3);
      const names = [];
      for (const child of platforms) {
        const image = await world.registry.manifest(named("shop/index"), child, signal);
        const config = configOf(image);
        expect(image).toEqual({ kind: "manifest", digest: child, platforms: [], config });
        names.push(await world.registry.config(named("shop/index"), config, signal));
      }
      expect(names).toEqual([
        { kind: "config", platform: "linux/amd64" },
        { kind: "config", platform: "linux/arm64" },
      ]);
    });

    it("resolves the tag of an index without reading it", async () => {
      const digest = await world.push("shop/tagged-index", "1.0.0", "tagged index", ["linux/amd64", "linux/arm64"]);

      const answer = await world.registry.resolve(named("shop/tagged-index"), "1.0.0", signal);

      expect(answer).toEqual({ kind: "manifest", digest, platforms: [] });
    });

    it.each(["unreachable", "denied"] as const)("rejects each request as %s and names the host", async (kind) => {
      const name = world[kind];
      const outage = kind === "unreachable" ? { isOutage: true } : {};
      const refusal = { kind, ...outage, detail: expect.stringContaining(name.registry) as unknown };

      expect(await world.registry.tags(name, signal)).toEqual(refusal);
      expect(await world.registry.resolve(name, "1.0.0", signal)).toEqual(refusal);
      expect(await world.registry.manifest(name, neverPushed, signal)).toEqual(refusal);
      expect(await world.registry.config(name, neverPushed, signal)).toEqual(refusal);
    });

    it("rejects with a transient error when its caller cancels", async () => {
      const given = AbortSignal.abort();

      const asked = world.registry.resolve(named("shop/api"), "1.0.0", given);

      await expect(asked).rejects.toMatchObject({ name: "TransientError" });
    });
  });
}
