import { beforeEach, describe, expect, it } from "vitest";
import { explain } from "#app/api/explain";
import { seconds } from "#domain/shared/time";
import { api, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
beforeEach(async () => {
  lookout = await worldWithApi();
});

const pinned = { "lookout.dev/policy": "pinned" };
const available = async (key: string) => (await lookout.record(key)).observed.containers[0]?.available;

describe("a pinned workload", () => {
  it("keeps its image, and shows the highest version", async () => {
    const key = await trackApi(lookout, pinned);
    expect(await available(key)).toBeUndefined();
    await lookout.push("shop/api", "1.1.0");
    await lookout.push("shop/api", "2.0.0");
    await lookout.pass(seconds(30));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect(await lookout.record(key)).toMatchObject({ seq: 0, selectionFailures: [] });
    expect(await available(key)).toBe("2.0.0");
    const answer = await explain(key, lookout.ports, new AbortController().signal);
    expect(answer).toMatchObject({
      workload: { state: "up-to-date", runs: [{ tag: "1.0.0", policy: "pinned", available: "2.0.0" }], wants: [] },
      selections: [{ outcome: "unchanged", tag: "1.0.0" }],
    });
  });

  it("keeps its digest when its tag moves", async () => {
    const key = await trackApi(lookout, pinned);
    await lookout.push("shop/api", "1.0.0");
    await lookout.pass(seconds(30));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect((await lookout.record(key)).pending).toBeUndefined();
  });

  it("shows the highest version of its range", async () => {
    const key = await trackApi(lookout, { ...pinned, "lookout.dev/semver-range": "<2" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.push("shop/api", "2.0.0");
    await lookout.pass(seconds(30));

    expect(await available(key)).toBe("1.1.0");
  });

  it("shows a version without a notification after the next sweep", async () => {
    const key = await trackApi(lookout, pinned);
    await lookout.push("shop/api", "1.1.0", { quietly: true });
    await lookout.sweep();

    expect(await available(key)).toBe("1.1.0");
  });

  it("gets that version when the pin is removed", async () => {
    const key = await trackApi(lookout, pinned);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(30));
    lookout.cluster.annotate(api, { "lookout.dev/policy": undefined });
    await lookout.sync();
    await lookout.pass(seconds(60));

    expect(lookout.image(key)).toContain(":1.1.0@");
    expect(await available(key)).toBeUndefined();
  });

  it("loses its waiting update when it is pinned", async () => {
    const key = await trackApi(lookout, { "lookout.dev/suspend": "true" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    lookout.cluster.annotate(api, { ...pinned, "lookout.dev/suspend": undefined });
    await lookout.sync();
    await lookout.pass(seconds(30));

    expect((await lookout.record(key)).pending).toBeUndefined();
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect(await available(key)).toBe("1.1.0");
  });
});
