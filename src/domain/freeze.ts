import { ok, problem, type Result } from "./result.ts";
import { type EpochMs, hours, plus } from "./time.ts";
import type { WorkloadName } from "./workload.ts";

/** What a freeze covers: the whole fleet, one cluster, or one namespace of one cluster. */
export interface FreezeScope {
  /** Absent: every cluster. */
  readonly cluster?: string;
  /** Absent: every namespace of the cluster. */
  readonly namespace?: string;
}

/** A person's word that nothing is updated for now; rollbacks go on. */
export interface Freeze {
  readonly scope: FreezeScope;
  readonly by: string;
  readonly why: string;
  readonly at: EpochMs;
  /** When it ends by itself; absent: when someone lifts it. */
  readonly until?: EpochMs;
}

/** The text of a scope that covers the whole fleet; no cluster can have that name. */
export const fleet = "*";

/** Writes a scope as one text: `*`, `prod`, `prod/shop`. {@link parseFreezeScope} reads it back. */
export function freezeScopeText({ cluster, namespace }: FreezeScope): string {
  return namespace === undefined ? (cluster ?? fleet) : `${cluster ?? fleet}/${namespace}`;
}

/** Reads the text that {@link freezeScopeText} writes; anything else is a problem that shows the text. */
export function parseFreezeScope(text: string): Result<FreezeScope, string> {
  if (text === fleet) return ok({});
  const [, cluster, namespace] = scopePattern.exec(text) ?? [];
  if (cluster === undefined) return problem(`"${text}" is no scope: expected CLUSTER, CLUSTER/NAMESPACE, or ${fleet}`);
  return ok(namespace === undefined ? { cluster } : { cluster, namespace });
}

const scopePattern = /^([a-z0-9](?:[-.a-z0-9]*[a-z0-9])?)(?:\/([a-z0-9](?:[-a-z0-9]*[a-z0-9])?))?$/;

/** The furthest end that a freeze may be given: beyond it somebody mistyped, or means one without an end. */
const furthestEnd = hours(366 * 24);

/** Says, behind the end itself, why a freeze that begins now can't have it; undefined when it can. */
export function endProblem(until: EpochMs, now: EpochMs): string | undefined {
  if (until <= now) return "is past";
  if (until <= plus(now, furthestEnd)) return undefined;
  return "is more than a year ahead: leave the end out, and the freeze holds until it is lifted";
}

/** Says whether a scope covers a workload, or all of another scope. */
export function covers({ cluster, namespace }: FreezeScope, covered: FreezeScope): boolean {
  if (cluster !== undefined && cluster !== covered.cluster) return false;
  return namespace === undefined || namespace === covered.namespace;
}

/** Picks the freezes that hold a workload at an instant, in the order given; one whose end has come holds nothing. */
export function freezesOn(freezes: readonly Freeze[], workload: WorkloadName, now: EpochMs): readonly Freeze[] {
  return freezes.filter(({ scope, until }) => covers(scope, workload) && (until === undefined || until > now));
}
