import { type Reason, retryOf } from "../shared/reasons.ts";
import type { EpochMs } from "../shared/time.ts";
import { isOut, type Outage } from "./outage.ts";

/** The results of the sweeps of a repository. */
export interface SweepResults {
  /** The instant of the last complete sweep. Absent if no sweep was complete. */
  readonly checkedAt?: EpochMs;
  /** The failure of the last sweep. Absent if the last sweep was complete. */
  readonly problem?: SweepProblem;
}

/** The failure of the last sweep of a repository. */
export interface SweepProblem {
  readonly reason: Reason;
  readonly detail: string;
  /** The instant of the first of the sweeps that failed with this reason, without a break. */
  readonly since: EpochMs;
  /** The instant of the last sweep. */
  readonly at: EpochMs;
  /** The end of the pause that the registry requested. Absent if there is no pause. */
  readonly until?: EpochMs;
}

/** Whether the tags of a repository were read. */
export type RepositoryCheck =
  | { readonly kind: "checked"; readonly at: EpochMs }
  | { readonly kind: "not-yet" }
  | {
      readonly kind: "failed";
      /** The instant of the last complete check. Absent if there was no such check. */
      readonly checkedAt?: EpochMs;
      readonly problem: Omit<SweepProblem, "at">;
    };

/**
 * Returns whether the tags of a repository were read.
 *
 * @param evaluatedAt - the instant at which a workload was evaluated, if the repository was not
 *   swept since. Undefined if it was not evaluated.
 */
export function checkOf(
  swept: SweepResults | undefined,
  outage: Outage | undefined,
  evaluatedAt: EpochMs | undefined,
): RepositoryCheck {
  const checkedAt = swept?.checkedAt ?? (swept?.problem === undefined ? evaluatedAt : undefined);
  const before = checkedAt === undefined ? {} : { checkedAt };
  if (isOut(outage)) {
    const { since, detail } = outage;
    return { kind: "failed", ...before, problem: { reason: "registry-unreachable", detail, since } };
  }
  const problem = swept?.problem;
  if (problem !== undefined && !hasEndedSince(outage, problem.reason, problem.at)) {
    const { at: _, ...shown } = problem;
    return { kind: "failed", ...before, problem: shown };
  }
  return checkedAt === undefined ? { kind: "not-yet" } : { kind: "checked", at: checkedAt };
}

/** The reasons that end with the outage of a registry. */
const outageReasons: ReadonlySet<Reason> = new Set(["registry-unreachable", "registry-circuit-open"]);

/** Returns whether a reason ends with the outage of its registry. */
export function endsWithOutage(reason: Reason): boolean {
  return outageReasons.has(reason);
}

/**
 * Returns whether a registry has answered again since it gave no answer at an instant. The next
 * check of the repository follows.
 */
export function hasEndedSince(outage: Outage | undefined, reason: Reason, failedAt: EpochMs): boolean {
  return endsWithOutage(reason) && outage?.endedAt !== undefined && outage.endedAt >= failedAt;
}

/** Returns whether a reason means that the tags of a repository were not read. */
export function isUnread(reason: Reason): boolean {
  return retryOf(reason) === "registry-outage" || reason === "repository-not-found";
}
