import { sha256 } from "../shared/sha256.ts";
import { type EpochMs, seconds } from "../shared/time.ts";

/**
 * The namespaces that share the tokens of a registry while tokens are short. The line is stored with
 * the tokens, so all processes share it.
 */
export interface Line {
  /** The last instant at which tokens were short. */
  readonly at: EpochMs;
  /** The instant at which the uses were counted. */
  readonly countedAt: EpochMs;
  /** By a short hash of the namespace. */
  readonly takers: Readonly<Record<string, Taker>>;
}

/** The use of a registry by one namespace. */
export interface Taker {
  /** The number of tokens. After {@link halfLife} a token counts half. */
  readonly used: number;
  /** The instant since which the namespace waits, or at which it got its last token. */
  readonly waitsSince: EpochMs;
}

/** A line ends when there were enough tokens for this time. */
const endsAfter = seconds(30);
/** The time after which a use counts half, so that a new namespace has no advantage for long. */
const halfLife = seconds(5);
/** A namespace that has not asked again for this time does not wait any more. */
const givesUpAfter = seconds(5);
/** The maximum number of namespaces in a line, so that the stored line stays small. */
const mostTakers = 60;

/** Returns a line that has not ended. */
export function activeLine(line: Line | undefined, now: EpochMs): Line | undefined {
  return line !== undefined && Math.abs(now - line.at) < endsAfter ? line : undefined;
}

/**
 * Returns the names in a line of the namespaces that pay for a request. If none pays, the request has
 * a place of its own.
 *
 * @param payers - `cluster/namespace` of each.
 */
export function takersOf(payers: readonly string[]): readonly string[] {
  return payers.length === 0 ? ["-"] : payers.map((payer) => `n${sha256(payer).slice(0, 8)}`);
}

/** Returns the place of a request in a line: the namespace among its payers that has used least. */
export function takerOf(line: Line | undefined, payers: readonly string[]): string {
  const [first = "-", ...others] = takersOf(payers);
  const used = (taker: string): number => line?.takers[taker]?.used ?? 0;
  return others.reduce((least, taker) => (used(taker) < used(least) ? taker : least), first);
}

/** Returns the number of other namespaces that wait in a line. */
export function othersWaiting(line: Line | undefined, taker: string, now: EpochMs): number {
  return waiting(line, taker, now).length;
}

/** Returns the number of other namespaces that get a token before this one. */
export function aheadOf(line: Line | undefined, taker: string, now: EpochMs): number {
  const own = line?.takers[taker] ?? { used: 0, waitsSince: now };
  return waiting(line, taker, now).filter(
    ({ used, waitsSince }) => used < own.used || (used === own.used && waitsSince < own.waitsSince),
  ).length;
}

function waiting(line: Line | undefined, besides: string, now: EpochMs): readonly Taker[] {
  return Object.entries(line?.takers ?? {}).flatMap(([name, taker]) =>
    name !== besides && Math.abs(now - taker.waitsSince) < givesUpAfter ? [taker] : [],
  );
}

/** Returns the line in which a namespace waits, or undefined if it waits there already. */
export function joined(line: Line | undefined, taker: string, now: EpochMs): Line | undefined {
  const { used = 0, waitsSince } = line?.takers[taker] ?? {};
  if (waitsSince !== undefined && Math.abs(now - waitsSince) < givesUpAfter / 2) return undefined;
  return withTaker({ takers: {}, countedAt: now, ...line, at: now }, taker, { used, waitsSince: now }, now);
}

/**
 * Returns the line after a namespace got tokens. It usually asks again at once, and then needs no
 * other write to wait.
 *
 * @param isShort - true if no token is left for another request.
 */
export function served(line: Line, taker: string, tokens: number, isShort: boolean, now: EpochMs): Line {
  const used = (line.takers[taker]?.used ?? 0) + tokens;
  return withTaker({ ...line, at: isShort ? now : line.at }, taker, { used, waitsSince: now }, now);
}

function withTaker(line: Line, taker: string, entry: Taker, now: EpochMs): Line {
  const part = 0.5 ** (Math.max(0, now - line.countedAt) / halfLife);
  const all = Object.entries({ ...line.takers, [taker]: entry }).map(
    ([name, one]) => [name, { ...one, used: Math.round(one.used * part * 100) / 100 }] as const,
  );
  // Of too many, those that have asked last stay.
  const kept = all.toSorted(([, one], [, other]) => other.waitsSince - one.waitsSince).slice(0, mostTakers);
  return { at: line.at, countedAt: now, takers: Object.fromEntries(kept) };
}
