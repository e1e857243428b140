import { admit, afterAnswer, afterFailure, type Breaker } from "#domain/registry/breaker";
import { leaseTokens } from "#domain/registry/lease";
import { takersOf } from "#domain/registry/line";
import {
  afterSign,
  afterTelling,
  type Outage,
  type RegistryFact,
  type RegistrySign,
  untoldFactsOf,
} from "#domain/registry/outage";
import {
  admitAfterPause,
  afterLimit,
  afterProbe,
  afterRegistryAnswer,
  type LimitAnswer,
  noRequestsLeft,
  type Pause,
  pauseCause,
  pauseFor,
  type Pauses,
  type RegistryAnswer,
} from "#domain/registry/pauses";
import type { RequestRules } from "#domain/registry/rules";
import {
  durationMs,
  type DurationMs,
  epochMs,
  type EpochMs,
  minutes,
  seconds,
  plus,
  since,
  toIso,
} from "#domain/shared/time";
import { isAhead } from "#domain/shared/wrong-clock";
import { secondsBetween } from "#domain/update/effects/metrics";
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

/**
 * The time for which one answer of a registry about itself holds. The limits of many repositories
 * must not cause as many requests.
 */
const answerHolds = minutes(1);
/** While a registry rests, the stored state is read again after this time. A user may have ended the rest. */
const readAgainAfter = seconds(1);

/** The state of one registry in this process. */
interface Known {
  readonly rules: RequestRules;
  tokens: number;
  /** The instant at which the leased tokens expire. */
  until: EpochMs;
  /** The leased tokens that only one namespace of the line may spend. */
  readonly own: Map<string, { tokens: number; readonly until: EpochMs }>;
  pauses?: Pauses | undefined;
  /** The instant of the last answer of the registry about itself, if it stated no limit. */
  answeredAt?: EpochMs | undefined;
  /** The last change of the pauses by this process. It never rejects. */
  pausing?: Promise<unknown>;
  /** The instant of the last read while the registry rested. */
  readAt?: EpochMs;
  breaker?: Breaker | undefined;
  outage?: Outage | undefined;
  /**
   * The running request that checks whether the registry answers. All callers share this request.
   */
  asking?: Promise<RegistryAnswer | undefined> | undefined;
  /** The running lease of tokens. All callers with the same payers share its result. */
  leasing?: { readonly payers: string; readonly result: Promise<EpochMs | undefined> } | undefined;
}

/** What decides besides the breaker whether a request may be sent. */
interface Entering {
  readonly payers: readonly string[];
  /** Returns the refusal by a pause that runs at an instant, or by a budget. */
  readonly refusedBy: (now: EpochMs) => Unreachable | undefined;
  /** Counts an admitted request. */
  readonly count: () => void;
  /** True if the request must not wait, and must not be a probe. */
  readonly isSpare: boolean;
}

/** A request that was sent. */
interface Sent {
  /** True for the probe of the circuit breaker. */
  isProbe: boolean;
  /** True for the probe after a pause. */
  readonly endsPause: boolean;
  /** True if the caller can do without the answer. */
  readonly isSpare: boolean;
  /** Lookout's own refusal of a further page. */
  refusal: Unreachable | undefined;
}

type Unreachable = Extract<RegistryRefusal, { readonly kind: "unreachable" }>;
type Admitted = { readonly kind: "ask" | "probe" } | Unreachable;

/**
 * Returns the registry with limits: all processes share each registry's tokens, its circuit breaker,
 * its outage and its pauses.
 *
 * A request writes nothing while the registry answers without a limit, the breaker has no failures
 * and leased tokens remain.
 */
export function limitedRegistry({ registry, registryLimits, rulesOf, clock, pause, publish }: LimitedRegistryOptions) {
  const hosts = new Map<string, Known>();
  const knownOf = (host: string): Known => {
    const rules = rulesOf(host);
    const known = hosts.get(rules.host) ?? { rules, tokens: 0, until: epochMs(0), own: new Map() };
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
   * after a lease.
   */
  const lease = async (known: Known, payers: readonly string[]): Promise<EpochMs | undefined> => {
    const { host, rateLimiting } = known.rules;
    const emptyUntil = await untilStored(async () => {
      const state = await registryLimits.read(host);
      const now = clock.now();
      known.breaker = state.breaker;
      known.outage = state.outage;
      known.pauses = state.pauses;
      const leased = leaseTokens(state.limit, rateLimiting, now, payers);
      if (leased.kind === "empty") {
        const isStored = leased.limit === undefined || (await registryLimits.writeLimit(host, leased.limit, now));
        return isStored ? leased.until : "lost";
      }
      if (leased.kind === "leased" && !(await registryLimits.writeLimit(host, leased.limit, now))) return "lost";
      for (const [taker, { until }] of known.own) if (until <= now) known.own.delete(taker);
      if (leased.kind === "leased" && leased.taker !== undefined) {
        known.own.set(leased.taker, { tokens: leased.tokens, until: leased.until });
        return undefined;
      }
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

  /** Leases tokens after the lease of other payers, or returns undefined after their lease. */
  const leaseFor = async (known: Known, payers: readonly string[]): Promise<EpochMs | undefined> => {
    const key = payers.join();
    const running = known.leasing;
    if (running !== undefined && running.payers !== key) {
      await running.result.catch(() => undefined);
      return undefined;
    }
    known.leasing ??= { payers: key, result: lease(known, payers).finally(() => (known.leasing = undefined)) };
    return known.leasing.result;
  };

  const enter = async (
    known: Known,
    { payers, refusedBy, count, isSpare }: Entering,
    signal: AbortSignal,
    metrics: Metrics,
  ): Promise<Admitted> => {
    const { host, circuitBreaker } = known.rules;
    const beganAt = clock.now();
    for (;;) {
      const now = clock.now();
      const admission = admit(known.breaker, circuitBreaker, now);
      if (admission.kind === "rest")
        return circuitOpen(host, known.breaker, since(now, admission.until), admission.until);
      const refusal = refusedBy(now);
      if (refusal !== undefined) return refusal;
      if (admission.kind === "probe") {
        if (isSpare) return notSpared(host);
        if (!(await probe(known))) continue;
        count();
        return { kind: "probe" };
      }
      if (spendToken(known, payers, now)) {
        count();
        return { kind: "ask" };
      }
      const emptyUntil = await leaseFor(known, payers);
      if (emptyUntil === undefined) continue;
      if (isSpare) return notSpared(host);
      const wait = durationMs(Math.max(1, emptyUntil - clock.now()));
      if (since(beganAt, clock.now()) + wait > longestWait) {
        metrics.add("RegistryRefusals", 1, { registry: host, reason: "registry-throttled" });
        return tooOften(known.rules, wait);
      }
      await pause(wait, signal).catch((cause: unknown) => {
        throw new TransientError(`the caller cancelled the request to ${host}`, { cause });
      });
    }
  };

  /**
   * Returns the registry's answer about itself, or undefined if the check ends with an error. The
   * answer starts or ends the pause of the whole registry.
   */
  const answerForItself = (
    known: Known,
    name: RepositoryName,
    signal: AbortSignal,
  ): Promise<RegistryAnswer | undefined> => {
    known.asking ??= registry
      .answers(name, signal)
      .catch(() => undefined)
      .then(async (answer) => {
        known.answeredAt = answer?.kind === "answers" ? clock.now() : undefined;
        if (answer === undefined) return undefined;
        const next = (pauses: Pauses | undefined) => afterRegistryAnswer(pauses, answer, clock.now());
        if (next(known.pauses) !== undefined) await changePauses(known, next);
        return answer;
      })
      .finally(() => (known.asking = undefined));
    return known.asking;
  };

  /**
   * Changes the stored pauses, and retries when another process has changed them. This process acts
   * on its change even if others store first each time. Its own changes wait for each other, so that
   * many answers with one limit cause one write. Returns whether the change was stored.
   */
  const changePauses = async (
    known: Known,
    next: (pauses: Pauses | undefined) => Pauses | undefined,
  ): Promise<boolean> => {
    const { host } = known.rules;
    const change = async () => {
      const { pauses } = await registryLimits.read(host);
      const changed = next(pauses);
      known.pauses = changed ?? pauses;
      if (changed === undefined) return "unchanged";
      return (await registryLimits.writePauses(host, changed, clock.now())) ? "stored" : "lost";
    };
    const changing = (known.pausing ?? Promise.resolve()).then(() => untilStored(change));
    known.pausing = changing.catch(() => undefined);
    return (await changing) === "stored";
  };

  /** Reads the stored state again while the registry or the repository rests. */
  const readWhileResting = async (known: Known, { repository }: RepositoryName): Promise<void> => {
    const now = clock.now();
    const { host, circuitBreaker } = known.rules;
    const rests =
      pauseFor(known.pauses, repository, now) !== undefined ||
      admit(known.breaker, circuitBreaker, now).kind === "rest";
    if (!rests || (known.readAt !== undefined && Math.abs(now - known.readAt) < readAgainAfter)) return;
    known.readAt = now;
    const state = await registryLimits.read(host);
    known.breaker = state.breaker;
    known.outage = state.outage;
    known.pauses = state.pauses;
  };

  /**
   * Returns whether a request is the probe after a pause: after the end of a pause, one process sends
   * one request. Returns the refusal of the other requests.
   *
   * After a pause of the whole registry, the registry itself is asked first: the probe's repository
   * may be hostile, and give no answer.
   */
  const probePause = async (
    known: Known,
    name: RepositoryName,
    signal: AbortSignal,
  ): Promise<boolean | Unreachable> => {
    if (admitAfterPause(known.pauses, name.repository, clock.now()).kind === "ask") return false;
    const isProbe = await changePauses(known, (pauses) => {
      const admission = admitAfterPause(pauses, name.repository, clock.now());
      return admission.kind === "probe" ? admission.pauses : undefined;
    });
    if (!isProbe) return pauseRefusal(known, name, clock.now()) ?? false;
    const isWhole = known.pauses?.registry !== undefined;
    const isLimited = isWhole && (await answerForItself(known, name, signal))?.kind === "limited";
    return (isLimited ? pauseRefusal(known, name, clock.now()) : undefined) ?? true;
  };

  /**
   * Returns what an answer shows about the whole registry. An answer with a status may concern one
   * repository, so the registry itself is asked. Returns undefined if the answer shows nothing.
   */
  const signOf = async (
    { kind, isOutage, status, detail = "" }: Answered,
    askedAt: EpochMs,
    answers: () => Promise<RegistryAnswer | undefined>,
  ): Promise<RegistrySign | undefined> => {
    if (kind === "not-allowed") return undefined;
    if (isOutage !== true) return { kind: "answer", askedAt };
    if (status === undefined) return { kind: "no-answer", askedAt, detail };
    const itself = await answers();
    if (itself === undefined) return undefined;
    return itself.kind === "no-answer" ? { kind: "no-answer", askedAt, detail } : { kind: "answer", askedAt };
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
    asksItself: () => Promise<RegistryAnswer | undefined>,
  ): Promise<boolean> => {
    const failure = { detail, at: clock.now() };
    const repository = status === undefined ? undefined : name.repository;
    const next = (breaker: Breaker | undefined): Breaker | undefined =>
      afterFailure(breaker, failure, known.rules.circuitBreaker, isProbe, repository);
    const opens = (breaker: Breaker | undefined): boolean => next(breaker)?.state === "open";
    const isCounted = await change(known, (breaker) => (opens(breaker) ? undefined : next(breaker)));
    if (isCounted || !opens(known.breaker)) return false;
    const itself = await asksItself();
    if (itself?.kind === "no-answer") return await change(known, next);
    if (itself !== undefined) await change(known, (breaker) => afterAnswer(breaker, isProbe));
    return false;
  };

  /** Stores the pause after an answer with a limit, or the end of a pause after the probe's answer. */
  const noteLimit = async (
    known: Known,
    { repository }: RepositoryName,
    answer: Answered,
    isProbe: boolean,
    asksItself: () => Promise<RegistryAnswer | undefined>,
    metrics: Metrics,
  ): Promise<void> => {
    const { host } = known.rules;
    const now = clock.now();
    const stated = limitOf(host, answer);
    if (stated === undefined) {
      if (isProbe && isAnswer(answer)) await changePauses(known, (pauses) => afterProbe(pauses, repository, now));
      return;
    }
    const isKnown = known.answeredAt !== undefined && Math.abs(now - known.answeredAt) < answerHolds;
    const itself = isKnown ? "answers" : (await asksItself())?.kind;
    await changePauses(known, (pauses) => afterLimit(pauses, { ...stated, repository, isProbe }, itself, now));
    metrics.add("RegistryRefusals", 1, { registry: host, reason: "registry-throttled" });
  };

  const leave = async (
    known: Known,
    name: RepositoryName,
    answer: Answered,
    askedAt: EpochMs,
    { isProbe, endsPause, isSpare }: Omit<Sent, "refusal">,
    signal: AbortSignal,
    metrics: Metrics,
  ): Promise<void> => {
    const { host } = known.rules;
    const now = clock.now();
    let asked: Promise<RegistryAnswer | undefined> | undefined;
    const asksItself = () => (asked ??= answerForItself(known, name, signal));
    await noteLimit(known, name, answer, endsPause, asksItself, metrics);
    if (answer.kind === "not-allowed" || (isSpare && answer.isOutage === true)) return;
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

  return (metrics: Metrics): Registry => {
    const ask = async <Answer extends Answered>(
      name: RepositoryName,
      signal: AbortSignal,
      asking: Asking | undefined,
      send: (beforePage: BeforePage) => Promise<Answer>,
    ): Promise<Answer | Unreachable> => {
      const known = knownOf(name.registry);
      const payers = asking?.spending?.payers ?? [];
      await readWhileResting(known, name);
      const count = (): void => asking?.spending?.countRequest();
      const overBudget = (now: EpochMs) => budgetRefusal(asking, now);
      const isSpare = asking?.spareWithin !== undefined;
      const refusedBy = (now: EpochMs) =>
        pauseRefusal(known, name, now) ?? overBudget(now) ?? spareRefusal(known, name, isSpare, now);
      const admitted = await enter(known, { payers, refusedBy, count, isSpare }, signal, metrics);
      if (admitted.kind === "unreachable") return admitted;
      const endsPause = await probePause(known, name, signal);
      if (typeof endsPause === "object") return endsPause;
      const asked: Sent = { isProbe: admitted.kind === "probe", endsPause, isSpare, refusal: undefined };
      const askedAt = clock.now();
      const answer = await send(async () => {
        // The breaker would refuse the later pages of the probe, because it admits no other request
        // during a probe.
        if (asked.isProbe) return undefined;
        const entering = { payers, refusedBy: endsPause ? overBudget : refusedBy, count, isSpare };
        const page = await enter(known, entering, signal, metrics);
        asked.isProbe = page.kind === "probe";
        asked.refusal = page.kind === "unreachable" ? page : undefined;
        return asked.refusal;
      });
      // A refusal by Lookout says nothing about the registry's health.
      if (asked.refusal !== undefined) {
        if (endsPause) await changePauses(known, (pauses) => afterProbe(pauses, name.repository, clock.now()));
        return asked.refusal;
      }
      await leave(known, name, answer, askedAt, asked, signal, metrics);
      if (answer.kind === "unreachable" && answer.reason === "over-budget")
        return { ...answer, until: plus(clock.now(), memoryFreeAfter) };
      return withPause(answer, pauseFor(known.pauses, name.repository, clock.now()));
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
export async function untilStored<Outcome>(write: () => Promise<Outcome | "lost">): Promise<Outcome | "lost"> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const outcome = await write();
    if (outcome !== "lost") return outcome;
  }
  return "lost";
}

/** Spends a token of all, or a token that only these payers may spend. Returns false without one. */
function spendToken(known: Known, payers: readonly string[], now: EpochMs): boolean {
  const { own } = known;
  if (known.tokens > 0 && isValid(known, now)) {
    known.tokens -= 1;
    return true;
  }
  if (own.size === 0) return false;
  for (const taker of takersOf(payers)) {
    const leased = own.get(taker);
    if (leased === undefined || leased.tokens === 0 || !isValid(leased, now)) continue;
    leased.tokens -= 1;
    return true;
  }
  return false;
}

/** Returns whether a lease has not ended. An end far ahead is from before the clock was set back. */
function isValid({ until }: { readonly until: EpochMs }, now: EpochMs): boolean {
  return until > now && !isAhead(until, now);
}

/** Returns the refusal of the payers' budget, or undefined. */
function budgetRefusal(asking: Asking | undefined, now: EpochMs): Unreachable | undefined {
  const over = asking?.spending?.overBudget();
  if (over === undefined) return undefined;
  const retryAfterMs = durationMs(over.retryAfterMs ?? memoryFreeAfter);
  return {
    kind: "unreachable",
    reason: "over-budget",
    detail: over.detail,
    retryAfterMs,
    until: plus(now, retryAfterMs),
  };
}

/** The time after which other runs of a namespace have ended, and given their memory back. */
const memoryFreeAfter = seconds(30);

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

/** Returns the limit that an answer states, or undefined if it states none. */
function limitOf(host: string, { reason, detail, retryAfterMs, pauseMs }: Answered): LimitAnswer | undefined {
  if (retryAfterMs !== undefined && (retryAfterMs > 0 || reason === "registry-throttled"))
    return { detail: detail ?? `${host} asked for a pause`, pauseMs: retryAfterMs };
  return pauseMs === undefined || pauseMs <= 0 ? undefined : { detail: noRequestsLeft(host), pauseMs };
}

/** Returns whether the registry gave an answer, so that a pause may end. */
function isAnswer({ kind, isOutage }: Answered): boolean {
  return kind !== "not-allowed" && isOutage !== true;
}

/** Returns an answer with a limit, with the pause that it caused. Other answers are not changed. */
function withPause<Answer extends Answered>(answer: Answer, pause: Pause | undefined): Answer {
  if (pause === undefined || answer.kind !== "unreachable" || answer.reason !== "registry-throttled") return answer;
  return { ...answer, detail: pauseCause({ ...pause, detail: answer.detail ?? "" }), until: pause.until };
}

/** Returns the refusal of a request during a pause, or undefined without a pause. */
function pauseRefusal({ rules, pauses }: Known, { repository }: RepositoryName, now: EpochMs): Unreachable | undefined {
  const pause = pauseFor(pauses, repository, now);
  if (pause === undefined) return undefined;
  const whom = "repository" in pause ? `${rules.host}/${repository}` : rules.host;
  return {
    kind: "unreachable",
    reason: "registry-throttled",
    detail: `Lookout does not ask ${whom} until ${toIso(pause.until)}: ${pauseCause(pause)}`,
    retryAfterMs: since(now, pause.until),
    until: pause.until,
  };
}

function throttled(host: string, what: string, retryAfterMs: DurationMs): Unreachable {
  return { kind: "unreachable", reason: "registry-throttled", detail: `${host} ${what}`, retryAfterMs };
}

function tooOften({ host, rateLimiting }: RequestRules, wait: DurationMs): Unreachable {
  return throttled(host, `is limited to ${rateLimiting?.requestsPerSecond ?? 0} requests per second`, wait);
}

/** Returns the refusal of a request that nobody needs and that would be the probe after a pause. */
function spareRefusal(
  { rules, pauses }: Known,
  { repository }: RepositoryName,
  isSpare: boolean,
  now: EpochMs,
): Unreachable | undefined {
  return isSpare && admitAfterPause(pauses, repository, now).kind !== "ask" ? notSpared(rules.host) : undefined;
}

/** Returns the refusal of a request that nobody needs while the registry rests or has no token left. */
function notSpared(host: string): Unreachable {
  return { kind: "unreachable", reason: "registry-not-asked", detail: `${host} has no time for this request` };
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
