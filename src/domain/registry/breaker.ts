import { type EpochMs, plus, seconds } from "../shared/time.ts";
import type { CircuitBreaker } from "./rules.ts";

/** How a registry failed last. */
export interface RegistryFailure {
  readonly detail: string;
  readonly at: EpochMs;
}

/** The stored circuit breaker of one registry. `version` counts its writes, from 1. */
export type Breaker = { readonly version: number; readonly lastFailure: RegistryFailure } & (
  | { readonly state: "closed"; readonly failures: number }
  /** The registry gets no request until then. */
  | { readonly state: "open"; readonly since: EpochMs; readonly until: EpochMs }
  /** One probe asks the registry; it is lost if it says nothing until then. */
  | { readonly state: "half-open"; readonly since: EpochMs; readonly until: EpochMs }
);

/** Whether a request may be sent. */
export type Admission =
  | { readonly kind: "ask" }
  /** The first to store this breaker may send one request. */
  | { readonly kind: "probe"; readonly breaker: Breaker }
  | { readonly kind: "rest"; readonly until: EpochMs };

/** As long as the slowest listing takes. */
const probeFor = seconds(30);

/** Returns whether a registry may be asked now. */
export function admit(breaker: Breaker | undefined, rule: CircuitBreaker, now: EpochMs): Admission {
  if (!rule.enabled || breaker === undefined || breaker.state === "closed") return { kind: "ask" };
  const longest = Math.max(rule.timeout, probeFor);
  // An end further ahead is of a clock that was set back since.
  if (now < breaker.until && breaker.until <= now + longest) return { kind: "rest", until: breaker.until };
  const { version, lastFailure, since } = breaker;
  return {
    kind: "probe",
    breaker: { version: version + 1, lastFailure, state: "half-open", since, until: plus(now, probeFor) },
  };
}

/** Returns the breaker after a failed request; undefined when it changes nothing. */
export function afterFailure(
  breaker: Breaker | undefined,
  lastFailure: RegistryFailure,
  rule: CircuitBreaker,
  isProbe: boolean,
): Breaker | undefined {
  if (!rule.enabled) return undefined;
  const version = (breaker?.version ?? 0) + 1;
  const until = plus(lastFailure.at, rule.timeout);
  if (breaker === undefined || breaker.state === "closed") {
    const failures = (breaker?.failures ?? 0) + 1;
    return failures < rule.failureThreshold
      ? { version, lastFailure, state: "closed", failures }
      : { version, lastFailure, state: "open", since: lastFailure.at, until };
  }
  // A request that was sent before the breaker opened says nothing new.
  return isProbe ? { version, lastFailure, state: "open", since: breaker.since, until } : undefined;
}

/** Returns the breaker after an answered request; undefined when it changes nothing. */
export function afterAnswer(breaker: Breaker | undefined, isProbe: boolean): Breaker | undefined {
  if (breaker === undefined) return undefined;
  const closed = {
    version: breaker.version + 1,
    lastFailure: breaker.lastFailure,
    state: "closed",
    failures: 0,
  } as const;
  if (breaker.state === "closed") return breaker.failures === 0 ? undefined : closed;
  return isProbe ? closed : undefined;
}
