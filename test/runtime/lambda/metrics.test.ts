import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { onSchedule } from "#runtime/handler";
import { scheduleShell } from "#runtime/lambda/schedule";
import { contextOf, type LambdaStage, lambdaStage } from "./stage.ts";

let stage: LambdaStage;
beforeEach(async () => {
  stage = await lambdaStage();
});
afterEach(() => stage.close());

const directive = {
  Timestamp: expect.any(Number) as number,
  CloudWatchMetrics: [
    {
      Namespace: "Lookout",
      Dimensions: [["service"]],
      Metrics: [{ Name: "PushToRunningMs", Unit: "Milliseconds" }],
    },
  ],
};

describe("the metrics of a run", () => {
  it("are written after the run as numbers, with the stack as their only dimension", async () => {
    const run = onSchedule("sync-due", async ({ metrics }) => {
      metrics.add("PushToRunningMs", 1_200);
      metrics.add("PushToRunningMs", 800);
    });

    await scheduleShell(run, stage.settings("detect/sync-due"))({}, contextOf());

    expect(stage.lines().slice(1)).toEqual([
      { _aws: directive, service: "Lookout", PushToRunningMs: 1_200 },
      { _aws: directive, service: "Lookout", PushToRunningMs: 800 },
    ]);
  });

  it("have their subjects as plain fields, not as dimensions", async () => {
    const run = onSchedule("sync-due", async ({ metrics }) => {
      metrics.add("PushToRunningMs", 1_200, { workload: "prod/shop/Deployment/api" });
    });

    await scheduleShell(run, stage.settings("detect/sync-due"))({}, contextOf());

    expect(stage.lines().at(-1)).toEqual({
      ...{ _aws: directive, service: "Lookout", PushToRunningMs: 1_200 },
      workload: "prod/shop/Deployment/api",
    });
  });

  it("share a line with other metrics of the same subject", async () => {
    const run = onSchedule("sync-due", async ({ metrics }) => {
      metrics.add("PatchedToRunningMs", 900, { update: "1" });
      metrics.add("UpdatesSucceeded", 1, { update: "2" });
      metrics.add("PushToRunningMs", 1_200, { update: "1" });
      metrics.add("UpdatesSucceeded", 1, { update: "2" });
    });

    await scheduleShell(run, stage.settings("detect/sync-due"))({}, contextOf());

    expect(stage.lines().slice(1)).toMatchObject([
      { update: "1", PatchedToRunningMs: 900, PushToRunningMs: 1_200 },
      { update: "2", UpdatesSucceeded: 1 },
      { update: "2", UpdatesSucceeded: 1 },
    ]);
  });

  it("are written when the run fails, too", async () => {
    const run = onSchedule("sync-due", async ({ metrics }) => {
      metrics.add("PushToRunningMs", 7);
      throw new Error("later");
    });

    await expect(scheduleShell(run, stage.settings("detect/sync-due"))({}, contextOf())).rejects.toThrow();

    expect(stage.lines().at(-1)).toMatchObject({ PushToRunningMs: 7 });
  });

  it("write no line in a run without metrics, and never fail a run", async () => {
    const run = onSchedule("sync-due", async ({ metrics }) => {
      metrics.add("PushToRunningMs", Number.NaN);
    });

    await scheduleShell(run, stage.settings("detect/sync-due"))({}, contextOf());

    expect(stage.lines()).toHaveLength(1);
  });
});
