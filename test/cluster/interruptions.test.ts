import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patchNumber } from "./bed/fake-kubelet.ts";
import { until } from "./bed/until.ts";
import { setStage, type Stage } from "./stage.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
});
afterAll(async () => {
  await stage.stop();
});

describe("a killed process", () => {
  it("continues its update after its restart", async () => {
    const workload = await stage.tracked("slow");
    const digest = await stage.registry.push(`shop/slow:1.0.${patchNumber.slow}`, { seed: "slow pods" });
    await stage.lookout.fact("RolloutStarted", workload);

    await stage.restart();
    await stage.lookout.fact("RolloutSucceeded", workload);

    expect(await stage.imageOf("deployment", "slow")).toBe(
      `${stage.registry.host}/shop/slow:1.0.${patchNumber.slow}@${digest}`,
    );
  });

  it("finds a push from its downtime", async () => {
    const workload = await stage.tracked("missed");
    let digest = "";

    await stage.restart(async () => {
      digest = await stage.registry.push("shop/missed:1.1.0", { seed: "missed 1.1.0" });
    });
    await stage.lookout.fact("RolloutSucceeded", workload);

    expect(await stage.imageOf("deployment", "missed")).toBe(`${stage.registry.host}/shop/missed:1.1.0@${digest}`);
  });
});

describe("an unreachable API server", () => {
  it("holds a pushed image with the reason, and rolls it out after the outage", async () => {
    const workload = await stage.tracked("away");

    await stage.plane.stopApiServer();
    await stage.registry.push("shop/away:1.1.0", { seed: "away 1.1.0" });
    // The evaluation of an earlier change may come first, so the update may first wait for another
    // reason.
    await until("the update is held because the cluster can't be reached", async () =>
      stage.lookout
        .of(workload)
        .find(
          ({ name, reasons }) =>
            name === "UpdateHeld" && reasons.map(({ reason }) => reason).join() === "cluster-unreachable",
        ),
    );
    const { out } = await stage.lookout.run("status");
    await stage.plane.startApiServer();
    await stage.lookout.fact("RolloutSucceeded", workload, 1, 120_000);

    expect(out).toContain("can't be reached");
  });
});
