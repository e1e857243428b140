import { setTimeout as sleep } from "node:timers/promises";
import { until } from "#test/cluster/bed/until";
import type { CountedUpdates } from "../cost-page.ts";
import { callsSince } from "../cost.ts";
import type { Deployment } from "./deployment.ts";
import type { CallCount } from "./emulator.ts";

/** Pushes to count. */
interface Pushes {
  readonly repository: string;
  /** Those that use it. */
  readonly deployments: readonly string[];
  readonly pushes: number;
  /** Which update of each of them the first push is. */
  readonly firstSeq: number;
}

/** Pushes 1.2.0, 1.3.0 and so on, each when all Deployments run the one before, and counts what is called for it. */
export async function countUpdates(
  { emulator, ecr, facts }: Deployment,
  { repository, deployments, pushes, firstSeq }: Pushes,
): Promise<CountedUpdates> {
  const before = (await emulator.state()).calls;
  for (let push = 0; push < pushes; push += 1) {
    await ecr.push(`shop/${repository}`, `1.${push + 2}.0`);
    await Promise.all(deployments.map((name) => facts.fact("RolloutSucceeded", name, push + firstSeq)));
  }
  const calls = callsSince(before, (await emulator.state()).calls);
  return { calls, updates: pushes * deployments.length };
}

/**
 * Counts everything that was ever called, once sweeps have looked at repositories and have ended.
 *
 * Of a sweep that is going on, the reads would count and not the write at its end.
 */
export async function countOnceSwept({ emulator }: Deployment): Promise<readonly CallCount[]> {
  return until("repositories are swept", async () => {
    const before = sweepsIn((await emulator.state()).calls);
    await sleep(quietMs);
    const { calls } = await emulator.state();
    const after = sweepsIn(calls);
    return after.writes > 0 && after.calls === before.calls ? calls : undefined;
  });
}

/** Functions that sweep call something at least this often. */
const quietMs = 3_000;

function sweepsIn(calls: readonly CallCount[]): { readonly calls: number; readonly writes: number } {
  const ofSweeps = calls.filter(({ function: name }) => name.includes("sweeprepository"));
  const writes = ofSweeps.filter(({ operation }) => operation === "dynamodb:PutItem");
  return { calls: sumOf(ofSweeps), writes: sumOf(writes) };
}

function sumOf(calls: readonly CallCount[]): number {
  return calls.reduce((sum, { count }) => sum + count, 0);
}
