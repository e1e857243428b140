import { fingerprintOf } from "#domain/tiers/membership";
import { isMisplaced } from "#domain/update/effects/tier";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { WorkloadName } from "#domain/workload/workload";
import type { ClusterState } from "#ports/cluster-states";
import type { Ports } from "../shared/ports.ts";

/** The rules of tiers, as a sync of a cluster finds them. */
export interface FoundTierRules {
  /** True if the records of the cluster were not compared with the present rules yet. */
  readonly changed: boolean;
  /** The rules with which all records were compared before this sync. */
  readonly before: Pick<ClusterState, "tiers">;
  readonly present: Pick<ClusterState, "tiers">;
}

/** Compares the rules of tiers with those of the cluster's last sync. */
export function tierRulesOf({ tiers: before }: ClusterState, { rules }: Pick<Ports, "rules">): FoundTierRules {
  const present = rules.tiers.tiers.length === 0 ? undefined : fingerprintOf(rules.tiers);
  const stored = (tiers: string | undefined) => (tiers === undefined ? {} : { tiers });
  return { changed: before !== present, before: stored(before), present: stored(present) };
}

/**
 * Returns the workloads whose place among the tiers differs from the rules. Their evaluation stores the place.
 * Until then, no lower tier takes the cluster's members for known.
 */
export function misplacedIn(
  records: Iterable<WorkloadRecord>,
  { rules }: Pick<Ports, "rules">,
): readonly WorkloadName[] {
  return [...records]
    .filter((record) => record.tracked && isMisplaced(record, rules.tiers))
    .map(({ workload }) => workload);
}
