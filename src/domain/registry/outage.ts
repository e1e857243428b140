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
  const version = (outage?.version ?? 0) + 1;
  const changedAt = outage?.endedAt ?? outage?.since ?? now;
  // A change later than now was stored before the clock was set back.
  const isNew = sign.askedAt >= changedAt || changedAt > now;
  if (!isOut(outage) && sign.kind === "no-answer" && isNew)
    return {
      version,
      since: now,
      detail: shortened(sign.detail, longestDetail),
      storedAt: now,
      untold: untold(["RegistryUnreachable"], now),
    };
  if (outage === undefined) return undefined;
  const late = isTellingLate(outage, now) ? (outage.untold?.names ?? []) : [];
  if (isOut(outage) && sign.kind === "answer" && isNew)
    return { ...outage, version, endedAt: now, storedAt: now, untold: untold([...late, "RegistryRecovered"], now) };
  if (late.length > 0) return { ...outage, version, storedAt: now, untold: untold(late, now) };
  // A distance in both directions, because the clock may have been set back.
  const isOld = isOut(outage) && Math.abs(now - outage.storedAt) >= storeAgainAfter;
  return isOld ? { ...outage, version, storedAt: now } : undefined;
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

/** Returns whether the process that should publish the facts has probably ended before. */
function isTellingLate({ untold }: Outage, now: EpochMs): boolean {
  // An end later than `now + tellWithin` was stored before the clock was set back.
  return untold !== undefined && (now >= untold.until || untold.until > now + tellWithin);
}
