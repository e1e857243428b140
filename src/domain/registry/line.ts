import { sha256 } from "../shared/sha256.ts";
import { type EpochMs, seconds } from "../shared/time.ts";

/**
 * The namespaces that share the tokens of a registry while tokens are short. The line is stored with
 * the tokens, so all processes share it.
 */
export interface Line {
  /** The last instant at which a namespace had to wait. */
  readonly at: EpochMs;
  /** By a short hash of the namespace. */
  readonly takers: Readonly<Record<string, Taker>>;
}

interface Taker {
  /** The number of tokens since the line began. */
  readonly used: number;
  /** The instant since which the namespace waits. Absent if it does not wait. */
  readonly waitsSince?: EpochMs;
}

/** A line ends when nobody has waited for this time. */
const endsAfter = seconds(60);
/** A namespace that has not asked again for this time does not wait any more. */
const givesUpAfter = seconds(10);
/** The maximum number of namespaces in a line, so that the stored line stays small. */
const mostTakers = 40;

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
  return payers.length === 0 ? ["-"] : payers.map((payer) => sha256(payer).slice(0, 8));
}

/** Returns the place of a request in a line: the namespace among its payers that has used least. */
export function takerOf(line: Line | undefined, payers: readonly string[]): string {
  const [first = "-", ...others] = takersOf(payers);
  const used = (taker: string): number => line?.takers[taker]?.used ?? 0;
  return others.reduce((least, taker) => (used(taker) < used(least) ? taker : least), first);
}

/** Returns the number of namespaces in a line, with this one. */
export function takersWith(line: Line | undefined, taker: string): number {
  return new Set([taker, ...Object.keys(line?.takers ?? {})]).size;
}

/** Returns the number of other namespaces that get a token before this one. */
export function aheadOf(line: Line | undefined, taker: string, now: EpochMs): number {
  const takers = line?.takers ?? {};
  const own = takers[taker] ?? { used: 0 };
  const ownSince = own.waitsSince ?? now;
  return Object.entries(takers).filter(([other, { used, waitsSince }]) => {
    if (other === taker || waitsSince === undefined || Math.abs(now - waitsSince) >= givesUpAfter) return false;
    return used < own.used || (used === own.used && waitsSince < ownSince);
  }).length;
}

/** Returns the line in which a namespace waits, or undefined if it waits there already. */
export function joined(line: Line | undefined, taker: string, now: EpochMs): Line | undefined {
  const { used = 0, waitsSince } = line?.takers[taker] ?? {};
  if (waitsSince !== undefined && Math.abs(now - waitsSince) < givesUpAfter / 2) return undefined;
  return withTaker(line, taker, { used, waitsSince: now }, now);
}

/** Returns the line after a namespace got tokens. */
export function served(line: Line, taker: string, tokens: number): Line {
  return withTaker(line, taker, { used: (line.takers[taker]?.used ?? 0) + tokens }, line.at);
}

function withTaker(line: Line | undefined, taker: string, entry: Taker, at: EpochMs): Line {
  const { [taker]: _, ...others } = line?.takers ?? {};
  const kept = Object.entries(others).slice(1 - mostTakers);
  return { at, takers: Object.fromEntries([...kept, [taker, entry]]) };
}
