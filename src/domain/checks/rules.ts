import { coversPlace, type Place } from "../workload/namespace-pattern.ts";

/** The times at which a check is asked: before the release of an update, or after its pods run. */
export const checkTimes = ["release", "bake"] as const;
/** One of {@link checkTimes}. */
export type CheckTime = (typeof checkTimes)[number];

/** A check of `lookout.yaml`: a program of the owner that answers whether an update may go on. */
export interface CheckRule {
  readonly name: string;
  readonly when: CheckTime;
  /** The namespaces whose workloads have the check: `NAMESPACE` or `CLUSTER/NAMESPACE`. */
  readonly namespaces: readonly string[];
}

/** The checks of a workload. */
export interface ChecksOfWorkload {
  /** In the order of `lookout.yaml`. */
  readonly checks: readonly CheckRule[];
  /** The names in the annotation that `lookout.yaml` lacks. */
  readonly unknown: readonly string[];
}

/**
 * Returns the checks of a workload: those of its namespace, and those that its annotation names.
 *
 * An annotation names only checks that no namespaces have. Another namespace would otherwise ask a check first, and
 * its answer would count.
 */
export function checksOf(rules: readonly CheckRule[], place: Place, named: readonly string[]): ChecksOfWorkload {
  return {
    checks: rules.filter((rule) => isAt(rule, place) || (named.includes(rule.name) && rule.namespaces.length === 0)),
    unknown: [...new Set(named)].filter(
      (name) => !rules.some((rule) => rule.name === name && (rule.namespaces.length === 0 || isAt(rule, place))),
    ),
  };
}

function isAt({ namespaces }: CheckRule, place: Place): boolean {
  return namespaces.some((pattern) => coversPlace(pattern, place));
}

/** Returns the checks that are asked at one time. */
export function checksAt(time: CheckTime, { checks }: ChecksOfWorkload): readonly CheckRule[] {
  return checks.filter(({ when }) => when === time);
}
