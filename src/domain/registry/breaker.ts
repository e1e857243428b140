import { type EpochMs, plus, seconds } from "../shared/time.ts";
import type { CircuitBreaker } from "./rules.ts";

/** The last failure of a registry. */
export interface RegistryFailure {
  readonly detail: string;
  readonly at: EpochMs;
}

/**
 * The stored circuit breaker of one registry. `version` is the number of writes: the first write
 * stores 1.
 */
export type Breaker = { readonly version: number; readonly lastFailure: RegistryFailure } & (
  | {
      readonly state: "closed";
      readonly failures: number;
      /** The repositories whose answers are among the failures. */
      readonly repositories?: readonly string[];
    }
  /** The registry gets no request before `until`. */
  | { readonly state: "open"; readonly since: EpochMs; readonly until: EpochMs }
  /**
   * One process may send one request, the probe. Another probe may follow if no answer arrives
   * before `until`.
   */
  | { readonly state: "half-open"; readonly since: EpochMs; readonly until: EpochMs }
);

/** The answer to a process that wants to send a request. */
export type Admission =
  | { readonly kind: "ask" }
  /** The process that first stores this breaker may send one request. */
  | { readonly kind: "probe"; readonly breaker: Breaker }
  | { readonly kind: "rest"; readonly until: EpochMs };

/** The time for a probe: the slowest listing takes this long. */
const probeFor = seconds(30);

/** Returns whether a process may send a request to a registry now. */
export function admit(breaker: Breaker | undefined, rule: CircuitBreaker, now: EpochMs): Admission {
  if (!rule.enabled || breaker === undefined || breaker.state === "closed") return { kind: "ask" };
  const longest = Math.max(rule.timeout, probeFor);
  // An end later than `now + longest` was stored before the clock was set back, so Lookout ignores
  // this end.
  if (now < breaker.until && breaker.until <= now + longest) return { kind: "rest", until: breaker.until };
  const { version, lastFailure, since } = breaker;
  return {
    kind: "probe",
    breaker: { version: version + 1, lastFailure, state: "half-open", since, until: plus(now, probeFor) },
  };
}

/**
 * Returns the breaker after a failed request; undefined when the failure changes nothing.
 *
 * Failed answers for one repository count once, because a repository may fail while its registry
 * works.
 *
 * @param repository - the repository of the failed answer, or undefined if no answer arrived.
 */
export function afterFailure(
  breaker: Breaker | undefined,
  lastFailure: RegistryFailure,
  rule: CircuitBreaker,
  isProbe: boolean,
  repository?: string,
): Breaker | undefined {
  if (!rule.enabled) return undefined;
  if (breaker === undefined || breaker.state === "closed") return countFailure(breaker, lastFailure, rule, repository);
  // A request that was sent before the breaker opened proves nothing new.
  return isProbe ? opened(breaker, lastFailure, rule, breaker.since) : undefined;
}

type Closed = Extract<Breaker, { readonly state: "closed" }>;

function countFailure(
  breaker: Closed | undefined,
  lastFailure: RegistryFailure,
  rule: CircuitBreaker,
  repository: string | undefined,
): Breaker | undefined {
  const { version, failures, repositories = [] } = breaker ?? { version: 0, failures: 0 };
  if (repository !== undefined && repositories.includes(repository)) return undefined;
  if (failures + 1 >= rule.failureThreshold) return opened(breaker, lastFailure, rule, lastFailure.at);
  const counted = { version: version + 1, lastFailure, state: "closed", failures: failures + 1 } as const;
  const answered = repository === undefined ? repositories : [...repositories, repository];
  return answered.length === 0 ? counted : { ...counted, repositories: answered };
}

function opened(
  breaker: Breaker | undefined,
  lastFailure: RegistryFailure,
  { timeout }: CircuitBreaker,
  since: EpochMs,
): Breaker {
  const version = (breaker?.version ?? 0) + 1;
  return { version, lastFailure, state: "open", since, until: plus(lastFailure.at, timeout) };
}

/** Returns the breaker after a user let the next request through; undefined if requests may be sent. */
export function afterBreakerResume(
  breaker: Breaker | undefined,
  rule: CircuitBreaker,
  now: EpochMs,
): Breaker | undefined {
  if (breaker === undefined || breaker.state === "closed" || admit(breaker, rule, now).kind !== "rest")
    return undefined;
  return { ...breaker, version: breaker.version + 1, state: "open", until: now };
}

/** Returns the breaker after an answered request; undefined when the answer changes nothing. */
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
