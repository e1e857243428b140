import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Ports } from "#app/shared/ports";
import { TransientError } from "#ports/errors";
import { onSchedule } from "#runtime/handler";
import { scheduleShell } from "#runtime/lambda/schedule";
import { clusterNames } from "#runtime/lambda/wiring/cluster-names";
import { contextOf, type LambdaStage, lambdaStage } from "./stage.ts";

let stage: LambdaStage;
beforeEach(async () => {
  stage = await lambdaStage();
});
afterEach(() => stage.close());

describe("a function on a schedule", () => {
  it("runs for any event, and logs its result", async () => {
    const run = onSchedule("sync-due", async ({ rules: { limits } }) => ({
      kind: "asked",
      rollouts: limits.maxConcurrentRollouts,
    }));
    const handler = scheduleShell(run, stage.settings("detect/sync-due"));

    await handler({ anything: true }, contextOf());

    expect(stage.lines()).toEqual([
      {
        ...{ level: "INFO", message: "done", service: "lookout", function: "detect/sync-due" },
        ...{ id: "sync-due", outcome: { kind: "asked", rollouts: 25 } },
      },
    ]);
  });

  it("fails when its run fails, and tells Lambda only to read the log", async () => {
    const run = onSchedule("sync-due", async () => {
      throw new Error("token s3cret was refused");
    });

    const failed = scheduleShell(run, stage.settings("detect/sync-due"))({}, contextOf());

    await expect(failed).rejects.toEqual(
      new TransientError("detect/sync-due failed; the log of request request-1 has the error"),
    );
  });

  it("fails when it does not end in its time", async () => {
    const run = onSchedule("sync-due", () => new Promise(() => undefined));

    const late = scheduleShell(run, stage.settings("detect/sync-due"))({}, contextOf(1_050));

    await expect(late).rejects.toBeInstanceOf(TransientError);
    expect(stage.output()).toContain("the run did not end in time");
  });
});

describe("an unlisted part of a route", () => {
  it.each([
    { what: "queues", use: ({ queues }: Ports) => queues.send([]) },
    { what: "store", use: ({ store }: Ports) => store.workloadIndex("prod") },
  ])("fails when it is used, with the names of the function and the part: $what", async ({ what, use }) => {
    const run = onSchedule("sync-due", use);

    await expect(scheduleShell(run, stage.settings("detect/sync-due"))({}, contextOf())).rejects.toThrow();
    expect(stage.output()).toContain(
      `detect/sync-due used ${what}, which its route in src/contracts/routes.ts does not list`,
    );
  });

  it("has no cluster, although their names are known", async () => {
    const settings = stage.settings("detect/sync-due", [clusterNames]);
    const named = onSchedule("sync-due", async ({ clusters }) => clusters.names());
    const reached = onSchedule("sync-due", async ({ clusters }) => clusters.cluster("prod"));

    await scheduleShell(named, settings)({}, contextOf());
    const reaching = scheduleShell(reached, settings)({}, contextOf());

    await expect(reaching).rejects.toThrow();
    expect(stage.lines()[0]).toMatchObject({ outcome: ["prod"] });
  });
});
