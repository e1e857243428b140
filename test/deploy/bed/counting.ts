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

/** Counts everything that was ever called, once a sweep has looked at repositories. */
export async function countOnceSwept({ emulator }: Deployment): Promise<readonly CallCount[]> {
  const sweep = ({ function: name, operation }: CallCount): boolean =>
    name.includes("sweeprepository") && operation === "dynamodb:PutItem";
  return until("repositories are swept", async () => {
    const { calls } = await emulator.state();
    return calls.some(sweep) ? calls : undefined;
  });
}
