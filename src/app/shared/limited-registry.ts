import { admit, afterAnswer, afterFailure, type Breaker } from "#domain/registry/breaker";
import { afterPause, leaseTokens } from "#domain/registry/lease";
import { takersOf } from "#domain/registry/line";
import {
  afterSign,
  afterTelling,
  type Outage,
  type RegistryFact,
  type RegistrySign,
  untoldFactsOf,
} from "#domain/registry/outage";
import type { RequestRules } from "#domain/registry/rules";
import { durationMs, type DurationMs, epochMs, type EpochMs, seconds, since, toIso } from "#domain/shared/time";
import { secondsBetween } from "#domain/update/metrics";
import { TransientError } from "#ports/errors";
import type { Clock } from "#ports/clock";
import type { Metrics } from "#ports/metrics";
import type {
  Asking,
  BeforePage,
  Registry,
  RegistryInspection,
  RegistryRefusal,
  RepositoryName,
} from "#ports/registry";
import type { RegistryLimits } from "#ports/registry-limits";

/** The parts of a limited registry. */
export interface LimitedRegistryOptions {
  readonly registry: Registry;
  readonly registryLimits: RegistryLimits;
  readonly rulesOf: (host: string) => RequestRules;
  readonly clock: Clock;
  /**
   * Returns a promise that resolves after `ms` milliseconds, and rejects when the signal aborts.
   */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /**
   * Publishes facts about registries. Of all processes, one publishes a fact. Absent if nobody
   * needs the facts.
   */
  readonly publish?: (facts: readonly RegistryFact[]) => Promise<void>;
}

/** The longest time that a request waits for a token. */
const longestWait = seconds(10);
/** The maximum number of tries of a write while other processes write first. */
const mostTries = 10;
/**
 * The maximum number of registries that one process remembers. Users of a cluster choose the
 * registries of their images, so the number needs a limit.
 */
const mostHosts = 1_000;

/** The state of one registry in this process. */
interface Known {
  readonly rules: RequestRules;
  tokens: number;
  /** The instant at which the leased tokens expire. */
  until: EpochMs;
  /** The leased tokens that only one namespace of the line may spend. */
  readonly own: Map<string, { tokens: number; readonly until: EpochMs }>;
  pausedUntil?: EpochMs;
  breaker?: Breaker | undefined;
  outage?: Outage | undefined;
  /**
   * The running request that checks whether the registry answers. All callers share this request.
   */
  asking?: Promise<boolean | undefined> | undefined;
  /** The running lease of tokens for each list of payers. All its callers share this lease. */
  readonly leasing: Map<string, Promise<EpochMs | undefined>>;
}

type Unreachable = Extract<RegistryRefusal, { readonly kind: "unreachable" }>;
type Admitted = { readonly kind: "ask" | "probe" } | Unreachable;

/**
 * Returns the registry with limits: all processes share each registry's tokens, its circuit breaker
 * and its outage.
 *
 * A request writes nothing while the registry answers, the breaker has no failures and leased tokens remain.
 */
export function limitedRegistry({ registry, registryLimits, rulesOf, clock, pause, publish }: LimitedRegistryOptions) {
  const hosts = new Map<string, Known>();
  const knownOf = (host: string): Known => {
    const rules = rulesOf(host);
    const known = hosts.get(rules.host) ?? { rules, tokens: 0, until: epochMs(0), own: new Map(), leasing: new Map() };
    hosts.delete(rules.host);
    hosts.set(rules.host, known);
    const [oldest] = hosts.keys();
    if (hosts.size > mostHosts && oldest !== undefined) hosts.delete(oldest);
    return known;
  };

  /**
   * Changes the stored breaker, and retries when another process has changed it. Returns whether
   * the change was stored.
   */
  const change = async (
    known: Known,
    next: (breaker: Breaker | undefined) => Breaker | undefined,
  ): Promise<boolean> => {
    const { host } = known.rules;
    const outcome = await untilStored(async () => {
      const breaker = next(known.breaker);
      if (breaker === undefined) return "unchanged";
      const isStored = await registryLimits.writeBreaker(host, breaker, clock.now());
      known.breaker = isStored ? breaker : (await registryLimits.read(host)).breaker;
      return isStored ? "stored" : "lost";
    });
    return outcome === "stored";
  };

  /**
   * Leases tokens. Returns the instant of the next token if no token is left. Returns undefined
   * after a lease or during a pause.
   */
  const lease = async (known: Known, payers: readonly string[]): Promise<EpochMs | undefined> => {
    const { host, rateLimiting } = known.rules;
    const emptyUntil = await untilStored(async () => {
      const state = await registryLimits.read(host);
      const now = clock.now();
      known.breaker = state.breaker;
      known.outage = state.outage;
      const leased = leaseTokens(state.limit, rateLimiting, now, payers);
      if (leased.kind === "empty") {
        const isStored = leased.limit === undefined || (await registryLimits.writeLimit(host, leased.limit, now));
        return isStored ? leased.until : "lost";
      }
      if (leased.kind === "paused") {
        known.pausedUntil = leased.until;
        return undefined;
      }
      if (leased.kind === "leased" && !(await registryLimits.writeLimit(host, leased.limit, now))) return "lost";
      if (leased.kind === "leased" && leased.taker !== undefined) {
        known.own.set(leased.taker, { tokens: leased.tokens, until: leased.until });
        return undefined;
      }
      known.own.clear();
      known.tokens = leased.kind === "leased" ? leased.tokens : Infinity;
      known.until = leased.until;
      return undefined;
    });
    if (emptyUntil === "lost") throw new TransientError(`the limits of ${host} changed ${mostTries} times: try again`);
    return emptyUntil;
  };

  /**
   * Returns whether this process sends the probe. Only the process that stores the half-open
   * breaker sends the probe.
   */
  const probe = async (known: Known): Promise<boolean> => {
    const { host, circuitBreaker } = known.rules;
    const state = await registryLimits.read(host);
    known.breaker = state.breaker;
    known.outage = state.outage;
    const admission = admit(known.breaker, circuitBreaker, clock.now());
    if (admission.kind !== "probe") return false;
    const isFirst = await registryLimits.writeBreaker(host, admission.breaker, clock.now());
    known.breaker = isFirst ? admission.breaker : (await registryLimits.read(host)).breaker;
    return isFirst;
  };

  const enter = async (
    known: Known,
    payers: readonly string[],
    signal: AbortSignal,
    metrics: Metrics,
  ): Promise<Admitted> => {
    const { host, circuitBreaker } = known.rules;
    let waited = durationMs(0);
    for (;;) {
      const now = clock.now();
      const admission = admit(known.breaker, circuitBreaker, now);
      if (admission.kind === "rest")
        return circuitOpen(host, known.breaker, since(now, admission.until), admission.until);
      if (known.pausedUntil !== undefined && known.pausedUntil > now)
        return {
          ...throttled(host, `asked for a pause until ${toIso(known.pausedUntil)}`, since(now, known.pausedUntil)),
          until: known.pausedUntil,
        };
      if (admission.kind === "probe") {
        if (await probe(known)) return { kind: "probe" };
        continue;
      }
      if (known.tokens > 0 && known.until > now) {
        known.tokens -= 1;
        return { kind: "ask" };
      }
      if (spendOwn(known, payers, now)) return { kind: "ask" };
      const key = payers.join();
      const leasing = known.leasing.get(key) ?? lease(known, payers).finally(() => known.leasing.delete(key));
      known.leasing.set(key, leasing);
      const emptyUntil = await leasing;
      if (emptyUntil === undefined) continue;
      const wait = durationMs(Math.max(1, emptyUntil - now));
      if (waited + wait > longestWait) {
        metrics.add("RegistryRefusals", 1, { registry: host, reason: "registry-throttled" });
        return tooOften(known.rules, wait);
      }
      await pause(wait, signal).catch((cause: unknown) => {
        throw new TransientError(`the caller cancelled the request to ${host}`, { cause });
      });
      waited = durationMs(waited + wait);
    }
  };

  /** Returns whether the registry answers at all, or undefined if the check ends with an error. */
  const answersForItself = (known: Known, name: RepositoryName, signal: AbortSignal): Promise<boolean | undefined> => {
    known.asking ??= registry
      .answers(name, signal)
      .catch(() => undefined)
      .finally(() => (known.asking = undefined));
    return known.asking;
  };

  /**
   * Returns what an answer shows about the whole registry. An answer with a status may concern one
   * repository, so the registry itself is asked. Returns undefined if the answer shows nothing.
   */
  const signOf = async (
    { kind, isOutage, status, detail = "" }: Answered,
    askedAt: EpochMs,
    answers: () => Promise<boolean | undefined>,
  ): Promise<RegistrySign | undefined> => {
    if (kind === "not-allowed") return undefined;
    if (isOutage !== true) return { kind: "answer", askedAt };
    if (status === undefined) return { kind: "no-answer", askedAt, detail };
    const isUp = await answers();
    if (isUp === undefined) return undefined;
    return isUp ? { kind: "answer", askedAt } : { kind: "no-answer", askedAt, detail };
  };

  /** Stores the start or the end of an outage, and publishes its fact if this process stored it. */
  const note = async (known: Known, sign: RegistrySign): Promise<void> => {
    const { host } = known.rules;
    const stored = await untilStored(async () => {
      const outage = afterSign(known.outage, sign, clock.now());
      if (outage === undefined) return undefined;
      const isStored = await registryLimits.writeOutage(host, outage, clock.now());
      known.outage = isStored ? outage : (await registryLimits.read(host)).outage;
      return isStored ? outage : "lost";
    });
    if (stored === "lost" || stored?.untold === undefined) return;
    await publish?.(untoldFactsOf(host, stored));
    const told = afterTelling(stored);
    // Another process may have stored a change meanwhile. This process reads it with its next lease.
    if (await registryLimits.writeOutage(host, told, clock.now())) known.outage = told;
  };

  /**
   * Counts a failure. The breaker opens only if the registry does not answer at all. A user with
   * failing repositories must not stop requests of other users.
   *
   * @returns true when the breaker opened, or stays open.
   */
  const countFailure = async (
    known: Known,
    name: RepositoryName,
    { detail = "", status }: Answered,
    isProbe: boolean,
    asksItself: () => Promise<boolean | undefined>,
  ): Promise<boolean> => {
    const failure = { detail, at: clock.now() };
    const repository = status === undefined ? undefined : name.repository;
    const next = (breaker: Breaker | undefined): Breaker | undefined =>
      afterFailure(breaker, failure, known.rules.circuitBreaker, isProbe, repository);
    const opens = (breaker: Breaker | undefined): boolean => next(breaker)?.state === "open";
    const isCounted = await change(known, (breaker) => (opens(breaker) ? undefined : next(breaker)));
    if (isCounted || !opens(known.breaker)) return false;
    const answers = await asksItself();
    if (answers === false) return await change(known, next);
    if (answers === true) await change(known, (breaker) => afterAnswer(breaker, isProbe));
    return false;
  };

  const leave = async (
    known: Known,
    name: RepositoryName,
    answer: Answered,
    askedAt: EpochMs,
    isProbe: boolean,
    signal: AbortSignal,
    metrics: Metrics,
  ): Promise<void> => {
    const { host } = known.rules;
    const now = clock.now();
    let asked: Promise<boolean | undefined> | undefined;
    const asksItself = () => (asked ??= answersForItself(known, name, signal));
    const pauseMs = answer.pauseMs ?? answer.retryAfterMs;
    if (pauseMs !== undefined && pauseMs > 0) {
      await pauseAll(known, pauseMs, now);
      metrics.add("RegistryRefusals", 1, { registry: host, reason: "registry-throttled" });
    }
    if (answer.kind === "not-allowed") return;
    if (answer.isOutage !== true) await change(known, (breaker) => afterAnswer(breaker, isProbe));
    const isOpen = answer.isOutage === true && (await countFailure(known, name, answer, isProbe, asksItself));
    const sign = await signOf(answer, askedAt, asksItself);
    if (sign !== undefined) await note(known, sign);
    if (isOpen && known.breaker?.state === "open")
      metrics.add("RegistryRefusals", 1, {
        registry: host,
        reason: "registry-circuit-open",
        openSeconds: String(secondsBetween(known.breaker.since, now)),
      });
  };

  const pauseAll = async (known: Known, pauseMs: number, now: EpochMs): Promise<void> => {
    const { host } = known.rules;
    await untilStored(async () => {
      const limit = afterPause((await registryLimits.read(host)).limit, pauseMs, now);
      if (limit?.pausedUntil !== undefined) known.pausedUntil = limit.pausedUntil;
      known.tokens = 0;
      const isStored = limit === undefined || (await registryLimits.writeLimit(host, limit, now));
      return isStored ? "stored" : "lost";
    });
  };

  return (metrics: Metrics): Registry => {
    const ask = async <Answer extends Answered>(
      name: RepositoryName,
      signal: AbortSignal,
      asking: Asking | undefined,
      send: (beforePage: BeforePage) => Promise<Answer>,
    ): Promise<Answer | Unreachable> => {
      const over = overBudget(asking);
      if (over !== undefined) return over;
      const known = knownOf(name.registry);
      const payers = asking?.spending?.payers ?? [];
      const admitted = await enter(known, payers, signal, metrics);
      if (admitted.kind === "unreachable") return admitted;
      const asked = { isProbe: admitted.kind === "probe", refusal: undefined as Unreachable | undefined };
      const askedAt = clock.now();
      const answer = await send(async () => {
        // The breaker would refuse the later pages of the probe, because it admits no other request
        // during a probe.
        if (asked.isProbe) return undefined;
        const tooMany = overBudget(asking);
        if (tooMany !== undefined) return (asked.refusal = tooMany);
        const page = await enter(known, payers, signal, metrics);
        asked.isProbe = page.kind === "probe";
        asked.refusal = page.kind === "unreachable" ? page : undefined;
        return asked.refusal;
      });
      // A refusal by Lookout says nothing about the registry's health.
      if (asked.refusal !== undefined) return asked.refusal;
      await leave(known, name, answer, askedAt, asked.isProbe, signal, metrics);
      const isLimit = answer.kind === "unreachable" && answer.reason === "registry-throttled";
      return isLimit && known.pausedUntil !== undefined ? { ...answer, until: known.pausedUntil } : answer;
    };
    return {
      tags: (name, signal, asking) =>
        ask(name, signal, asking, (beforePage) => registry.tags(name, signal, { ...asking, beforePage })),
      inspect: async (name, signal, asking) => {
        let inspection: RegistryInspection | undefined;
        const listing = await ask(name, signal, asking, async () => {
          inspection = await registry.inspect(name, signal, asking);
          return inspection.listing;
        });
        return inspection ?? { listing };
      },
      resolve: (name, tag, signal, asking) =>
        ask(name, signal, asking, () => registry.resolve(name, tag, signal, asking)),
      manifest: (name, digest, signal, asking) =>
        ask(name, signal, asking, () => registry.manifest(name, digest, signal, asking)),
      config: (name, digest, signal, asking) =>
        ask(name, signal, asking, () => registry.config(name, digest, signal, asking)),
      answers: (name, signal) => registry.answers(name, signal),
    };
  };
}

/** Repeats a write until no other process writes first. `lost`: every try failed. */
async function untilStored<Outcome>(write: () => Promise<Outcome | "lost">): Promise<Outcome | "lost"> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const outcome = await write();
    if (outcome !== "lost") return outcome;
  }
  return "lost";
}

/** Spends a token that only these payers may spend. Returns false if there is none. */
function spendOwn({ own }: Known, payers: readonly string[], now: EpochMs): boolean {
  if (own.size === 0) return false;
  for (const taker of takersOf(payers)) {
    const leased = own.get(taker);
    if (leased === undefined || leased.tokens === 0 || leased.until <= now) continue;
    leased.tokens -= 1;
    return true;
  }
  return false;
}

/** Counts a request of a run. Returns the refusal of the payers' budget, or undefined. */
function overBudget(asking: Asking | undefined): Unreachable | undefined {
  const over = asking?.spending?.request();
  return over && { kind: "unreachable", reason: "over-budget", ...over };
}

/** The members of a registry's answer that change its limits. */
interface Answered {
  readonly kind: string;
  readonly detail?: string;
  readonly reason?: string;
  readonly isOutage?: true;
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly pauseMs?: number;
}

function throttled(host: string, what: string, retryAfterMs: DurationMs): Unreachable {
  return { kind: "unreachable", reason: "registry-throttled", detail: `${host} ${what}`, retryAfterMs };
}

function tooOften({ host, rateLimiting }: RequestRules, wait: DurationMs): Unreachable {
  return throttled(host, `is limited to ${rateLimiting?.requestsPerSecond ?? 0} requests per second`, wait);
}

function circuitOpen(
  host: string,
  breaker: Breaker | undefined,
  retryAfterMs: DurationMs,
  until: EpochMs,
): Unreachable {
  const last = breaker === undefined ? "" : `: ${breaker.lastFailure.detail}`;
  const detail = `Lookout does not ask ${host} until ${toIso(until)}, because its requests kept failing${last}`;
  return { kind: "unreachable", reason: "registry-circuit-open", detail, retryAfterMs };
}
