import { describe, expect, it } from "vitest";
import { minutes, plus, seconds } from "#domain/shared/time";
import type { RollingOutUpdate, SucceededUpdate } from "#domain/update/state/workload";
import { api, trackApi, worldWithApi } from "../world.ts";

describe("the time from a push to its running pods", () => {
  it("ends when the last pod became ready, although no check saw it for five minutes", async () => {
    const lookout = await worldWithApi();
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    const { patchedAt } = (await lookout.record(key)).active as RollingOutUpdate;
    lookout.cluster.unreachable(true);
    await lookout.pass(minutes(5));
    lookout.cluster.unreachable(false);
    await lookout.pass(minutes(1));

    const last = (await lookout.record(key)).last as SucceededUpdate;
    expect([last.status, last.runningSince]).toEqual(["succeeded", plus(patchedAt, seconds(1))]);
    expect(lookout.measurements.filter(({ name }) => name === "PatchedToRunningMs").map(({ value }) => value)).toEqual([
      1_000,
    ]);
  });

  it("begins anew when a pod restarts while it settles", async () => {
    const lookout = await worldWithApi();
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(3));
    const crashedAt = lookout.clock.now();
    lookout.cluster.crash(api);
    await lookout.pass(minutes(2));

    const last = (await lookout.record(key)).last as SucceededUpdate;
    expect([last.status, last.runningSince]).toEqual(["succeeded", plus(crashedAt, seconds(1))]);
  });
});
