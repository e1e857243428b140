import { epochMs } from "#domain/shared/time";
import { presentOf } from "#domain/tiers/member";
import { measurementsOfGroup } from "#domain/tiers/progress";
import type { Measurement } from "#domain/update/effects/metrics";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { TierMembers } from "#ports/tier-members";
import { allOf } from "../shared/bounded.ts";
import { readOnce } from "../shared/once.ts";
import type { Ports } from "../shared/ports.ts";

/** Measures the groups whose members these records changed, each once. Groups without a change cost nothing. */
export async function tierMeasurements(
  records: readonly WorkloadRecord[],
  { tierMembers, rules }: Pick<Ports, "tierMembers" | "rules">,
): Promise<readonly Measurement[]> {
  const changed = new Map<string, number>();
  for (const { effects, changedAt } of records)
    for (const { group } of [effects.tier?.puts ?? [], effects.tier?.leaves ?? []].flat())
      changed.set(group, Math.max(changedAt, changed.get(group) ?? changedAt));
  const measured: Measurement[] = [];
  for (const [group, now] of changed) {
    const read = rules.tiers.tiers.map(async (tier) => ({
      tier,
      members: presentOf(await tierMembers.list({ group, tier: tier.name })),
    }));
    measured.push(...measurementsOfGroup(group, await allOf(read), epochMs(now)));
  }
  return measured;
}

/**
 * Returns members of tiers whose lists are read once. All changes of a batch were stored before the batch began,
 * so each list has them.
 */
export function listedOnce(members: TierMembers): TierMembers {
  const once = readOnce();
  return {
    ...members,
    list: (place) => once(JSON.stringify([place.group, place.tier]), () => members.list(place)),
  };
}
