import { beforeEach, describe, expect, it } from "vitest";
import { sendAllOpenWork } from "#app/gate/reap";
import { noteFailedSync } from "#app/shared/schedule-failures";
import { hours, minutes, seconds } from "#domain/shared/time";
import { api, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
beforeEach(async () => {
  lookout = await worldWithApi();
});

const jump = hours(500 * 24);
const name = { registry: host, repository: "shop/api" };

/** The clock jumps ahead for some seconds, and the process sees both jumps. */
async function jumpFor(during: () => Promise<unknown>): Promise<void> {
  lookout.clock.turn(jump);
  await sendAllOpenWork(lookout.ports);
  await during();
  await lookout.pass(seconds(6));
  lookout.clock.turn(hours(-500 * 24));
  // Timers count real time, and those of this world count by its clock.
  lookout.loseMessages();
  await sendAllOpenWork(lookout.ports);
}

describe("the clock 500 days ahead for six seconds", () => {
  it("holds a new image for its minimum age, and no longer", async () => {
    const key = await trackApi(lookout, { "lookout.dev/min-age": "2h" });
    let digest = "";
    await jumpFor(async () => {
      digest = await lookout.push("shop/api", "1.1.0");
      await lookout.settle();
    });

    await lookout.pass(minutes(115));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    await lookout.pass(minutes(10));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
  });

  it.each(["1.1.0", "1.0.0"])("ends the rollout that it found, and the next push runs (%s first)", async (first) => {
    const key = await trackApi(lookout);
    await jumpFor(async () => {
      await lookout.push("shop/api", first);
      await lookout.pass(seconds(2));
    });
    await lookout.pass(minutes(2));
    const digest = await lookout.push("shop/api", "1.2.0");
    await lookout.pass(minutes(2));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.2.0@${digest}`);
    expect((await lookout.record(key)).active).toBeUndefined();
    expect(lookout.failures).toEqual([]);
  });

  it("proves the patch of which it knows no outcome, and sends it once", async () => {
    const key = await trackApi(lookout);
    await jumpFor(async () => {
      lookout.cluster.failNext({ kind: "unknown", detail: "the connection was lost" });
      await lookout.push("shop/api", "1.1.0");
      await lookout.settle();
    });
    expect((await lookout.record(key)).active?.status).toBe("patching");
    await lookout.pass(minutes(4));

    expect((await lookout.record(key)).last).toMatchObject({ seq: 1, status: "succeeded" });
    expect(lookout.cluster.history.filter(({ what }) => what.startsWith("patch "))).toHaveLength(1);
  });

  it("counts the failures of a cluster, and of a repository, from now", async () => {
    await trackApi(lookout);
    await jumpFor(async () => {
      lookout.cluster.unreachable(true);
      lookout.registry.unreachable(host, true);
      await lookout.sync();
      await lookout.sweep();
    });
    await lookout.sync();
    await lookout.sweep();
    const now = lookout.clock.now();

    expect((await lookout.ports.clusterStates.read("prod"))?.problem?.since).toBe(now - 1_000);
    expect((await lookout.ports.repositories.read(name))?.problem).toMatchObject({ since: now, at: now });
    await noteFailedSync("prod", "it failed", lookout.ports);
    expect((await lookout.ports.clusterStates.read("prod"))?.problem?.since).toBe(now - 1_000);
  });

  it("does not stop the complete lists of a cluster", async () => {
    const key = await trackApi(lookout);
    await jumpFor(() => lookout.sync());
    lookout.cluster.remove(api);
    lookout.cluster.forget();
    await lookout.sync();

    expect((await lookout.record(key)).tracked).toBe(false);
    expect((await lookout.ports.clusterStates.read("prod"))?.lastCompleteListAt).toBe(lookout.clock.now());
  });

  it("leaves no tag the newest for ever", async () => {
    const key = await trackApi(lookout, { "lookout.dev/policy": "latest" });
    await jumpFor(async () => {
      await lookout.push("shop/api", "early");
      await lookout.pass(seconds(5));
    });
    await lookout.pass(minutes(2));
    await lookout.sweep();
    await lookout.pass(minutes(1));
    const digest = await lookout.push("shop/api", "late");
    await lookout.pass(minutes(2));

    expect(lookout.image(key)).toBe(`${host}/shop/api:late@${digest}`);
    const moves = await lookout.ports.tagHistory.list(name);
    expect(moves.every(({ movedAt }) => movedAt <= lookout.clock.now())).toBe(true);
  });

  it("ends the workloads of a removed cluster after minutes", async () => {
    const key = await trackApi(lookout);
    await jumpFor(() => lookout.sync());
    Object.assign(lookout.ports.clusters, { names: () => [], cluster: () => undefined });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(4));
    expect((await lookout.record(key)).tracked).toBe(true);
    await lookout.pass(minutes(3));

    expect((await lookout.record(key)).tracked).toBe(false);
  });

  it("lets the checks of a repository show their time again", async () => {
    await trackApi(lookout);
    await jumpFor(() => lookout.sweep());
    await lookout.sweep();

    expect((await lookout.ports.repositories.read(name))?.checkedAt).toBe(lookout.clock.now());
  });
});

describe("the clock a day behind for six seconds", () => {
  it("shortens no minimum age of an image that was seen before", async () => {
    const key = await trackApi(lookout, { "lookout.dev/min-age": "2h" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(30));
    lookout.clock.turn(hours(-24));
    lookout.loseMessages();
    await sendAllOpenWork(lookout.ports);
    await lookout.pass(seconds(6));
    lookout.clock.turn(hours(24));
    await lookout.pass(minutes(80));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    await lookout.pass(minutes(15));

    expect(lookout.image(key)).toContain("1.1.0");
  });
});
