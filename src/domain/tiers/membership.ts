import type { WorkloadName } from "../workload/workload.ts";
import type { TierRules } from "./rules.ts";

export type Membership =
  | { readonly kind: "none" }
  | { readonly kind: "member"; readonly group: string; readonly tier: string; readonly index: number }
  | { readonly kind: "unknown-tier"; readonly detail: string };
export interface Placed {
  readonly workload: WorkloadName;
  readonly uid: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}
export function membershipOf(one: Placed, rules: TierRules): Membership {
  if (rules.tiers.length === 0) return { kind: "none" };
  const named =
    one.annotations["lookout.dev/tier"] ?? rules.clusters.find(({ name }) => name === one.workload.cluster)?.tier;
  const tier = named ?? rules.tiers.at(-1)?.name ?? "";
  const index = rules.tiers.findIndex(({ name }) => name === tier);
  const group = one.annotations["lookout.dev/tier-group"] ?? `${one.workload.namespace}/${one.workload.name}`;
  return index < 0 ? { kind: "unknown-tier", detail: tier } : { kind: "member", group, tier, index };
}
export function fingerprintOf(rules: TierRules): string {
  return JSON.stringify(rules);
}
export function mayHaveMembers(cluster: string, tier: string, rules: TierRules): boolean {
  return (rules.clusters.find(({ name }) => name === cluster)?.tier ?? rules.tiers.at(-1)?.name) === tier;
}
