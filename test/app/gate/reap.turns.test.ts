import { beforeEach, describe, expect, it } from "vitest";
import { reap } from "#app/gate/reap";
import { hours, plus, seconds } from "#domain/shared/time";
import type { Command } from "#domain/update/commands";
import { workloadKey } from "#domain/workload/workload";
import { firstRecord, nextRecord, start } from "#test/contracts/records";
import { type World, world } from "../world.ts";

let lookout: World;

beforeEach(() => {
  lookout = world();
});

/** Stores overdue records of a namespace; the record with the lowest number is the longest overdue. */
async function overdue(namespace: string, count: number, after = 0): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const workload = { cluster: "prod", namespace, kind: "Deployment", name: `w${index}` } as const;
    const dueAt = plus(start, seconds(after + index));
    await lookout.ports.store.write(
      firstRecord(workload, { uid: `${namespace}/${index}`, needsEvaluation: true, effects: { dueAt } }),
    );
  }
}

/** Runs the reaper once, and returns the workloads whose evaluation it sent. */
async function sentByOneRun(before = plus(start, hours(5))): Promise<readonly string[]> {
  const sent: Command[] = [];
  const send = (all: readonly { readonly command: Command }[]): Promise<void> => {
    sent.push(...all.map(({ command }) => command));
    return Promise.resolve();
  };
  await reap({ ...lookout.ports, queues: { ...lookout.ports.queues, send } }, before);
  return sent.flatMap((command) => (command.name === "EvaluateWorkload" ? workloadKey(command.workload) : []));
}

/** Stores that these workloads were evaluated. */
async function evaluated(keys: readonly string[]): Promise<void> {
  for (const record of await lookout.ports.store.readMany(keys)) {
    const { needsEvaluation: _, ...rest } = record;
    await lookout.ports.store.write(nextRecord(rest));
  }
}

const namespaceIn = (key: string): string => key.split("/")[1] ?? "";
const countsOf = (keys: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(keys, namespaceIn)].map(([namespace, own]) => [namespace, own.length]));

describe("a run of the reaper", () => {
  it("reaches every namespace although one namespace has 2,000 older overdue updates", async () => {
    await overdue("crowd", 2_000);
    for (const namespace of ["a", "b", "c"]) await overdue(namespace, 1, 2_000);
    const sent = await sentByOneRun();

    expect(sent.slice(0, 5)).toEqual([
      "prod/crowd/deployment/w0",
      "prod/a/deployment/w0",
      "prod/b/deployment/w0",
      "prod/c/deployment/w0",
      "prod/crowd/deployment/w1",
    ]);
    expect(countsOf(sent)["a"]).toBe(1);
  });

  it("reaches a namespace although 20 namespaces together have 8,000 older overdue updates", async () => {
    for (let index = 0; index < 20; index += 1) await overdue(`crowd-${index}`, 400);
    await overdue("shop", 2, 2_000);
    const counts = countsOf(await sentByOneRun());

    expect(counts["shop"]).toBe(2);
    const ofCrowds = Object.entries(counts).flatMap(([namespace, count]) => (namespace === "shop" ? [] : count));
    // At most 500 records, and the 25 records of one cluster with a slot that may not be due.
    expect([ofCrowds.length, Math.min(...ofCrowds), Math.max(...ofCrowds)]).toEqual([20, 26, 27]);
  });

  it("leaves the rest to the next runs, and each namespace gets its share in each run", async () => {
    await overdue("crowd", 1_200);
    await overdue("shop", 300, 1_200);
    const runs: Readonly<Record<string, number>>[] = [];
    for (let run = 0; run < 4; run += 1) {
      const sent = await sentByOneRun();
      runs.push(countsOf(sent));
      await evaluated(sent);
    }

    expect(runs).toEqual([{ crowd: 263, shop: 262 }, { crowd: 487, shop: 38 }, { crowd: 450 }, {}]);
  });

  it("separates namespaces of the same name in two clusters", async () => {
    await overdue("shop", 600);
    const workload = { cluster: "test", namespace: "shop", kind: "Deployment", name: "late" } as const;
    const late = firstRecord(workload, {
      uid: "late",
      needsEvaluation: true,
      effects: { dueAt: plus(start, seconds(900)) },
    });
    await lookout.ports.store.write(late);

    expect((await sentByOneRun()).slice(0, 2)).toEqual(["prod/shop/deployment/w0", "test/shop/deployment/late"]);
  });

  it("sends nothing that is not yet due", async () => {
    await overdue("shop", 3);

    expect(await sentByOneRun(plus(start, seconds(1)))).toEqual([]);
  });
});
