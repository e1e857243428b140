import { epochMs, type EpochMs, plus, seconds } from "../shared/time.ts";
import { activeLine, aheadOf, joined, type Line, othersWaiting, served, takerOf } from "./line.ts";
import type { RateLimiting } from "./rules.ts";

/** The stored allowance of one registry: a bucket of tokens, one for each request. */
export interface RegistryLimit {
  /** The number of times that this allowance was stored. The first write stores 1. */
  readonly version: number;
  /** The instant at which the bucket was empty. The bucket fills from then on. */
  readonly emptyAt: EpochMs;
  /** The namespaces that share the tokens. Absent as long as there are enough tokens. */
  readonly line?: Line;
}

/** The answer to a process that asks for tokens. */
export type Lease =
  /**
   * The process may spend `tokens` before `until`, after it has stored `limit`. Present `taker`: only
   * for requests of this {@link takersOf}.
   */
  | {
      readonly kind: "leased";
      readonly tokens: number;
      readonly until: EpochMs;
      readonly limit: RegistryLimit;
      readonly taker?: string;
    }
  /**
   * The registry has no limit. The process may send requests until `until`, and then reads the
   * state again.
   */
  | { readonly kind: "unlimited"; readonly until: EpochMs }
  /**
   * Every token is leased, or meant for another namespace. The next token comes at `until`. Present
   * `limit`: the process stores it, so that the namespace has its place in the line.
   */
  | { readonly kind: "empty"; readonly until: EpochMs; readonly limit?: RegistryLimit };

/** Unspent tokens are lost after this time, so that idle processes can't save up a burst. */
const leasedFor = seconds(10);

/**
 * Returns the tokens of a bucket, at most `burst`. A bucket whose `emptyAt` is in the future has no
 * token.
 */
export function tokensIn(limit: RegistryLimit | undefined, rate: RateLimiting, now: EpochMs): number {
  if (limit === undefined) return rate.burst;
  const filled = Math.floor((Math.max(0, now - limit.emptyAt) * rate.requestsPerSecond) / 1_000);
  return Math.min(rate.burst, filled);
}

/**
 * Leases the tokens of one second, or all tokens if fewer are left. While tokens are short, each
 * namespace leases a part, and the namespace that has used least comes first.
 *
 * @param payers - the namespaces of the request, as `cluster/namespace`.
 */
export function leaseTokens(
  limit: RegistryLimit | undefined,
  rate: RateLimiting | undefined,
  now: EpochMs,
  payers: readonly string[] = [],
): Lease {
  if (rate === undefined) return { kind: "unlimited", until: plus(now, leasedFor) };
  const there = tokensIn(limit, rate, now);
  const tokenMs = 1_000 / rate.requestsPerSecond;
  const { version, emptyAt: storedEmptyAt, line: storedLine } = limit ?? { version: 0, emptyAt: 0 };
  const emptyAt = Math.min(storedEmptyAt, now);
  const line = activeLine(storedLine, now);
  const taker = takerOf(line, payers);
  const ahead = aheadOf(line, taker, now);
  if (there <= ahead) {
    const until = epochMs(Math.ceil(emptyAt + (ahead + 1) * tokenMs));
    // A request that would wait too long is refused, so it keeps no token from others.
    const waits = until - now >= leasedFor ? undefined : joined(line, taker, now);
    if (waits === undefined || limit === undefined) return { kind: "empty", until };
    return { kind: "empty", until, limit: { ...limit, version: version + 1, line: waits } };
  }
  const others = othersWaiting(line, taker, now);
  const most = Math.min(rate.requestsPerSecond, Math.floor(rate.burst / 2));
  const tokens = Math.min(there - ahead, Math.max(1, Math.floor(most / (others + 1))));
  const full = now - rate.burst * tokenMs;
  const next = {
    version: version + 1,
    emptyAt: epochMs(Math.ceil(Math.max(emptyAt, full) + tokens * tokenMs)),
    ...(line && { line: served(line, taker, tokens, there - tokens <= ahead, now) }),
  };
  const own = others > 0 ? { taker } : {};
  return { kind: "leased", tokens, until: plus(now, leasedFor), limit: next, ...own };
}
