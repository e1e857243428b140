import { beforeEach, describe, expect, it } from "vitest";
import { explain } from "#app/api/explain";
import { seconds } from "#domain/shared/time";
import type { RegistryEntry } from "#domain/workload/registry-rules";
import { host, trackApi, type World, world } from "../world.ts";

const entry = { name: "ours", host };
const rules: { registryPolicy: "any" | "listed"; registries: readonly RegistryEntry[] } = {
  registryPolicy: "any",
  registries: [],
};
let lookout: World;

beforeEach(async () => {
  Object.assign(rules, { registryPolicy: "any", registries: [] });
  lookout = world({}, new Map(), [], rules);
  await lookout.push("shop/api", "1.0.0", { quietly: true });
});

async function pushed(): Promise<void> {
  await lookout.push("shop/api", "1.1.0");
  await lookout.pass(seconds(30));
  await lookout.sweep();
}

const refusals = [
  {
    because: "its namespace is not one of the entry's",
    set: { registries: [{ ...entry, namespaces: ["pay", "stage/shop"] }] },
    detail: "namespaces of the entry ours does not include prod/shop",
  },
  {
    because: "only listed registries are allowed",
    set: { registryPolicy: "listed" },
    detail: `registryPolicy is listed, and registries has no entry for ${host}`,
  },
  {
    because: "its repository is not one of the entry's, where only listed ones are",
    set: { registryPolicy: "listed", registries: [{ ...entry, repositories: ["shop/web"] }] },
    detail: "registryPolicy is listed, and repositories of the entry ours does not include shop/api",
  },
];

describe("a workload that may not use its registry", () => {
  it.each(refusals)("is not updated, and no registry is asked: $because", async ({ set, detail }) => {
    Object.assign(rules, set);
    const key = await trackApi(lookout, { "lookout.dev/policy": "latest" });
    await pushed();

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect((await lookout.record(key)).selectionFailures).toEqual([
      { container: "app", reason: "registry-not-allowed", detail },
    ]);
    expect(lookout.registry.calls).toEqual({ tags: 0, resolve: 0, manifest: 0, config: 0 });
  });

  it.each(refusals)("is explained with the key that would allow it: $because", async ({ set, detail }) => {
    Object.assign(rules, set);
    const key = await trackApi(lookout);

    const answer = await explain(key, lookout.ports, new AbortController().signal);

    expect(answer?.selections).toMatchObject([{ outcome: "none", why: { reason: "registry-not-allowed", detail } }]);
    expect(lookout.registry.calls).toEqual({ tags: 0, resolve: 0, manifest: 0, config: 0 });
  });

  it("loses its waiting update, and is updated once it is allowed again", async () => {
    const key = await trackApi(lookout, { "lookout.dev/suspend": "true" });
    await pushed();
    expect((await lookout.record(key)).pending).toBeDefined();

    rules.registries = [{ ...entry, namespaces: ["pay"] }];
    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(seconds(30));
    expect((await lookout.record(key)).pending).toBeUndefined();

    rules.registries = [{ ...entry, namespaces: ["shop"] }];
    await lookout.sweep();
    await lookout.pass(seconds(30));
    expect((await lookout.record(key)).pending?.changes).toMatchObject([{ tag: "1.2.0" }]);
  });

  it("does not affect another workload of the same repository", async () => {
    rules.registries = [{ ...entry, namespaces: ["pay", "prod/shop"] }];
    const key = await trackApi(lookout);
    await pushed();

    expect(lookout.image(key)).toContain(":1.1.0@");
  });
});

describe("a workload that names its registry", () => {
  const named = { "lookout.dev/registry": "lookout-system/ours" };

  it("is updated from that registry", async () => {
    rules.registries = [entry];
    const key = await trackApi(lookout, named);
    await pushed();

    expect(lookout.image(key)).toContain(":1.1.0@");
  });

  it.each([
    {
      registries: [],
      detail: "registries has no entry ours for prod/shop",
      because: "lookout.yaml names no such registry",
    },
    {
      registries: [{ ...entry, name: "our" }],
      detail: "registries has no entry ours for prod/shop; did you mean our?",
      because: "its name is misspelt",
    },
    {
      registries: [{ name: "ours", host: "other.test" }],
      detail: `the entry ours is other.test, but the image is from ${host}`,
      because: "the image is from another",
    },
    {
      registries: [{ ...entry, repositories: ["shop/web"] }],
      detail: "repositories of the entry ours does not include shop/api",
      because: "the entry serves other repositories",
    },
  ])("is not updated, with a reason: $because", async ({ registries, detail }) => {
    rules.registries = registries;
    const key = await trackApi(lookout, named);
    await pushed();

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect((await lookout.record(key)).selectionFailures).toEqual([
      { container: "app", reason: "other-registry", detail },
    ]);
    const answer = await explain(key, lookout.ports, new AbortController().signal);
    expect(answer?.selections).toMatchObject([{ outcome: "none", why: { reason: "other-registry", detail } }]);
  });

  it("is updated after lookout.yaml names it", async () => {
    const key = await trackApi(lookout, named);
    await pushed();
    rules.registries = [entry];
    await lookout.sweep();
    await lookout.pass(seconds(30));

    expect(lookout.image(key)).toContain(":1.1.0@");
  });
});
