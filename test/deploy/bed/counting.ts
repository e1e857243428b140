import { setTimeout as sleep } from "node:timers/promises";
import { until } from "#test/cluster/bed/until";
import type { CountedUpdates } from "../cost-page.ts";
import { callsSince } from "../cost.ts";
import type { Deployment } from "./deployment.ts";
import type { CallCount } from "./emulator.ts";

/** The pushes whose calls are counted. */
interface Pushes {
  readonly repository: string;
  /** The Deployments that use the repository. */
  readonly deployments: readonly string[];
  readonly pushes: number;
  /** The number of each Deployment's update for the first push. */
  readonly firstSeq: number;
  /** The first pushed tag: `1.N.0`. Default: 2. */
  readonly firstMinor?: number;
}

/**
 * Pushes 1.2.0, 1.3.0 and so on, each after all Deployments run the previous tag. Returns the
 * counted calls.
 */
export async function countUpdates(
  { emulator, ecr, facts }: Deployment,
  { repository, deployments, pushes, firstSeq, firstMinor = 2 }: Pushes,
): Promise<CountedUpdates> {
  const before = (await emulator.state()).calls;
  for (let push = 0; push < pushes; push += 1) {
    await ecr.push(`shop/${repository}`, `1.${push + firstMinor}.0`);
    await Promise.all(deployments.map((name) => facts.fact("RolloutSucceeded", name, push + firstSeq)));
  }
  const calls = callsSince(before, (await emulator.state()).calls);
  return { calls, updates: pushes * deployments.length };
}

/**
 * Sweeps every repository. Returns the calls of sweeps that find nothing, and all calls so far.
 *
 * @param forward - advances the clock
 */
export async function countSweeps(
  deployment: Deployment,
  forward: (seconds: number) => Promise<void>,
): Promise<{ readonly sweeps: readonly CallCount[]; readonly everything: readonly CallCount[] }> {
  // The first sweep of a repository writes, and a sweep after an update may write. After 30 minutes
  // each sweep stores its check, and the next one does not.
  await forward(1800);
  const before = await onceSwept([], deployment);
  await forward(300);
  const everything = await onceSwept(before, deployment);
  return { sweeps: sweepsIn(callsSince(before, everything)), everything };
}

/** Returns all calls so far, after new sweeps have ended. */
async function onceSwept(since: readonly CallCount[], { emulator }: Deployment): Promise<readonly CallCount[]> {
  return until("repositories are swept", async () => {
    const before = sumOf(sweepsIn((await emulator.state()).calls));
    await sleep(quietMs);
    const { calls } = await emulator.state();
    const hasSwept = sumOf(sweepsIn(callsSince(since, calls))) > 0;
    return hasSwept && sumOf(sweepsIn(calls)) === before ? calls : undefined;
  });
}

/** The time without calls after which sweeps have ended. */
const quietMs = 3_000;

function sweepsIn(calls: readonly CallCount[]): readonly CallCount[] {
  return calls.filter(({ function: name }) => name.includes("sweeprepository"));
}

function sumOf(calls: readonly CallCount[]): number {
  return calls.reduce((sum, { count }) => sum + count, 0);
}
