import { beforeEach, describe, expect, it } from "vitest";
import { hours, minutes, seconds, toIso } from "#domain/shared/time";
import { nextRecord } from "#test/contracts/records";
import { api, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
beforeEach(async () => {
  lookout = await worldWithApi();
});

const waits = async (key: string) => (await lookout.record(key)).pending?.waits;

describe("an update of a workload with a minimum age", () => {
  it("starts when Lookout has known its image for that long", async () => {
    const key = await trackApi(lookout, { "lookout.dev/min-age": "2h" });
    const seenAt = lookout.clock.now();
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    expect(await waits(key)).toEqual([
      {
        reason: "image-too-new",
        detail: `1.1.0 was first seen at ${toIso(seenAt)}, minimum age 2h`,
        until: seenAt + hours(2),
      },
    ]);
    await lookout.pass(minutes(119));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    await lookout.pass(minutes(2));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
  });

  it("waits again when its tag moves, and never gets the earlier digest", async () => {
    const key = await trackApi(lookout, { "lookout.dev/min-age": "1h" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(50));
    const moved = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(50));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);

    await lookout.pass(minutes(11));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${moved}`);
  });

  it("counts from the first sight, even after a second push of the digest", async () => {
    const key = await trackApi(lookout, { "lookout.dev/min-age": "1h" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(50));
    await lookout.tellAgain("shop/api", "1.1.0");
    await lookout.pass(minutes(11));

    expect(lookout.image(key)).toContain("1.1.0");
  });

  it("is selected again once if a record without a minimum age holds a passed instant of its preferred image", async () => {
    const key = await trackApi(lookout, { "lookout.dev/suspend": "true" });
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    const { pending, ...record } = await lookout.record(key);
    const passed = lookout.clock.now();
    const stored = { pending: { ...pending!, reselectAt: passed }, effects: { dueAt: passed } };
    await lookout.ports.store.write(nextRecord(record, stored));
    const before = lookout.deliveries.get("Wake") ?? 0;
    await lookout.pass(minutes(2));
    await lookout.reap();
    await lookout.pass(minutes(2));

    expect((lookout.deliveries.get("Wake") ?? 0) - before).toBeLessThan(4);
    const left = await lookout.record(key);
    expect(left.pending).toMatchObject({ changes: [{ digest }] });
    expect(left.pending).not.toHaveProperty("reselectAt");
  });

  it("starts at once when the annotation is removed", async () => {
    const key = await trackApi(lookout, { "lookout.dev/min-age": "1h" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    lookout.cluster.annotate(api, { "lookout.dev/min-age": undefined });
    await lookout.sync();
    await lookout.pass(seconds(5));

    expect(lookout.image(key)).toContain("1.1.0");
  });

  it("counts from the restore for an image of a restored record", async () => {
    const key = await trackApi(lookout, { "lookout.dev/min-age": "1h" });
    const { sightings } = lookout.ports;
    const nothing = async () => [];
    const forgetful = { remember: nothing, among: nothing, list: nothing, forget: nothing };
    Object.assign(lookout.ports, { sightings: forgetful });
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    expect(await waits(key)).toEqual([{ reason: "image-too-new", detail: "Lookout has not seen 1.1.0 yet" }]);

    Object.assign(lookout.ports, { sightings });
    await lookout.pass(hours(7));
    expect(lookout.image(key)).toContain("1.1.0");
  });
});

describe("a workload without a minimum age", () => {
  it("needs no read and no write of sightings", async () => {
    const asked: string[] = [];
    const note = (what: string) => async () => {
      asked.push(what);
      return [];
    };
    const sightings = { remember: note("remember"), among: note("among"), list: note("list"), forget: note("forget") };
    Object.assign(lookout.ports, { sightings });
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(30));

    expect(lookout.image(key)).toContain("1.1.0");
    expect(asked).toEqual([]);
  });
});
