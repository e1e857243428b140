import { afterAll, beforeAll, expect, it } from "vitest";
import { memoryMetrics } from "#adapters/memory/metrics";
import { observedBy } from "#domain/gates/observe";
import { wiringOf } from "#runtime/lambda/wiring/wiring";
import { type LambdaStage, lambdaStage } from "#test/runtime/lambda/stage";

let stage: LambdaStage;
beforeAll(async () => {
  stage = await lambdaStage(undefined, { mode: "observe", observe: ["pay"] });
});
afterAll(() => stage.close());

it.each(["gate/wake", "rollout/roll-out", "rollout/show-available", "verify/check-rollout"] as const)(
  "the deployed function %s observes as lookout.yaml says",
  async (name) => {
    const { wired } = await wiringOf(stage.settings(name))(memoryMetrics(), new AbortController().signal);

    expect(observedBy(wired.rules.observe, { cluster: "prod", namespace: "shop" })).toBe(
      "mode: observe, or lookout start --observe",
    );
  },
);
