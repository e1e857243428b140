import { isObject } from "../../shared/json.ts";
import type { EpochMs } from "../../shared/time.ts";
import { isAhead, isFarAhead } from "../../shared/wrong-clock.ts";
import type { WorkloadRecord } from "./workload.ts";

/**
 * Returns a record whose version was stored by a clock ahead, with its instants by the present clock. So a deadline is as
 * far away as it was, and the record is overdue: the next command stores it again. Other records stay as they are.
 *
 * The place in the queue for a slot stays, because it is a key of the store.
 */
export function byPresentClock(record: WorkloadRecord, now: EpochMs): WorkloadRecord {
  const { changedAt, active, pending, retry, restored, limited, observed, effects } = record;
  if (!isAhead(changedAt, now)) return record;
  const aheadMs = changedAt - now;
  return {
    ...record,
    ...(active === undefined ? {} : { active: earlier(active, aheadMs, now) }),
    ...(pending === undefined ? {} : { pending: earlier(pending, aheadMs, now) }),
    ...(retry === undefined ? {} : { retry: earlier(retry, aheadMs, now) }),
    // A wait for a digest outlasts many versions, so a clock that is behind for a while must not shorten it.
    ...(restored === undefined ? {} : { restored: restored.map((one) => ({ ...one, at: unlessFar(one.at, now) })) }),
    ...(limited === undefined
      ? {}
      : { limited: limited.map((one) => ({ ...one, until: unlessFar(one.until, now) })) }),
    observed: {
      ...observed,
      containers: observed.containers.map((container) =>
        container.seenAt === undefined ? container : { ...container, seenAt: unlessFar(container.seenAt, now) },
      ),
    },
    ...(effects.dueAt === undefined ? {} : { effects: { ...effects, dueAt: now } }),
  };
}

function unlessFar(at: EpochMs, now: EpochMs): EpochMs {
  return isFarAhead(at, now) ? now : at;
}

/** The members of updates and pauses that have an instant on which a decision depends. */
const instants: ReadonlySet<string> = new Set([
  ...["until", "askedAt", "expiredAt", "reselectAt"],
  ...["patchedAt", "deadlineAt", "failsAt", "seenAt", "settlesAt", "since", "at"],
]);

/** Returns a part of a record whose instants in the future are earlier by a time. */
function earlier<Part>(part: Part, byMs: number, now: EpochMs): Part {
  const shifted = (name: string, value: unknown): unknown => {
    if (typeof value !== "number") return earlier(value, byMs, now);
    return instants.has(name) && value > now ? value - byMs : value;
  };
  if (Array.isArray(part)) return part.map((one: unknown) => earlier(one, byMs, now)) as Part;
  if (!isObject(part)) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, shifted(name, value)])) as Part;
}
