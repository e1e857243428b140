import { ok, problem, type Result } from "../shared/result.ts";
import { compareTexts } from "../shared/text-order.ts";
import { type EpochMs, hours, plus } from "../shared/time.ts";
import { type MaintenanceWindow, windowState } from "../schedule/window.ts";
import type { WorkloadName } from "../workload/workload.ts";

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

/** A freeze that `lookout.yaml` plans: it holds while one of its windows is open, and no command lifts it. */
export interface PlannedFreeze {
  readonly name: string;
  readonly scope: FreezeScope;
  readonly why: string;
  /** At least one, and all of them deny. */
  readonly windows: readonly MaintenanceWindow[];
}

/** All freezes, whatever they cover: those that people said, and those that are planned. */
export interface AllFreezes {
  readonly freezes: readonly Freeze[];
  readonly plannedFreezes: readonly PlannedFreeze[];
}

/** A freeze that holds what it covers; `planned` is the name of one of `lookout.yaml`, of which nobody asks since when. */
export type HoldingFreeze = Omit<Freeze, "at"> & ({ readonly at: EpochMs } | { readonly planned: string });

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

/** Picks the freezes that hold something at an instant, sorted by the text of their scope; one whose end has come holds nothing. */
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

/** Picks those of {@link freezesAt} that cover a workload. */
export function freezesOn(all: AllFreezes, workload: WorkloadName, now: EpochMs): readonly HoldingFreeze[] {
  return freezesAt(all, now).filter(({ scope }) => covers(scope, workload));
}

/** When a planned freeze that holds nothing now holds next, and until when; nothing when it never does again. */
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
