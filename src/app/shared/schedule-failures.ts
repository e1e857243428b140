import { atMostNow } from "#domain/shared/wrong-clock";
import { secondsBetween } from "#domain/update/effects/metrics";
import type { RepositoryName } from "#ports/registry";
import type { Ports } from "./ports.ts";

/** Stores the cause of a sweep that failed five times as the problem of its repository. */
export async function noteFailedSweep(
  name: RepositoryName,
  detail: string,
  { repositories, clock }: Ports,
): Promise<void> {
  const state = await repositories.read(name);
  if (state === undefined) return;
  const reason = "evaluation-failed";
  const at = clock.now();
  const since = state.problem?.reason === reason ? atMostNow(state.problem.since, at) : at;
  await repositories.write({ ...state, problem: { reason, detail, since, at } });
}

/** Stores the cause of a sync that failed five times as the problem of its cluster. */
export async function noteFailedSync(
  cluster: string,
  cause: string,
  { clusterStates, clock, metrics }: Ports,
): Promise<void> {
  const now = clock.now();
  const state = (await clusterStates.read(cluster)) ?? { name: cluster };
  const since = atMostNow(state.problem?.since ?? now, now);
  const detail = `Lookout failed while it synced the cluster: ${cause}`;
  const reason = "cluster-unreachable";
  await clusterStates.write({ ...state, problem: { reason, detail, since, at: now } });
  metrics.add("ClusterUnreachableSeconds", secondsBetween(since, now), { cluster, reason });
}
