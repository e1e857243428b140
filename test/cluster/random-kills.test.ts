import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DecisionsView } from "#contracts/api/workloads";
import { chanceFrom } from "#test/model/chance";
import { type ShownDeployment, shownDeployments } from "./shown.ts";
import { setStage, type Stage } from "./stage.ts";

const updates = 15;
/** The seed of the moments of kills: `SEED=42 npm run test:cluster -- random-kills`. */
const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
});
afterAll(async () => {
  await stage.stop();
});

async function shown(): Promise<Omit<ShownDeployment, "name">> {
  const [{ image, generation, update } = { image: "", generation: 0, update: 0 }] = await shownDeployments(stage.plane);
  return { image, generation, update };
}

function push(number: number): Promise<string> {
  return stage.registry.push(`shop/api:1.${number}.0`, { seed: `api 1.${number}.0` });
}

/** Pushes an image. Returns the time until the pods run. */
async function undisturbed(workload: string): Promise<number> {
  await push(1);
  const pushedAt = performance.now();
  await stage.lookout.fact("WorkloadRunning", workload, 1);
  const took = performance.now() - pushedAt;
  await stage.lookout.fact("RolloutSucceeded", workload, 1);
  return took;
}

describe(`a process that is killed at a random moment of each of ${updates} updates`, () => {
  it("completes each update, with one change of the object and each history row once", async () => {
    const chance = chanceFrom(seed);
    const workload = await stage.tracked("api");
    const took = await undisturbed(workload);
    const start = await shown();
    const reached: string[] = [];
    const wrong: unknown[] = [];
    for (let seq = 2; seq <= updates + 1; seq += 1) {
      const digest = await push(seq);
      await sleep(chance.next() * 1.2 * took);
      reached.push(stage.lookout.of(workload).findLast((fact) => fact.seq === seq)?.name ?? "nothing");
      await stage.restart();
      await stage.lookout.fact("RolloutSucceeded", workload, seq);
      const expected = {
        image: `${stage.registry.host}/shop/api:1.${seq}.0@${digest}`,
        generation: start.generation + seq - 1,
        update: seq,
      };
      const found = await shown();
      if (JSON.stringify(found) !== JSON.stringify(expected)) wrong.push({ found, expected });
    }
    console.log(
      `seed ${seed}: ${updates} updates killed within ${Math.round(1.2 * took)} ms of their push, having told ${countsText(reached)}`,
    );

    expect(wrong).toEqual([]);
    const { out } = await stage.lookout.run("history", workload, "--limit", "1000", "--output", "json");
    const { decisions } = JSON.parse(out) as DecisionsView;
    const steps = decisions.filter(({ seq }) => seq > 0).map(({ seq, what }) => `${seq} ${what}`);
    const each = Array.from({ length: updates + 1 }, (_, index) => index + 1);
    const wanted = each.flatMap((seq) =>
      ["released", "patching", "patched", "running", "succeeded"].map((what) => `${seq} ${what}`),
    );
    expect(steps.toSorted()).toEqual(wanted.toSorted());
  }, 240_000);
});

function countsText(names: readonly string[]): string {
  return Object.entries(Object.groupBy(names, (name) => name))
    .map(([name, all = []]) => `${name}: ${all.length}`)
    .join(", ");
}
