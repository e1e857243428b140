import { durationMs } from "#domain/shared/time";
import type { StatedLimit } from "#ports/registry";

type Headers = ReadonlyMap<string, string>;

/**
 * A reset time from this number on is an instant, in seconds since 1970. A smaller number is a
 * duration.
 */
const firstInstant = 1_000_000_000;
/** The pause for a registry that does not say when its limit resets. */
export const unknownResetMs = 60_000;

/**
 * Returns the limit in a registry's headers: `ratelimit-*`, `x-ratelimit-*` and `ratelimit:
 * "default";r=0;t=30`. Docker Hub adds a window: `76;w=21600`.
 *
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers
 * @see https://docs.docker.com/docker-hub/usage/pulls/#view-pull-rate-and-limit
 */
export function rateLimitOf(headers: Headers): StatedLimit {
  const header = (name: string): string | undefined =>
    headers.get(`ratelimit-${name}`) ?? headers.get(`x-ratelimit-${name}`);
  const one = headers.get("ratelimit");
  const limit = wholeNumber(header("limit"));
  const remaining = wholeNumber(header("remaining")) ?? wholeNumber(parameter(one, "r"));
  const reset = wholeNumber(header("reset")) ?? wholeNumber(parameter(one, "t"));
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(remaining === undefined ? {} : { remaining }),
    ...(reset === undefined ? {} : { resetMs: durationMs(resetMsOf(reset, headers)) }),
  };
}

/**
 * Returns the milliseconds until a registry allows requests again. Returns undefined when the
 * registry allows requests now, or states no limit.
 */
export function pauseMsOf(headers: Headers): number | undefined {
  const { remaining, resetMs } = rateLimitOf(headers);
  return remaining === 0 ? (resetMs ?? unknownResetMs) : undefined;
}

function wholeNumber(text: string | undefined): number | undefined {
  const digits = /^\s*(\d{1,15})\s*(?:[;,]|$)/.exec(text ?? "")?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function parameter(text: string | undefined, name: "r" | "t"): string | undefined {
  return new RegExp(`;\\s*${name}=(\\d+)`).exec(text ?? "")?.[1];
}

/** Returns the milliseconds until a reset. An instant is in the time of the server's clock. */
function resetMsOf(reset: number, headers: Headers): number {
  if (reset < firstInstant) return reset * 1_000;
  const serverNow = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(serverNow) ? unknownResetMs : Math.max(0, reset * 1_000 - serverNow);
}
