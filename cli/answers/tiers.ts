import type { WrittenWorkload } from "#contracts/kubernetes/workload-object";
import { annotationPrefix } from "#domain/annotations/written-settings";
import { type PlannedPlace, plannedPlace } from "#domain/tiers/membership";
import type { TierRules } from "#domain/tiers/rules";
import type { ProblemAnswer } from "./problem.ts";

/** The tiers of a `lookout.yaml`, and the clusters in which a manifest may be applied. */
export interface KnownTiers {
  readonly rules: TierRules;
  readonly clusters: readonly string[];
}

/** The place of a manifest among the tiers of some clusters. */
export interface PlaceAnswer {
  /** The clusters in which the place is the same. */
  readonly clusters: readonly string[];
  readonly tier: string;
  readonly group: string;
  /** The tiers that may take the workload as a part of their share of its tier. */
  readonly shares: readonly { readonly tier: string; readonly percent: number }[];
}

export interface TiersAnswer {
  readonly places: readonly PlaceAnswer[];
  readonly problems: readonly ProblemAnswer[];
}

const tierKey = `${annotationPrefix}tier`;
const keys = [tierKey, `${annotationPrefix}tier-group`];

/** Returns the place of a manifest in each cluster, and what is wrong with the tier that it names. */
export function tiersOf(object: WrittenWorkload, { rules, clusters }: KnownTiers): TiersAnswer {
  const { kind, namespace = "default", name = "", annotations, labels } = object;
  // A file without clusters may get one from a flag.
  const planned = (clusters.length === 0 ? ["default"] : clusters).map((cluster) => {
    const place = plannedPlace({ workload: { cluster, namespace, kind, name }, annotations, labels }, rules);
    return { cluster, place };
  });
  const problems = new Set(planned.flatMap(({ place }) => (place.kind === "unknown-tier" ? [place.detail] : [])));
  const members = planned.flatMap(({ cluster, place }) => (place.kind === "member" ? [{ cluster, place }] : []));
  const same = Map.groupBy(members, ({ place }) => JSON.stringify(place));
  return {
    places: [...same.values()].flatMap((those) => {
      const [first] = those;
      return first === undefined ? [] : [placeAnswer(first.place, clusters.length === 0 ? [] : those.map(clusterOf))];
    }),
    problems: [...problems].map((message) => problemAnswer(message, annotations)),
  };
}

function clusterOf({ cluster }: { readonly cluster: string }): string {
  return cluster;
}

function placeAnswer(
  { tier, group, shares }: Extract<PlannedPlace, { kind: "member" }>,
  clusters: readonly string[],
): PlaceAnswer {
  const taken = shares.map(({ name, percent = 0 }) => ({ tier: name, percent }));
  return { clusters, tier, group, shares: taken };
}

function problemAnswer(message: string, annotations: WrittenWorkload["annotations"]): ProblemAnswer {
  const annotation = keys.find((key) => message.startsWith(`${key} `));
  return { annotation: annotation ?? null, value: annotations[annotation ?? ""] ?? "", message };
}

/** Returns a notice if a workload names a tier, which is not checked without a `lookout.yaml`. */
export function uncheckedTiers({ annotations }: Pick<WrittenWorkload, "annotations">): readonly ProblemAnswer[] {
  const value = annotations[tierKey];
  if (value === undefined) return [];
  const message = `the tier ${value} is not checked here: add --config lookout.yaml`;
  return [{ annotation: tierKey, value, message }];
}
