import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFleet } from "#test/bench/fleet";
import { until } from "./bed/until.ts";
import { type ShownDeployment, shownDeployments } from "./shown.ts";
import { setStage, type Stage } from "./stage.ts";

const size = 50;
const awayMs = 60_000;
const settledWithinMs = 300_000;

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
  await createFleet(stage, 0, size, () => undefined);
});
afterAll(async () => {
  await stage.stop();
});

const push = (tag: string): Promise<string> => stage.registry.push(`shop/fleet:${tag}`, { seed: `fleet ${tag}` });

describe("an API server that is away for a minute in the middle of 50 updates", () => {
  it("ends with the newest image everywhere, at most one change per update, and no blocked digest", async () => {
    const { lookout, plane } = stage;
    const before = new Map((await shownDeployments(plane)).map(({ name, generation }) => [name, generation]));
    await push("1.1.0");
    await until("the first patch", async () => lookout.facts.find(({ name }) => name === "RolloutStarted"), {
      intervalMs: 1,
    });
    await plane.stopApiServer();
    const stoppedAt = Date.now();
    const patchedBefore = lookout.facts.filter(({ name }) => name === "RolloutStarted").length;
    await sleep(awayMs / 3);
    const digest = await push("1.2.0");
    await sleep((awayMs * 2) / 3);
    const toldUntil = lookout.facts.length;
    await plane.startApiServer();
    const backAt = Date.now();

    const wanted = `${stage.registry.host}/shop/fleet:1.2.0@${digest}`;
    const isSettled = ({ name, image, update }: ShownDeployment): boolean =>
      image === wanted &&
      lookout.of(`default/${name}`).some((fact) => fact.name === "RolloutSucceeded" && fact.seq === update);
    await until(
      "all have the newest image",
      async () => (await shownDeployments(plane)).every(isSettled) || undefined,
      { timeoutMs: settledWithinMs, intervalMs: 500 },
    );
    const settledMs = Date.now() - backAt;
    const soon = lookout.facts.filter(
      ({ name, at }) => name === "RolloutStarted" && Date.parse(at) >= backAt && Date.parse(at) < backAt + 10_000,
    );
    const writes = new Set(
      lookout.facts
        .slice(0, toldUntil)
        .filter(({ at }) => Date.parse(at) >= stoppedAt)
        .map(({ workload, version }) => `${workload.name} ${version}`),
    );
    console.log(
      `${patchedBefore} of ${size} were patched when the API server went away for ${awayMs / 1_000} s; ` +
        `${writes.size} records were written meanwhile; ${soon.length} were patched within 10 s of its return, ` +
        `all were settled after ${(settledMs / 1_000).toFixed(1)} s`,
    );

    const told = lookout.facts.map(({ name }) => name);
    expect(told.filter((name) => ["RolloutFailed", "RolledBack", "RollbackFailed"].includes(name))).toEqual([]);
    const changes = (await shownDeployments(plane)).map(({ name, generation, update }) => ({
      name,
      changes: generation - (before.get(name) ?? 0),
      patched: lookout.facts.filter((fact) => fact.name === "RolloutStarted" && fact.workload.name === name).length,
      update,
    }));
    expect(changes.filter(({ changes: made, patched, update }) => made !== patched || made > update)).toEqual([]);
  }, 600_000);
});
