import { deepEqual } from "../shared/deep-equal.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";
import type { DefinitionObject } from "./definition.ts";
import { isObject } from "../shared/json.ts";
import { shortened } from "../shared/shown-text.ts";
import { type EpochMs, toIso } from "../shared/time.ts";

/** A condition of an object, before it is written. `reason` is in camel case: `TierPending`. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** A condition of an object, as the Kubernetes API has it. */
export interface WrittenCondition extends Condition {
  readonly lastTransitionTime: string;
  readonly observedGeneration: number;
}

/** The API takes at most 32,768 characters; a person reads fewer. */
const longestMessage = 1_000;

/** Returns conditions for a generation. One whose status stays keeps its time. */
export function writtenConditions(
  conditions: readonly Condition[],
  before: unknown,
  generation: number,
  now: EpochMs,
): readonly WrittenCondition[] {
  const known = Array.isArray(before) ? before.filter(isObject) : [];
  return conditions.map((condition) => {
    const old = known.find(({ type }) => type === condition.type);
    const stays = old?.["status"] === condition.status && typeof old["lastTransitionTime"] === "string";
    return {
      ...condition,
      message: shortened(condition.message, longestMessage),
      lastTransitionTime: stays ? String(old["lastTransitionTime"]) : apiTime(now),
      observedGeneration: generation,
    };
  });
}

/**
 * Returns a new status with these conditions and further members. Undefined if it says the same as the present one.
 *
 * `more` has further members. The time of the last write does not count as a difference.
 */
export function statusWith(
  { status, generation }: Pick<DefinitionObject, "status" | "generation">,
  conditions: readonly Condition[],
  now: EpochMs,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> | undefined {
  const before = isObject(status) ? status : {};
  const written = writtenConditions(conditions, before["conditions"], generation, now);
  const next = withoutUndefined({ observedGeneration: generation, conditions: written, ...more });
  const { lastCheckedTime: _, ...rest } = before;
  return deepEqual(rest, next) ? undefined : next;
}

/** Returns an instant as the Kubernetes API writes it, in whole seconds. */
export function apiTime(at: EpochMs): string {
  return `${toIso(at).slice(0, 19)}Z`;
}

/** Returns a word of Lookout as a reason of a condition: `tier-pending` is `TierPending`. */
export function conditionReason(word: string): string {
  return word
    .split("-")
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join("");
}
