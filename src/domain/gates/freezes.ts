import { ok, problem, type Result } from "../shared/result.ts";
import { compareTexts } from "../shared/text-order.ts";
import { type EpochMs, hours, plus } from "../shared/time.ts";
import { type MaintenanceWindow, windowState } from "../schedule/window.ts";
import type { WorkloadName } from "../workload/workload.ts";

/** The scope of a freeze: the fleet, one cluster, or one namespace of one cluster. */
export interface FreezeScope {
  /** The frozen cluster. The default is every cluster. */
  readonly cluster?: string;
  /** The frozen namespace. The default is every namespace of the cluster. */
  readonly namespace?: string;
}

/** A user's stop of all updates. Rollbacks continue. */
export interface Freeze {
  readonly scope: FreezeScope;
  readonly by: string;
  readonly why: string;
  readonly at: EpochMs;
  /** The end of the freeze. Absent if the freeze lasts until a user ends it. */
  readonly until?: EpochMs;
}

/**
 * A freeze of `lookout.yaml`, in effect during each of its windows. No command ends a planned
 * freeze.
 */
export interface PlannedFreeze {
  readonly name: string;
  readonly scope: FreezeScope;
  readonly why: string;
  /** At least one window. Each window denies updates. */
  readonly windows: readonly MaintenanceWindow[];
}

/** The freezes of users, and the freezes of `lookout.yaml`. */
export interface AllFreezes {
  readonly freezes: readonly Freeze[];
  readonly plannedFreezes: readonly PlannedFreeze[];
}

/** A freeze in effect. A freeze of `lookout.yaml` has its name in `planned`, and no start. */
export type HoldingFreeze = Omit<Freeze, "at"> & ({ readonly at: EpochMs } | { readonly planned: string });

/** The text of the scope of the whole fleet. No cluster can have that name. */
export const fleet = "*";

/** Returns a scope as text: `*`, `prod`, `prod/shop`. {@link parseFreezeScope} parses the text. */
export function freezeScopeText({ cluster, namespace }: FreezeScope): string {
  return namespace === undefined ? (cluster ?? fleet) : `${cluster ?? fleet}/${namespace}`;
}

/** Parses the text of {@link freezeScopeText}. For any other text, the problem quotes the text. */
export function parseFreezeScope(text: string): Result<FreezeScope, string> {
  if (text === fleet) return ok({});
  const [, cluster, namespace] = scopePattern.exec(text) ?? [];
  if (cluster === undefined)
    return problem(`"${text}" is not a scope: expected CLUSTER, CLUSTER/NAMESPACE, or ${fleet}`);
  return ok(namespace === undefined ? { cluster } : { cluster, namespace });
}

const scopePattern = /^([a-z0-9](?:[-.a-z0-9]*[a-z0-9])?)(?:\/([a-z0-9](?:[-a-z0-9]*[a-z0-9])?))?$/;

/** The furthest end of a freeze. A later end is probably a mistake. */
const furthestEnd = hours(366 * 24);

/**
 * Returns why a freeze that begins now can't end at an instant, or undefined if it can. In a
 * sentence, the text follows the instant.
 */
export function endProblem(until: EpochMs, now: EpochMs): string | undefined {
  if (until <= now) return "is in the past";
  if (until <= plus(now, furthestEnd)) return undefined;
  return "is more than a year ahead. Without an end, the freeze lasts until a user lifts it";
}

/** Returns whether a scope covers a workload or another scope. */
export function covers({ cluster, namespace }: FreezeScope, covered: FreezeScope): boolean {
  if (cluster !== undefined && cluster !== covered.cluster) return false;
  return namespace === undefined || namespace === covered.namespace;
}

/** Returns the freezes in effect at an instant, sorted by the text of their scope. */
export function freezesAt({ freezes, plannedFreezes }: AllFreezes, now: EpochMs): readonly HoldingFreeze[] {
  const said = freezes.filter(({ until }) => until === undefined || until > now);
  const planned = plannedFreezes.flatMap((freeze) => holdingOf(freeze, now));
  return [...said, ...planned].sort((one, other) =>
    compareTexts(freezeScopeText(one.scope), freezeScopeText(other.scope)),
  );
}

function holdingOf({ name, scope, why, windows }: PlannedFreeze, now: EpochMs): readonly HoldingFreeze[] {
  const { open, nextChange } = windowState(windows, now);
  if (open) return [];
  const { at: until } = nextChange();
  const end = until === undefined ? {} : { until };
  return [{ scope, why, by: `${name} of lookout.yaml`, planned: name, ...end }];
}

/** Returns the freezes in effect that cover a workload. */
export function freezesOn(all: AllFreezes, workload: WorkloadName, now: EpochMs): readonly HoldingFreeze[] {
  return freezesAt(all, now).filter(({ scope }) => covers(scope, workload));
}

/**
 * Returns the next start and end of a planned freeze that is not in effect, or undefined if the
 * freeze never starts again.
 */
export function nextHolding(
  { windows }: PlannedFreeze,
  now: EpochMs,
): { readonly from: EpochMs; readonly until?: EpochMs } | undefined {
  const state = windowState(windows, now);
  const { at: from } = state.nextChange();
  if (!state.open || from === undefined) return undefined;
  const { at: until } = windowState(windows, from).nextChange();
  return until === undefined ? { from } : { from, until };
}
