import { shortened } from "../shared/shown-text.ts";
import {
  type DurationMs,
  durationMs,
  epochMs,
  type EpochMs,
  hours,
  minutes,
  plus,
  seconds,
  toIso,
} from "../shared/time.ts";

/** A time without requests, after a registry stated a limit. */
export interface Pause {
  readonly since: EpochMs;
  /** The instant at which Lookout sends one request again, the probe. */
  readonly until: EpochMs;
  /** The answer of the registry: its host and its status. */
  readonly detail: string;
  /** The end of the pause that the registry asked for. Absent if Lookout rests as long. */
  readonly askedUntil?: EpochMs;
}

/** The pause of one repository. */
export interface RepositoryPause extends Pause {
  readonly repository: string;
}

/**
 * The stored pauses of one registry. `version` is the number of writes: the first write stores 1. A
 * pause stays stored after its end, until its probe is answered.
 */
export interface Pauses {
  readonly version: number;
  /** The pause of all repositories. */
  readonly registry?: Pause;
  /** The pauses of single repositories. The earliest end comes first. */
  readonly repositories: readonly RepositoryPause[];
}

/** An answer that states a limit. */
export interface LimitAnswer {
  readonly detail: string;
  /** The time for which the registry wants no requests. */
  readonly pauseMs: number;
}

/** The answer of a registry to a request about itself, `GET /v2/`. */
export type RegistryAnswer =
  | { readonly kind: "answers" }
  /** The registry answers, and allows no more requests. */
  | ({ readonly kind: "limited" } & LimitAnswer)
  /** The registry does not answer, or the adapter can't ask it. */
  | { readonly kind: "no-answer" };

/** The answer to a process that wants to send a request for a repository. */
export type PauseAdmission =
  | { readonly kind: "ask" }
  /** The process that first stores these pauses may send one request. */
  | { readonly kind: "probe"; readonly pauses: Pauses }
  | { readonly kind: "rest"; readonly pause: Pause | RepositoryPause };

/** The longest pause. Lookout asks again after this time, also if the registry asked for hours. */
export const longestPause: DurationMs = minutes(5);

/** The shortest pause after a limit. */
const shortestPause = seconds(1);

/** The time for a probe. Another probe may follow if no answer arrives. */
const probeFor = seconds(10);

/** The latest end of a pause that a user sees. A registry may state any number. */
const longestStated = hours(24);

/**
 * The maximum number of paused repositories that are stored for a registry. Users choose
 * repositories, so the number needs a limit.
 */
export const mostRepositories = 100;

const longestDetail = 120;

/** The clocks of two processes differ by less. */
const mostClockDifference = seconds(30);

/** Returns whether a pause runs. A later end than a pause can have is from before the clock was set back. */
function isRunning({ until }: Pause, now: EpochMs): boolean {
  return now < until && until - now <= longestPause + mostClockDifference;
}

/** Returns the running pauses, the registry's own first. */
export function runningPauses(pauses: Pauses | undefined, now: EpochMs): readonly (Pause | RepositoryPause)[] {
  if (pauses === undefined) return [];
  const { registry, repositories } = pauses;
  return [...(registry === undefined ? [] : [registry]), ...repositories].filter((pause) => isRunning(pause, now));
}

/** Returns the running pause that keeps requests from a repository: the one that ends last. */
export function pauseFor(
  pauses: Pauses | undefined,
  repository: string,
  now: EpochMs,
): Pause | RepositoryPause | undefined {
  return runningPauses(pauses, now)
    .filter((pause) => !("repository" in pause) || pause.repository === repository)
    .reduce<Pause | undefined>(
      (last, pause) => (last === undefined || pause.until > last.until ? pause : last),
      undefined,
    );
}

/** Returns whether a process may send a request for a repository now. */
export function admitAfterPause(pauses: Pauses | undefined, repository: string, now: EpochMs): PauseAdmission {
  const pause = pauseFor(pauses, repository, now);
  if (pause !== undefined) return { kind: "rest", pause };
  const until = plus(now, probeFor);
  const probed = <One extends Pause>(one: One | undefined): One | undefined =>
    one === undefined || isOld(one, now) ? undefined : { ...one, until };
  const registry = probed(pauses?.registry);
  const own = probed(ownPause(pauses, repository));
  if (registry === undefined && own === undefined) return { kind: "ask" };
  return { kind: "probe", pauses: changed(pauses, registry, withRepository(pauses, repository, own, now)) };
}

/** The answer with a limit to a request for one repository. */
export interface RepositoryLimit extends LimitAnswer {
  readonly repository: string;
  /** True if the request was the probe of a pause. */
  readonly isProbe: boolean;
}

/**
 * Returns the pauses after an answer with a limit for one repository. Returns undefined if the
 * repository rests as long already.
 *
 * A limit pauses its repository only. It pauses the whole registry if another repository is paused
 * too and `GET /v2/` has no answer: two hostile repositories of a shared registry prove nothing
 * while the registry itself answers without a limit.
 */
export function afterLimit(
  pauses: Pauses | undefined,
  { repository, isProbe, ...limit }: RepositoryLimit,
  itself: RegistryAnswer["kind"] | undefined,
  now: EpochMs,
): Pauses | undefined {
  const pause = pauseOf(limit, now);
  const before = ownPause(pauses, repository);
  const isConfirmed =
    itself === "no-answer" &&
    pauses?.repositories.some((one) => one.repository !== repository && isRunning(one, now)) === true;
  const isLonger = !isProbe && before !== undefined && isRunning(before, now) && before.until >= pause.until;
  if (isLonger && !isConfirmed) return undefined;
  return changed(
    pauses,
    isConfirmed ? pause : pauses?.registry,
    withRepository(pauses, repository, isLonger ? before : { ...pause, repository }, now),
  );
}

/**
 * Returns the pauses after the registry's answer about itself. A limit pauses the whole registry,
 * and an answer without a limit ends this pause. Returns undefined if the answer changes nothing.
 */
export function afterRegistryAnswer(
  pauses: Pauses | undefined,
  answer: RegistryAnswer,
  now: EpochMs,
): Pauses | undefined {
  switch (answer.kind) {
    case "limited":
      return changed(pauses, pauseOf(answer, now), pauses?.repositories ?? []);
    case "answers":
      return pauses?.registry === undefined ? undefined : changed(pauses, undefined, pauses.repositories);
    case "no-answer":
      return undefined;
  }
}

/** Returns the pauses after a probe's answer without a limit. Undefined if no pause ended. */
export function afterProbe(pauses: Pauses | undefined, repository: string, now: EpochMs): Pauses | undefined {
  if (pauses?.registry === undefined && ownPause(pauses, repository) === undefined) return undefined;
  return changed(pauses, undefined, withRepository(pauses, repository, undefined, now));
}

/** Returns the pauses after a user ended all of them. Undefined if there is no pause. */
export function afterResume(pauses: Pauses | undefined): Pauses | undefined {
  if (pauses === undefined || (pauses.registry === undefined && pauses.repositories.length === 0)) return undefined;
  return changed(pauses, undefined, []);
}

/** Returns the detail of a limit that an answer states in its headers. */
export function noRequestsLeft(host: string): string {
  return `${host} states that no requests are left (ratelimit-remaining: 0)`;
}

/** Returns what a registry answered, and the end of the pause that it asked for, for users. */
export function pauseCause({ detail, askedUntil }: Pause): string {
  return askedUntil === undefined ? detail : `${detail}, and asked for a pause until ${toIso(askedUntil)}`;
}

function ownPause(pauses: Pauses | undefined, repository: string): RepositoryPause | undefined {
  return pauses?.repositories.find((one) => one.repository === repository);
}

function pauseOf({ detail, pauseMs }: LimitAnswer, now: EpochMs): Pause {
  const askedMs = durationMs(Math.round(Math.min(Math.max(pauseMs, shortestPause), longestStated)));
  return {
    since: now,
    until: plus(now, durationMs(Math.min(askedMs, longestPause))),
    detail: shortened(detail, longestDetail),
    ...(askedMs > longestPause ? { askedUntil: epochMs(now + askedMs) } : {}),
  };
}

/** Returns the repositories' pauses with one replaced, or removed. The earliest ends are dropped. */
function withRepository(
  pauses: Pauses | undefined,
  repository: string,
  pause: RepositoryPause | undefined,
  now: EpochMs,
): readonly RepositoryPause[] {
  const others = (pauses?.repositories ?? []).filter((one) => one.repository !== repository && !isOld(one, now));
  return [...others, ...(pause === undefined ? [] : [pause])]
    .toSorted((left, right) => left.until - right.until)
    .slice(-mostRepositories);
}

/** Returns whether a pause ended so long ago, or ends so far in the future, that it needs no probe. */
function isOld({ until }: Pause, now: EpochMs): boolean {
  return Math.abs(until - now) > longestPause + mostClockDifference;
}

function changed(
  pauses: Pauses | undefined,
  registry: Pause | undefined,
  repositories: readonly RepositoryPause[],
): Pauses {
  return { version: (pauses?.version ?? 0) + 1, ...(registry === undefined ? {} : { registry }), repositories };
}
