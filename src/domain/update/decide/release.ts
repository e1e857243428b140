import type { EpochMs } from "../../shared/time.ts";
import type { Asker } from "../../approval/asker.ts";
import { actionOf } from "../state/action.ts";
import type { Decision } from "../state/changes.ts";
import type { WorkloadRecord } from "../state/workload.ts";

/**
 * Releases an update that Lookout found while it observed, and every digest that Lookout found
 * before it on this workload. Its gates are asked again now, and other
 * gates may still hold it. Returns undefined if the record has no such update.
 */
export function releaseObserved({ pending }: WorkloadRecord, asker: Asker, now: EpochMs): Decision | undefined {
  if (pending?.observed !== true) return undefined;
  const { observed: _, ...released } = pending;
  const waits = released.waits.map((wait) => (wait.reason === "observe" ? { ...wait, until: now } : wait));
  const { seq, changes } = released;
  return {
    changes: { pending: { ...released, waits }, unreleased: undefined },
    transitions: [
      {
        ...{ seq, what: "unblocked", reasons: [], changes },
        detail: `released past observe; by ${asker.by}`,
        action: actionOf("release", asker),
      },
    ],
  };
}
