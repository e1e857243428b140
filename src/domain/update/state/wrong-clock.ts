import { isObject } from "../../shared/json.ts";
import { type EpochMs, epochMs } from "../../shared/time.ts";
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
  return {
    ...record,
    ...(active === undefined ? {} : { active: earlier(active, changedAt, now) }),
    ...(pending === undefined ? {} : { pending: earlier(pending, changedAt, now) }),
    ...(retry === undefined ? {} : { retry: earlier(retry, changedAt, now) }),
    // A wait for a digest outlasts many versions, so a clock that is behind for a while must not shorten it.
    ...(restored === undefined ? {} : { restored: restored.map((one) => ({ ...one, at: unlessFar(one.at, now) })) }),
    ...(limited === undefined ? {} : { limited: limited.map((one) => ({ ...one, until: unlessFar(one.until, now) })) }),
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

/** The members of updates and pauses with an instant that was in the past when it was stored. */
const pasts: ReadonlySet<string> = new Set(["askedAt", "expiredAt", "patchedAt", "seenAt", "since", "at"]);

/** The members with an instant that was in the future when it was stored. */
const futures: ReadonlySet<string> = new Set(["until", "reselectAt", "deadlineAt", "failsAt", "settlesAt"]);

/** Returns a part of a record, stored at `changedAt` by a clock ahead, by the present clock. */
function earlier<Part>(part: Part, changedAt: EpochMs, now: EpochMs): Part {
  const byMs = changedAt - now;
  const shifted = (name: string, value: unknown): unknown => {
    if (typeof value !== "number") return earlier(value, changedAt, now);
    const at = epochMs(value);
    if (at <= now) return at;
    if (pasts.has(name)) return Math.min(at - byMs, now);
    if (!futures.has(name)) return at;
    // An instant before `changedAt` may be of the time before the jump.
    return at >= changedAt ? at - byMs : unlessFar(at, now);
  };
  if (Array.isArray(part)) return part.map((one: unknown) => earlier(one, changedAt, now)) as Part;
  if (!isObject(part)) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, shifted(name, value)])) as Part;
}
