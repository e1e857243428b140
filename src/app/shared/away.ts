import type { GateFacts } from "#domain/gates/index";
import { plus, seconds } from "#domain/shared/time";
import type { ClusterState } from "#ports/cluster-states";

/**
 * The time after which Lookout treats a failing cluster as unreachable: two failed syncs, because
 * syncs run every minute.
 */
const awayAfter = seconds(45);

/** Returns why Lookout treats a cluster as unreachable. Undefined if Lookout takes it for available. */
export function awayOf(state: ClusterState | undefined): GateFacts["away"] {
  const { problem } = state ?? {};
  // A cluster that is registered under two names is available. Its sync reports the second name.
  if (problem === undefined || problem.reason === "cluster-registered-twice") return undefined;
  if (problem.at < plus(problem.since, awayAfter)) return undefined;
  return { reason: problem.reason, detail: problem.detail };
}
