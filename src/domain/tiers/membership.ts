import { annotationPrefix } from "../annotations/written-settings.ts";
import { placeOf } from "../shared/jitter.ts";
import { didYouMean, nearest } from "../shared/nearest.ts";
import { sha256 } from "../shared/sha256.ts";
import { printableText, shortened } from "../shared/shown-text.ts";
import { coversPlace, matchesName } from "../workload/namespace-pattern.ts";
import type { WorkloadName } from "../workload/workload.ts";
import { declaredPlaceIn, earlierTiers } from "./declared-tiers.ts";
import { tierNamePattern } from "./name.ts";
import type { Tier, TierRules } from "./rules.ts";

/** A workload, as rules of tiers see it. */
export interface PlacedWorkload {
  readonly workload: WorkloadName;
  readonly uid: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

/** The place of a workload among the tiers. */
export type Membership =
  /** `lookout.yaml` has no tiers, and the workload names none. */
  | { readonly kind: "none" }
  /** `index`: the place of the tier in the order of updates, from 0. */
  | { readonly kind: "member"; readonly group: string; readonly tier: string; readonly index: number }
  /** The workload names a tier or a group that can't be. */
  | { readonly kind: "unknown-tier"; readonly detail: string };

const tierKey = `${annotationPrefix}tier`;
const groupKey = `${annotationPrefix}tier-group`;

/** Returns the place of a workload among the tiers. */
export function membershipOf(placed: PlacedWorkload, rules: TierRules): Membership {
  const declared = declaredPlaceIn(placed.annotations);
  if (declared !== undefined) {
    const { group, tier } = declared;
    return { kind: "member", group, tier, index: earlierTiers(declared) };
  }
  const { tiers } = rules;
  const named = namedTier(placed, rules);
  if (tiers.length === 0)
    return named?.by === tierKey
      ? { kind: "unknown-tier", detail: `${tierKey} is ${shown(named.tier)}, and lookout.yaml names no tiers` }
      : { kind: "none" };
  const group = groupOf(placed, rules);
  if (!group.ok) return { kind: "unknown-tier", detail: group.detail };
  const tier = named?.tier ?? assignedTier(placed, rules).name;
  const index = tiers.findIndex(({ name }) => name === tier);
  if (index >= 0) return { kind: "member", group: group.name, tier, index };
  const known = tiers.map(({ name }) => name);
  const hint = didYouMean(nearest(tier, known));
  const detail = `${named?.by ?? tierKey} is ${shown(tier)}; the tiers of lookout.yaml are ${known.join(", ")}${hint}`;
  return { kind: "unknown-tier", detail };
}

/** The place of a workload before it exists. */
export type PlannedPlace =
  | Exclude<Membership, { readonly kind: "member" }>
  | {
      readonly kind: "member";
      readonly group: string;
      readonly tier: string;
      /** The tiers that may take the workload as a part of their share. */
      readonly shares: readonly Tier[];
    };

/** Returns the place of a workload that has no uid yet, so that a share may still take it. */
export function plannedPlace(placed: Omit<PlacedWorkload, "uid">, rules: TierRules): PlannedPlace {
  const membership = membershipOf({ ...placed, uid: "" }, rules);
  if (membership.kind !== "member") return membership;
  const { group } = membership;
  if (namedTier({ ...placed, uid: "" }, rules) !== undefined) return { ...membership, shares: [] };
  const tier = tierOfPlace(placed.workload, rules);
  return { kind: "member", group, tier: tier.name, shares: sharesBefore(tier, rules.tiers) };
}

/** Returns the tier that an annotation or a label of the workload names. Undefined without one. */
function namedTier(
  { annotations, labels }: PlacedWorkload,
  { tierLabel }: TierRules,
): { readonly tier: string; readonly by: string } | undefined {
  const annotated = annotations[tierKey]?.trim();
  if (annotated !== undefined) return { tier: annotated, by: tierKey };
  const labelled = valueOf(labels, tierLabel);
  return labelled === undefined ? undefined : { tier: labelled, by: `label ${tierLabel ?? ""}` };
}

/** Returns the tier of a workload whose namespace, cluster and share decide. */
function assignedTier({ workload, uid }: PlacedWorkload, rules: TierRules): Tier {
  const assigned = tierOfPlace(workload, rules);
  const shares = sharesBefore(assigned, rules.tiers);
  if (shares.length === 0) return assigned;
  // Without the SHA-256, all members of a small share would have one place in their windows and slots.
  const share = placeOf(sha256(`tier ${uid}`)) * 100;
  let taken = 0;
  for (const tier of shares) {
    taken += tier.percent ?? 0;
    if (share < taken) return tier;
  }
  return assigned;
}

/** Returns the tier of a namespace, else of its cluster, else the last one. */
function tierOfPlace({ cluster, namespace }: Pick<WorkloadName, "cluster" | "namespace">, rules: TierRules): Tier {
  const byNamespace = rules.tiers.find(({ namespaces }) =>
    namespaces.some((pattern) => coversPlace(pattern, { cluster, namespace })),
  );
  return byNamespace ?? tierOfCluster(cluster, rules);
}

function tierOfCluster(cluster: string, { tiers, clusters }: TierRules): Tier {
  const named = clusters.find(({ name }) => name === cluster)?.tier;
  const last = tiers.at(-1);
  if (last === undefined) throw new Error("the rules have no tier");
  return tiers.find(({ name }) => name === named) ?? last;
}

/** Returns the tiers that take shares of a tier, in their order. They are directly before it. */
function sharesBefore(tier: Tier, tiers: readonly Tier[]): readonly Tier[] {
  if (tier.percent !== undefined) return [];
  const before = tiers.slice(0, tiers.indexOf(tier));
  const others = before.findLastIndex(({ percent }) => percent === undefined);
  return before.slice(others + 1);
}

type Group = { readonly ok: true; readonly name: string } | { readonly ok: false; readonly detail: string };

/** Returns the group of a workload: by default the workloads of its name and namespace in all clusters. */
function groupOf({ workload, annotations, labels }: PlacedWorkload, { tierGroupLabel }: TierRules): Group {
  const annotated = annotations[groupKey]?.trim();
  const name = annotated ?? valueOf(labels, tierGroupLabel);
  if (name === undefined) return { ok: true, name: `${workload.namespace}/${workload.name}` };
  if (tierNamePattern.test(name)) return { ok: true, name };
  const by = annotated === undefined ? `label ${tierGroupLabel ?? ""}` : groupKey;
  const expected = "expected letters, digits, dashes, dots and underscores, at most 63 characters";
  return { ok: false, detail: `${by} is ${shown(name)}; ${expected}` };
}

/** Returns the value of a label. Undefined if it is absent or empty. */
function valueOf(labels: PlacedWorkload["labels"], key: string | undefined): string | undefined {
  const value = key !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  return value === "" ? undefined : value;
}

function shown(text: string): string {
  return `"${printableText(shortened(text, 80))}"`;
}

/** Returns the keys of the labels that decide about tiers, which records must keep. */
export function labelsOfTiers({ tierLabel, tierGroupLabel }: TierRules): readonly string[] {
  return [tierLabel, tierGroupLabel].flatMap((key) => key ?? []);
}

/**
 * Returns whether the rules give a cluster members of a tier. Annotations and labels may give it others, which
 * become known as workloads that appear later do.
 */
export function mayHaveMembers(cluster: string, tier: string, rules: TierRules): boolean {
  const places = rules.tiers.filter(({ namespaces }) =>
    namespaces.some((pattern) => {
      const slash = pattern.indexOf("/");
      return slash < 0 || matchesName(pattern.slice(0, slash), cluster);
    }),
  );
  const given = [...places, tierOfCluster(cluster, rules)];
  return given.flatMap((one) => [one, ...sharesBefore(one, rules.tiers)]).some(({ name }) => name === tier);
}

/** Returns a text that differs for rules that place workloads otherwise. */
export function fingerprintOf({ tiers, tierLabel, tierGroupLabel, clusters }: TierRules): string {
  const placing = tiers.map(({ name, percent, namespaces }) => [name, percent ?? 0, namespaces]);
  const ofClusters = clusters.flatMap(({ name, tier }) => (tier === undefined ? [] : [`${name} ${tier}`])).toSorted();
  return sha256(JSON.stringify([placing, tierLabel ?? "", tierGroupLabel ?? "", ofClusters])).slice(0, 16);
}
