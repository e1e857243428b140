import { epochMs, type EpochMs, plus, seconds } from "../shared/time.ts";
import type { RateLimiting } from "./rules.ts";

/** The stored allowance of one registry: a bucket of tokens, one for each request. */
export interface RegistryLimit {
  /** The number of times that this allowance was stored. The first write stores 1. */
  readonly version: number;
  /** The instant at which the bucket was empty. The bucket fills from then on. */
  readonly emptyAt: EpochMs;
}

/** The answer to a process that asks for tokens. */
export type Lease =
  /** The process may spend `tokens` before `until`, after it has stored `limit`. */
  | { readonly kind: "leased"; readonly tokens: number; readonly until: EpochMs; readonly limit: RegistryLimit }
  /**
   * The registry has no limit. The process may send requests until `until`, and then reads the
   * state again.
   */
  | { readonly kind: "unlimited"; readonly until: EpochMs }
  /** Every token is leased. The next token comes at `until`. */
  | { readonly kind: "empty"; readonly until: EpochMs };

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

/** Leases the tokens of one second, or all tokens if fewer are left. */
export function leaseTokens(limit: RegistryLimit | undefined, rate: RateLimiting | undefined, now: EpochMs): Lease {
  if (rate === undefined) return { kind: "unlimited", until: plus(now, leasedFor) };
  const there = tokensIn(limit, rate, now);
  const tokenMs = 1_000 / rate.requestsPerSecond;
  const emptyAt = Math.min(limit?.emptyAt ?? 0, now);
  if (there === 0) return { kind: "empty", until: epochMs(Math.ceil(emptyAt + tokenMs)) };
  const tokens = Math.min(there, Math.max(1, Math.min(rate.requestsPerSecond, Math.floor(rate.burst / 2))));
  const full = now - rate.burst * tokenMs;
  const next = {
    version: (limit?.version ?? 0) + 1,
    emptyAt: epochMs(Math.ceil(Math.max(emptyAt, full) + tokens * tokenMs)),
  };
  return { kind: "leased", tokens, until: plus(now, leasedFor), limit: next };
}
