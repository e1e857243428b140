import { describe, expect, it } from "vitest";
import { freeze } from "#app/api/freezes";
import { reap } from "#app/gate/reap";
import { minutes, seconds } from "#domain/shared/time";
import { api, movedFrom, withoutClusters } from "../moved.ts";
import { host, trackApi, worldWithApi } from "../world.ts";

describe("an open update in an unknown cluster after an import", () => {
  it("is overdue a few times at first, and then once an hour", async () => {
    const lookout = await worldWithApi();
    lookout.deploy({ name: "missing", image: `${host}/shop/missing:1.0.0` });
    const key = await trackApi(lookout);
    await freeze({ scope: {}, by: "ana", why: "the year ends" }, lookout.ports);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(3));
    const keys = [key, key.replace("api", "missing")];
    const other = await movedFrom(lookout);
    withoutClusters(other);
    const overdue: number[] = [];
    for (let minute = 0; minute < 24 * 60; minute += 1) {
      overdue.push((await reap(other.ports)).records);
      await other.settle();
      lookout.clock.turn(minutes(1));
      await other.settle();
    }
    const records = await Promise.all(keys.map((one) => other.record(one)));

    expect(records.map(({ pending, selectionFailures }) => pending?.status ?? selectionFailures[0]?.reason)).toEqual([
      "held",
      "repository-not-found",
    ]);
    expect(overdue.slice(0, 12 * 60).reduce((sum, count) => sum + count)).toBeLessThanOrEqual(2 * (12 + 7));
    expect(overdue.slice(12 * 60).reduce((sum, count) => sum + count)).toBeLessThanOrEqual(2 * 12);
  });

  it("continues as soon as the cluster is configured", async () => {
    const lookout = await worldWithApi();
    const key = await trackApi(lookout);
    const other = await movedFrom(lookout);
    const configure = withoutClusters(other);
    const digest = await lookout.push("shop/api", "1.1.0", { quietly: true });
    await other.tell({ id: "push-1", ...api, tags: ["1.1.0"], digest });
    await other.pass(minutes(10));
    expect((await other.record(key)).pending?.waits[0]?.detail).toBe("no cluster of this name is configured");
    configure();
    await other.pass(minutes(1));

    expect((await other.record(key)).last).toMatchObject({ seq: 1, status: "succeeded" });
  });
});

describe("a push for a cluster that was removed and added again", () => {
  it.each([
    { away: seconds(20), id: "added:1", because: "it was registered again" },
    { away: seconds(100), id: "sync", because: "a look was missed" },
  ])("arrives without a hold after $away ms: $because", async ({ away, id }) => {
    const lookout = await worldWithApi();
    const key = await trackApi(lookout);
    const other = await movedFrom(lookout);
    other.send({ name: "SyncCluster", id: "sync", cluster: "prod" });
    await other.pass(seconds(30));
    const add = withoutClusters(other);
    const digest = await lookout.push("shop/api", "1.1.0", { quietly: true });
    await other.tell({ id: "push-1", ...api, tags: ["1.1.0"], digest });
    await other.pass(away);
    expect((await other.record(key)).pending).toBeUndefined();
    add(id);
    await other.pass(minutes(2));

    expect((await other.record(key)).last).toMatchObject({ seq: 1, status: "succeeded" });
  });
});

describe("an import of an active update", () => {
  it("no longer watches it, and the workload gets the next update", async () => {
    const lookout = await worldWithApi();
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(3));
    expect((await lookout.record(key)).active?.status).toBe("rolling-out");

    const other = await movedFrom(lookout);
    const configure = withoutClusters(other);
    for (let minute = 0; minute < 20; minute += 1) {
      await reap(other.ports);
      await other.pass(minutes(1));
    }
    expect(await other.record(key)).toMatchObject({
      tracked: true,
      last: { status: "superseded", reason: "imported" },
    });
    configure();
    await other.pass(minutes(2));
    const { active, hold, blocked } = await other.record(key);
    expect([active, hold, blocked]).toEqual([undefined, undefined, []]);

    const digest = await lookout.push("shop/api", "1.2.0", { quietly: true });
    await other.tell({ id: "push-2", ...api, tags: ["1.2.0"], digest });
    await other.pass(minutes(2));
    expect((await other.record(key)).last).toMatchObject({ seq: 2, status: "succeeded" });
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.2.0@${digest}`);
  });
});
