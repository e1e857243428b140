import { shortened } from "../shared/shown-text.ts";
import { type EpochMs, hours, plus, seconds } from "../shared/time.ts";

/** The names of facts about registries. A fact starts no command. */
export const registryFactNames = ["RegistryUnreachable", "RegistryRecovered"] as const;
/** One of {@link registryFactNames}. */
export type RegistryFactName = (typeof registryFactNames)[number];

/** The fact that a registry gives no answer, or answers again. */
export interface RegistryFact {
  readonly name: RegistryFactName;
  /** `registry/since/name`: the same fact published twice has the same id. */
  readonly id: string;
  /** The host of the registry. */
  readonly registry: string;
  /** The instant of the first request without an answer. */
  readonly since: EpochMs;
  readonly at: EpochMs;
  /** The cause: the host and the error of the first request without an answer. */
  readonly detail: string;
}

/** Returns whether an event is a fact about a registry. */
export function isRegistryFact(event: { readonly name: string }): event is RegistryFact {
  return registryFactNames.some((name) => name === event.name);
}

/** The stored outage of one registry. `version` is the number of writes: the first write stores 1. */
export interface Outage {
  readonly version: number;
  /** The instant of the first request without an answer. */
  readonly since: EpochMs;
  readonly detail: string;
  /** The instant of the first answer. Absent during the outage. */
  readonly endedAt?: EpochMs;
  /** The instant of the last write that a request caused. */
  readonly storedAt: EpochMs;
  /**
   * The facts that are not published yet. Until `until`, the process that stored this outage
   * publishes them. Afterwards, any process may. Absent if all facts are published.
   */
  readonly untold?: { readonly names: readonly RegistryFactName[]; readonly until: EpochMs };
}

/** What a request that was sent at `askedAt` shows about its registry. */
export type RegistrySign = { readonly askedAt: EpochMs } & (
  { readonly kind: "answer" } | { readonly kind: "no-answer"; readonly detail: string }
);

const longestDetail = 300;

/** The time for the publication of a fact. */
const tellWithin = seconds(30);

/** An outage is stored again after this time, because stored outages expire after a day. */
const storeAgainAfter = hours(12);

/** Returns whether a registry gives no answer. */
export function isOut(outage: Outage | undefined): outage is Outage {
  return outage !== undefined && outage.endedAt === undefined;
}

/**
 * Returns the outage after a request. Returns undefined if the request changes nothing, as a request
 * that was sent before the last change does.
 *
 * The process that stores the returned outage publishes its untold facts.
 */
export function afterSign(outage: Outage | undefined, sign: RegistrySign, now: EpochMs): Outage | undefined {
  if (outage === undefined) return sign.kind === "no-answer" ? begun(sign.detail, 1, now) : undefined;
  const version = outage.version + 1;
  if (!isNews(outage, sign, now)) return storedAgain(outage, now);
  if (sign.kind === "no-answer") return begun(sign.detail, version, now);
  const names: readonly RegistryFactName[] = [...lateFactsOf(outage, now), "RegistryRecovered"];
  return { ...outage, version, endedAt: now, storedAt: now, untold: untold(names, now) };
}

function begun(detail: string, version: number, now: EpochMs): Outage {
  return {
    version,
    since: now,
    detail: shortened(detail, longestDetail),
    storedAt: now,
    untold: untold(["RegistryUnreachable"], now),
  };
}

/** Returns whether a request shows another state than the stored state, and was sent after it. */
function isNews(outage: Outage, { kind, askedAt }: RegistrySign, now: EpochMs): boolean {
  if (isOut(outage) === (kind === "no-answer")) return false;
  const changedAt = outage.endedAt ?? outage.since;
  // A change later than now was stored before the clock was set back.
  return askedAt >= changedAt || changedAt > now;
}

/** Returns an outage with facts that nobody has published in time, or that would expire. */
function storedAgain(outage: Outage, now: EpochMs): Outage | undefined {
  const again = { ...outage, version: outage.version + 1, storedAt: now };
  const late = lateFactsOf(outage, now);
  if (late.length > 0) return { ...again, untold: untold(late, now) };
  // A distance in both directions, because the clock may have been set back.
  return isOut(outage) && Math.abs(now - outage.storedAt) >= storeAgainAfter ? again : undefined;
}

/** Returns the outage after the publication of its facts. */
export function afterTelling({ untold: _, version, ...outage }: Outage): Outage {
  return { ...outage, version: version + 1 };
}

/** Returns the facts of an outage that are not published yet, in their order. */
export function untoldFactsOf(registry: string, { since, endedAt, detail, untold }: Outage): readonly RegistryFact[] {
  return (untold?.names ?? []).map((name) => ({
    name,
    id: [registry, since, name].join("/"),
    registry,
    since,
    at: name === "RegistryRecovered" ? (endedAt ?? since) : since,
    detail,
  }));
}

function untold(names: readonly RegistryFactName[], now: EpochMs): NonNullable<Outage["untold"]> {
  return { names, until: plus(now, tellWithin) };
}

/** Returns the facts whose process has probably ended before it published them. */
function lateFactsOf({ untold }: Outage, now: EpochMs): readonly RegistryFactName[] {
  if (untold === undefined) return [];
  // An end later than `now + tellWithin` was stored before the clock was set back.
  const isLate = now >= untold.until || untold.until > now + tellWithin;
  return isLate ? untold.names : [];
}
