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

describe("what a run measures", () => {
  it("is written after the run, each value as a number, with the stack as its only dimension", async () => {
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

  it("stands beside what it is about, which is no dimension", async () => {
    const run = onSchedule("sync-due", async ({ metrics }) => {
      metrics.add("PushToRunningMs", 1_200, { workload: "prod/shop/Deployment/api" });
    });

    await scheduleShell(run, stage.settings("detect/sync-due"))({}, contextOf());

    expect(stage.lines().at(-1)).toEqual({
      ...{ _aws: directive, service: "Lookout", PushToRunningMs: 1_200 },
      workload: "prod/shop/Deployment/api",
    });
  });

  it("shares a line with what else is about the same, and with nothing else", async () => {
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

  it("is written when the run fails, too", async () => {
    const run = onSchedule("sync-due", async ({ metrics }) => {
      metrics.add("PushToRunningMs", 7);
      throw new Error("later");
    });

    await expect(scheduleShell(run, stage.settings("detect/sync-due"))({}, contextOf())).rejects.toThrow();

    expect(stage.lines().at(-1)).toMatchObject({ PushToRunningMs: 7 });
  });

  it("is nothing in most runs, and then nothing is written; no measurement fails a run", async () => {
    const run = onSchedule("sync-due", async ({ metrics }) => {
      metrics.add("PushToRunningMs", Number.NaN);
    });

    await scheduleShell(run, stage.settings("detect/sync-due"))({}, contextOf());

    expect(stage.lines()).toHaveLength(1);
  });
});
