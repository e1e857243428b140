import { beforeEach, describe, expect, it } from "vitest";
import { explain } from "#app/api/explain";
import { minutes, seconds } from "#domain/shared/time";
import type { RegistryRefusal } from "#ports/registry";
import { api, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
beforeEach(async () => {
  lookout = await worldWithApi();
});

async function selectionOf(key: string) {
  const [selection] = (await explain(key, lookout.ports, new AbortController().signal))?.selections ?? [];
  return selection;
}

const unreachable: RegistryRefusal = {
  kind: "unreachable",
  detail: `${host} could not be reached`,
};

describe("an explanation", () => {
  it("selects nothing while a problem in the settings holds the workload", async () => {
    const key = await trackApi(lookout, { "lookout.dev/min-age": "soon" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(30));
    const [failure] = (await lookout.record(key)).selectionFailures;

    expect(failure?.reason).toBe("problem-in-settings");
    expect(await selectionOf(key)).toMatchObject({
      ...{ container: "app", outcome: "none", rejected: [] },
      why: { reason: "problem-in-settings", detail: failure?.detail },
    });
  });

  it.each([
    { tag: "1.9.0", reason: undefined },
    { tag: "2.0.0", reason: "outside-range" },
    { tag: "0.9.0", reason: "outside-range" },
    { tag: "1.9.0-rc.1", reason: "pre-release" },
    { tag: "1.9.0-debug", reason: "not-included" },
    { tag: "main", reason: "not-included" },
    { tag: "a b", reason: "not-a-tag" },
  ])("judges $tag, which no repository has: $reason", async ({ tag, reason }) => {
    const key = await trackApi(lookout, {
      "lookout.dev/semver-range": "^1",
      "lookout.dev/include-tags": "*.*.0,*-rc.*",
    });
    const view = await explain(key, lookout.ports, new AbortController().signal, tag);

    expect(view?.selections.map(({ asked, rejected }) => ({ asked, rejected }))).toEqual([
      { asked: { tag, ...(reason === undefined ? {} : { reason }) }, rejected: [] },
    ]);
  });

  it("judges no tag if the query names none", async () => {
    expect(await selectionOf(await trackApi(lookout))).not.toHaveProperty("asked");
  });

  it("names the tag below a blocked tag, and the tag that was passed over", async () => {
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.2.0", { broken: true });
    await lookout.pass(minutes(20));
    expect(await selectionOf(key)).toMatchObject({ outcome: "selected", tag: "1.2.0", tags: 2, rejected: [] });

    await lookout.push("shop/api", "1.1.0", { quietly: true });
    expect(await selectionOf(key)).toMatchObject({
      ...{ outcome: "selected", tag: "1.1.0", tags: 3 },
      rejected: [{ tag: "1.2.0", reason: "passed-over" }],
    });
    await lookout.tellAgain("shop/api", "1.1.0");
    await lookout.pass(seconds(30));
    expect(lookout.image(key)).toContain(":1.1.0@");
  });

  it("selects nothing if the registry has no image for the selected tag", async () => {
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0", { quietly: true });
    Object.assign(lookout.registry, { resolve: async () => ({ kind: "not-found" }) });

    expect(await selectionOf(key)).toMatchObject({
      outcome: "none",
      tags: 2,
      why: { reason: "tag-not-found", detail: "1.1.0" },
    });
  });

  it("says that a pinned image without a tag stays", async () => {
    const digest = await lookout.push("shop/api", "1.1.0", { quietly: true });
    const image = `${host}/shop/api@${digest}`;
    const key = await trackApi(lookout, { "lookout.dev/policy": "pinned" }, { image });

    expect((await lookout.record(key)).selectionFailures).toEqual([]);
    expect(await selectionOf(key)).toMatchObject({ outcome: "unchanged", policy: "pinned", tags: 2 });
  });

  it.each([
    { policy: "digest", tag: "1.0.0", outcome: "unchanged" },
    { policy: "latest", tag: "1.1.0", outcome: "selected" },
    { policy: "regex", pattern: "^1[.]", tag: "1.1.0", outcome: "selected" },
  ])("needs no listing under the policy $policy, as the decision", async ({ policy, pattern, tag, outcome }) => {
    const key = await trackApi(lookout, {
      ...{ "lookout.dev/policy": policy, "lookout.dev/suspend": "true" },
      ...(pattern === undefined ? {} : { "lookout.dev/tag-pattern": pattern }),
    });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(30));
    const before = await selectionOf(key);
    Object.assign(lookout.registry, { tags: async () => unreachable });
    const { tags: _, ...rest } = (await selectionOf(key)) ?? {};

    expect(before).toMatchObject({ outcome, tag, tags: 2 });
    expect(rest).toMatchObject({ outcome, tag });
    expect((await selectionOf(key))?.tags).toBeUndefined();
  });

  it("names the tag that containers get together, and the higher tag of one repository", async () => {
    await lookout.push("shop/web", "1.0.0", { quietly: true });
    const containers = ["api", "web"].map((name) => ({ name, image: `${host}/shop/${name}:1.0.0` }));
    const annotations = {
      ...{ "lookout.dev/enabled": "true", "lookout.dev/together": "true", "lookout.dev/suspend": "true" },
    };
    lookout.cluster.apply({
      kind: "Deployment",
      metadata: { ...api, annotations },
      spec: { replicas: 1, template: { spec: { containers } } },
    } as never);
    await lookout.pass(seconds(2));
    await lookout.sync();
    for (const tag of ["1.1.0", "1.2.0"]) await lookout.push("shop/api", tag);
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(seconds(30));
    const view = await explain("prod/shop/deployment/api", lookout.ports, new AbortController().signal);

    expect(view?.workload.wants.map(({ tag }) => tag)).toEqual(["1.1.0", "1.1.0"]);
    expect(view?.selections.map(({ outcome, tag, rejected }) => [outcome, tag, rejected])).toEqual([
      ["selected", "1.1.0", [{ tag: "1.2.0", reason: "passed-over" }]],
      ["selected", "1.1.0", []],
    ]);
  });
});
