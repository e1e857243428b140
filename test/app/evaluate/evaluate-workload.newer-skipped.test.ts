import { beforeEach, describe, expect, it } from "vitest";
import { explain } from "#app/api/explain";
import { viewOf } from "#app/api/views";
import { settingsOf } from "#app/shared/records";
import { seconds } from "#domain/shared/time";
import { host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
beforeEach(async () => {
  lookout = await worldWithApi();
});

async function explained(key: string) {
  const answer = await explain(key, lookout.ports, new AbortController().signal);
  const [selection] = answer?.selections ?? [];
  return { newerSkipped: selection?.newerSkipped, suggestedAnnotations: selection?.suggestedAnnotations };
}

async function shown(key: string) {
  const record = await lookout.record(key);
  const { state, runs } = viewOf(record, await settingsOf(record, lookout.ports), undefined);
  return { state, newerSkipped: runs[0]?.newerSkipped, suggestedAnnotations: runs[0]?.suggestedAnnotations };
}

const upToDate = { state: "up-to-date", newerSkipped: undefined, suggestedAnnotations: undefined };

describe("a workload whose policy skips newer tags", () => {
  it("is not up to date from the push on, and names annotations that follow the tags", async () => {
    const key = await trackApi(lookout, {});
    expect(await shown(key)).toEqual(upToDate);
    await lookout.push("shop/api", "1.0.0-1");
    await lookout.pass(seconds(5));

    const suggestedAnnotations = { "lookout.dev/suffixes": "revision" };
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect(await shown(key)).toEqual({
      state: "newer-skipped",
      newerSkipped: { count: 1, reason: "other-flavour" },
      suggestedAnnotations,
    });
    expect(await explained(key)).toEqual({
      newerSkipped: { count: 1, reason: "other-flavour", tags: ["1.0.0-1"] },
      suggestedAnnotations,
    });
  });

  it("follows the tags with the suggested annotations, and is up to date again", async () => {
    const key = await trackApi(lookout, { "lookout.dev/suffixes": "revision" });
    await lookout.push("shop/api", "1.0.0-1");
    await lookout.pass(seconds(60));

    expect(lookout.image(key)).toContain(":1.0.0-1@");
    expect(await shown(key)).toEqual(upToDate);
  });

  it("is found by a sweep without a notification", async () => {
    const key = await trackApi(lookout, {});
    await lookout.push("shop/api", "1.1.0-debian-12-r3", { quietly: true });
    await lookout.sweep();
    await lookout.pass(seconds(5));

    expect(await shown(key)).toEqual({
      state: "newer-skipped",
      newerSkipped: { count: 1, reason: "other-flavour" },
      suggestedAnnotations: undefined,
    });
  });

  it("is up to date after a tag of its own form", async () => {
    const key = await trackApi(lookout, {});
    await lookout.push("shop/api", "1.1.0-main.5");
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(60));

    expect(lookout.image(key)).toContain(":1.1.0@");
    expect(await shown(key)).toEqual(upToDate);
  });

  it("is not written again for each of many skipped builds", async () => {
    const key = await trackApi(lookout, {});
    for (let build = 1; build <= 12; build += 1) {
      await lookout.push("shop/api", `1.1.0-main.${build}`);
      await lookout.pass(seconds(2));
    }
    const { version } = await lookout.record(key);
    await lookout.push("shop/api", "1.1.0-main.13");
    await lookout.pass(seconds(2));

    expect(await shown(key)).toMatchObject({ newerSkipped: { count: 10, reason: "other-flavour" } });
    expect((await lookout.record(key)).version).toBe(version);
  });
});

describe("two builds of one version behind a template", () => {
  it("are updated in the order of their pushes", async () => {
    const key = await trackApi(lookout, {
      "lookout.dev/policy": "numerical",
      "lookout.dev/tag-pattern": "^main-(\\d+)-[0-9a-f]{7}$",
      "lookout.dev/filter-extract": "$1",
      "lookout.dev/allow-downgrade": "true",
    });
    for (const tag of ["main-20260105-fffff01", "main-20260105-0000ab1", "main-20260105-7777ab7"]) {
      await lookout.push("shop/api", tag);
      await lookout.pass(seconds(60));
      expect(lookout.image(key)).toContain(`:${tag}@`);
    }
  });
});
