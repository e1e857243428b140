import { afterAll, beforeAll, expect, it } from "vitest";
import { memoryMetrics } from "#adapters/memory/metrics";
import { freezesOn } from "#domain/gates/freezes";
import { epochMs } from "#domain/shared/time";
import { wiringOf } from "#runtime/lambda/wiring/wiring";
import { type LambdaStage, lambdaStage } from "#test/runtime/lambda/stage";

const workload = { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" } as const;
const windows = [{ from: "2026-12-20", until: "2027-01-02", timeZone: "Europe/Berlin" }];

let stage: LambdaStage;
beforeAll(async () => {
  stage = await lambdaStage(undefined, {
    freezes: [{ name: "year-end", scope: "prod", why: "Year-end closing", windows }],
  });
});
afterAll(() => stage.close());

it("a deployed function has the planned freezes of lookout.yaml with their ends", async () => {
  const { signal } = new AbortController();
  const { wired } = await wiringOf(stage.settings("gate/wake"))(memoryMetrics(), signal);
  const holding = (at: string) =>
    freezesOn({ freezes: [], plannedFreezes: wired.rules.plannedFreezes }, workload, epochMs(Date.parse(at))).map(
      ({ by, until }) => ({
        by,
        until,
      }),
    );

  expect(holding("2026-12-19T22:59:59Z")).toEqual([]);
  expect(holding("2026-12-19T23:00:00Z")).toEqual([
    { by: "year-end of lookout.yaml", until: Date.parse("2027-01-01T23:00:00Z") },
  ]);
});
