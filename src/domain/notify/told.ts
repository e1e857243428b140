import type { AnyFact } from "../update/events.ts";
import { type DurationMs, durationMs, type EpochMs, minutes, plus, seconds } from "../shared/time.ts";
import { workloadKey } from "../workload/workload.ts";
import type { ChannelForm } from "./filter.ts";
import { isAtLeast, severityOf } from "./words.ts";

/** What one message of a channel is about. A new object with the same name is the same workload. */
export type Subject =
  | { readonly kind: "update"; readonly workload: string; readonly seq: number }
  /** All updates of a push that the channel may show. */
  | { readonly kind: "push"; readonly push: string }
  /** The last update of a workload, whichever it is. */
  | { readonly kind: "workload"; readonly workload: string }
  /** The updates that came during quiet hours, which end then. */
  | { readonly kind: "quiet"; readonly until: EpochMs };

/** Returns the message that a fact about a workload belongs to, or undefined for other facts. */
export function subjectOf(form: Exclude<ChannelForm, "facts">, fact: AnyFact, isAlone = false): Subject | undefined {
  if (!("workload" in fact)) return undefined;
  const { seq, correlationId } = fact;
  const workload = workloadKey(fact.workload);
  if (form === "incidents") return { kind: "workload", workload };
  if (correlationId !== undefined && !isAlone) return { kind: "push", push: correlationId };
  return { kind: "update", workload, seq };
}

/** What a channel was told about a subject. */
export interface ToldMessage {
  readonly channel: string;
  readonly subject: Subject;
  /** The number of writes: the first write stores 1. */
  readonly version: number;
  readonly since: EpochMs;
  /** The next instant at which the message may change. */
  readonly showAt: EpochMs;
  /** The instant at which a delayed command comes to show the subject. Absent if none is sent. */
  readonly wakeAt?: EpochMs;
  /** Until then, one run sends the message. Absent between sendings. */
  readonly claimedUntil?: EpochMs;
  /** The channel's name for its message. Absent before the first one. */
  readonly reference?: string;
  /** The hash of what the message shows. */
  readonly hash?: string;
  /** The number of sendings. */
  readonly shows: number;
  /** The failures that were told on their own: `uid/seq/severity`. */
  readonly failures: readonly string[];
  /** The updates of quiet hours: `seq/workload`. */
  readonly members?: readonly string[];
}

/** The longest time of one sending, with all its tries. */
export const claimFor = seconds(60);

/** The pause before another look at a message that another run sends. */
export const busyPause = seconds(2);

/** The most failures of one message that are told on their own. The message counts the others. */
export const mostFailures = 20;

/** The most updates of quiet hours that are told together. */
export const mostMembers = 100;

/** No message waits longer. A later instant is from a clock that was wrong. */
const longestWait = hours(7 * 24);

/** A delayed command that is so late is taken for lost. */
const lostAfter = minutes(5);

/** The pauses between the changes of a message about many updates, and about one. */
const pauses = { many: [5, 15, 60].map(seconds), one: [seconds(2)] } as const;

/** Returns the pause after a number of sendings. */
export function pauseAfter(shows: number, updates: number): DurationMs {
  const list = updates > 1 ? pauses.many : pauses.one;
  return list[Math.min(shows, list.length) - 1] ?? seconds(2);
}

/** What to do after a fact about a subject, or after a delayed command. */
export type Plan =
  | { readonly kind: "show" }
  /** A delayed command has to come at an instant. */
  | { readonly kind: "wait"; readonly until: EpochMs }
  /** A delayed command comes anyway. */
  | { readonly kind: "scheduled" }
  /** Another run sends the message now. */
  | { readonly kind: "busy" };

/** When a channel tells. */
export interface Pace {
  /** The time in which the first facts of a subject are gathered. */
  readonly gather: DurationMs;
}

/** What asks for a message. */
interface Asking {
  /** True: a person has to know at once. */
  readonly isUrgent: boolean;
  /** True: it is a delayed command. */
  readonly isWake: boolean;
}

/** Returns what to do about a subject. */
export function planOf(told: ToldMessage | undefined, asked: Pace & Asking, now: EpochMs): Plan {
  const { isUrgent, gather } = asked;
  if (isAhead(told?.claimedUntil, claimFor, now)) return { kind: "busy" };
  if (told === undefined)
    return isUrgent || gather === 0 ? { kind: "show" } : { kind: "wait", until: plus(now, gather) };
  if (!isAhead(told.showAt, longestWait, now) || (isUrgent && told.shows === 0)) return { kind: "show" };
  return planUntilShown(told, asked, now);
}

function planUntilShown(told: ToldMessage, { isUrgent, isWake }: Asking, now: EpochMs): Plan {
  const isComing = told.wakeAt !== undefined && plus(told.wakeAt, lostAfter) > now;
  // The delivery of a failure comes itself, because it names the update to look at.
  const comesItself = isWake || (isUrgent && told.failures.length < mostFailures);
  return isComing && !comesItself ? { kind: "scheduled" } : { kind: "wait", until: told.showAt };
}

/** Returns whether an instant is yet to come, and not further ahead than any right clock puts it. */
function isAhead(instant: EpochMs | undefined, most: DurationMs, now: EpochMs): boolean {
  return instant !== undefined && instant > now && instant <= plus(now, most);
}

/** Returns whether a fact is told without gathering, also in quiet hours. */
export function isUrgent(fact: AnyFact): boolean {
  return isAtLeast(severityOf(fact), "error");
}

/** Returns whether a fact waits for the end of quiet hours. */
export function mayWait(fact: AnyFact): boolean {
  return !isAtLeast(severityOf(fact), "warning");
}

/** Returns the first version of a message that waits until an instant. */
export function firstTold(
  { channel, subject }: Pick<ToldMessage, "channel" | "subject">,
  until: EpochMs,
  now: EpochMs,
): ToldMessage {
  return { channel, subject, version: 1, since: now, showAt: until, wakeAt: until, shows: 0, failures: [] };
}

/** The pauses between the tries of one message. The last one repeats. */
const tryPauses = [seconds(5), seconds(30), minutes(2), minutes(10), minutes(30), minutes(60)] as const;

/** The longest delay of a queue of SQS. Longer ones come in several steps, and need no schedule. */
const longestDelay = minutes(15);

/** Returns a delay that a queue can take. */
export function withinDelay(delay: DurationMs): DurationMs {
  return durationMs(Math.min(longestDelay, Math.max(0, delay)));
}

/** Returns the pause before the next try. `attempt` counts the failed tries, from 1. */
export function tryAgainAfter(attempt: number, asked?: DurationMs): DurationMs {
  return asked ?? tryPauses[Math.min(attempt, tryPauses.length) - 1] ?? minutes(60);
}
