import { observedBy } from "#domain/gates/observe";
import { extraWake } from "#domain/update/effects/commands";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { SyncCluster } from "#domain/update/commands";
import type { ClusterState } from "#ports/cluster-states";
import type { OutgoingCommand } from "#ports/messaging";
import type { Ports } from "../shared/ports.ts";

/** The observation of a cluster, as a sync finds it. */
export interface Observation {
  /** True if the rules changed since the last sync, so that an observation may have begun. */
  readonly begins: boolean;
  /** The rules, for the next sync. */
  readonly stored: Pick<ClusterState, "observes">;
}

/** Compares the rules of observation with those of the cluster's last sync. */
export function observationOf({ name: cluster, observes: before }: ClusterState, { rules }: Ports): Observation {
  const { mode, clusters, observe } = rules.observe;
  const own = clusters.some(({ name, mode: ofCluster }) => name === cluster && ofCluster !== undefined);
  const all = [...(mode !== undefined || own ? ["*"] : []), ...observe];
  if (all.length === 0) return { begins: false, stored: {} };
  const observes = JSON.stringify(all);
  return { begins: observes !== before, stored: { observes } };
}

/**
 * Returns a wake for each update that was held before an observation began. The wake marks the update as
 * observed, so that it stays held even if its other gates open after the end of the observation. Complete
 * lists repeat a lost wake.
 */
export function marksOf(
  records: Iterable<WorkloadRecord>,
  sync: SyncCluster,
  { rules }: Ports,
): readonly OutgoingCommand[] {
  return [...records]
    .filter(({ pending, workload }) => pending !== undefined && observedBy(rules.observe, workload) !== undefined)
    .filter(({ pending }) => pending?.observed !== true)
    .map((record) => ({ command: extraWake(record, `observe:${sync.id}`) }));
}
