import { describe, expect, it } from "vitest";
import { readDecisions, readWorkload } from "#app/api/workloads";
import { seconds } from "#domain/shared/time";
import { trackApi, worldWithApi } from "../world.ts";

describe("the id of a push", () => {
  it("is on every log line, fact and history row, up to the last check of its pods", async () => {
    const lookout = await worldWithApi();
    const key = await trackApi(lookout);
    const before = { logged: lookout.logged.length, facts: lookout.facts.length };
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(60));
    const id = `shop/api:1.1.0@${digest}`;
    const { decisions } = await readDecisions(key, { limit: 100 }, lookout.ports);
    const lines = new Set(lookout.logged.slice(before.logged).map((line) => line.join(" ")));

    // What follows is a look at what stands there now, and no part of the update.
    expect([...lines].filter((line) => !line.startsWith("EvaluateWorkload"))).toEqual([
      `ImagePushed ${id}`,
      `RollOut ${id}`,
      `CheckRollout ${id}`,
    ]);
    expect(
      lookout.facts
        .slice(before.facts)
        .filter(({ seq }) => seq > 0)
        .map(({ name, correlationId }) => [name, correlationId]),
    ).toEqual([
      ["UpdateReleased", id],
      ["RolloutPrepared", id],
      ["RolloutStarted", id],
      ["WorkloadRunning", id],
      ["RolloutSucceeded", id],
    ]);
    expect(new Set(decisions.map(({ seq, correlationId }) => `${seq} ${correlationId ?? "none"}`))).toEqual(
      new Set(["0 none", `1 ${id}`]),
    );
    expect((await readWorkload(key, lookout.ports))?.last?.correlationId).toBe(id);
  });

  it("stays with an update that waits, wakes, and is superseded by another push", async () => {
    const lookout = await worldWithApi();
    const key = await trackApi(lookout, { "lookout.dev/suspend": "true" });
    const first = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(1));
    const second = await lookout.push("shop/api", "1.2.0");
    await lookout.pass(seconds(1));
    const told = lookout.facts.filter(({ seq }) => seq > 0).map(({ name, correlationId }) => [name, correlationId]);

    expect((await lookout.record(key)).pending?.correlationId).toBe(`shop/api:1.2.0@${second}`);
    expect(told.find(([name]) => name === "UpdateSuperseded")).toEqual(["UpdateSuperseded", `shop/api:1.1.0@${first}`]);
  });

  it("is missing in an update of a sync, whose log lines have the update's own id", async () => {
    const lookout = await worldWithApi();
    await lookout.push("shop/api", "1.1.0", { quietly: true });
    const key = await trackApi(lookout);
    await lookout.pass(seconds(60));
    const { uid, last } = await lookout.record(key);

    expect([last?.status, last?.correlationId]).toEqual(["succeeded", undefined]);
    expect(lookout.logged.filter(([queue]) => queue === "RollOut")).toEqual([["RollOut", `${uid}/1`]]);
  });
});
