import type { ImagePushed } from "#domain/image/push";
import { imageNameOf } from "#domain/image/reference";
import { isInRepository } from "#domain/settings/base-images";
import { endsRegistryOutage, showsOtherTags, wantsOtherImages } from "#domain/update/decide/propose";
import { endsWithOutage, hasEndedSince } from "#domain/registry/checks";
import { isOut } from "#domain/registry/outage";
import { longestPause, pauseFor } from "#domain/registry/pauses";
import { isSweepDue, isSweepReplaced, scanRulesOf, shortestOf } from "#domain/registry/sweeps";
import { deepEqual } from "#domain/shared/deep-equal";
import { type DurationMs, durationMs, type EpochMs, plus, seconds, toIso } from "#domain/shared/time";
import { atMostNow, isAhead } from "#domain/shared/wrong-clock";
import type { WorkloadSettings } from "#domain/settings/settings";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { followsMoves } from "#domain/update/decide/desired-image";
import { namespacesOf, workloadKey, type WorkloadName } from "#domain/workload/workload";
import type { SweepRepository } from "#domain/update/commands";
import type { RegistryRefusal, RepositoryName } from "#ports/registry";
import type { RegistryState } from "#ports/registry-limits";
import type { RepositoryState } from "#ports/repositories";
import { answeringRegistry, failureOf } from "../shared/answering-registry.ts";
import { digestsOf, readBaseImages } from "../shared/base-images.ts";
import { mapBounded } from "../shared/bounded.ts";
import { desiredImages } from "../shared/selection.ts";
import { reasonOfRefusal, recordFirstError } from "../shared/first-registry-error.ts";
import type { SubscriberPage } from "#ports/store";
import type { Ports } from "../shared/ports.ts";
import { startRegistryReads, type RegistryReads } from "../shared/registry-reads.ts";
import { readOnce } from "../shared/once.ts";
import { readRegistryStates } from "../shared/registry-states.ts";
import { type RecordWithSettings, withSettings } from "../shared/records.ts";
import { discoverTags } from "../shared/tag-history.ts";
import { noteMode } from "./note-mode.ts";
import { unsubscribe } from "../shared/subscriptions.ts";
import { absenceOf } from "../shared/unknown-cluster.ts";

/** The number of subscribers that are read in one page. */
const subscribersPerPage = 100;

/** The number of subscribers that are compared at the same time. */
const comparedAtOnce = 10;

/** The numbers of queued and postponed sweeps. */
export interface SweepDueOutcome {
  readonly kind: "sweeping";
  readonly repositories: number;
  /** The number of due repositories that rest, because they or their registry are paused. */
  readonly leftAlone: number;
}

/**
 * Queues a `SweepRepository` for each repository that is due, except during a pause of the repository
 * or of its registry.
 *
 * The function stores the tick last, so that after a failure the next tick queues the same sweeps.
 */
export async function sweepDue(ports: Ports): Promise<SweepDueOutcome> {
  await noteMode(ports);
  const {
    repositories,
    queues,
    clock,
    metrics,
    rules: { registries: registryRules },
  } = ports;
  const at = clock.now();
  const listed = await repositories.list();
  const tick = { lastTick: await repositories.lastTick(), now: at };
  const states = await readRegistryStates(listed, ports);
  const { probes, recovered } = outageSweeps(listed, states);
  const rests = (state: RepositoryState): boolean =>
    !recovered.has(state) &&
    (isResting(state, at) || pauseFor(states.get(state.registry)?.pauses, state.repository, at) !== undefined);
  const allDue = listed.filter(
    (state) =>
      probes.has(state) ||
      recovered.has(state) ||
      isSweepDue(state, scanRulesOf(state.registry, registryRules.registries), tick),
  );
  const due = allDue.filter((state) => !rests(state));
  const id = `sweep:${at}`;
  const sweepOf = ({ registry, repository }: RepositoryName) =>
    ({ command: { name: "SweepRepository", id, registry, repository, at } }) as const;
  await queues.send([
    ...due.map(sweepOf),
    ...[...probes].map((state) => ({ ...sweepOf(state), delay: secondProbeAfter })),
  ]);
  await repositories.writeTick(at);
  metrics.add("SweepsStarted", 1);
  return { kind: "sweeping", repositories: due.length, leftAlone: allDue.length - due.length };
}

/** Returns whether the last sweep met a pause that runs. A later sweep was before the clock was set back. */
function isResting({ problem }: RepositoryState, at: EpochMs): boolean {
  if (problem?.until === undefined || problem.at > at) return false;
  return Math.min(problem.until, plus(problem.at, longestPause)) > at;
}

/** The time between the two sweeps of a tick that find the end of an outage. */
const secondProbeAfter = seconds(30);

/**
 * Returns one repository for each registry that gives no answer, and the repositories of registries
 * that answer again. The repository with the oldest failure comes first.
 */
function outageSweeps(
  listed: readonly RepositoryState[],
  states: ReadonlyMap<string, RegistryState>,
): { readonly probes: ReadonlySet<RepositoryState>; readonly recovered: ReadonlySet<RepositoryState> } {
  const outageOf = ({ registry }: RepositoryState) => states.get(registry)?.outage;
  const out = listed.filter((state) => isOut(outageOf(state)));
  const oldestFirst = out.toSorted((left, right) => (left.problem?.at ?? 0) - (right.problem?.at ?? 0));
  const byRegistry = new Map(oldestFirst.toReversed().map((state) => [state.registry, state]));
  const recovered = listed.filter((state) => {
    const { problem } = state;
    return problem !== undefined && hasEndedSince(outageOf(state), problem.reason, problem.at);
  });
  return { probes: new Set(byRegistry.values()), recovered: new Set(recovered) };
}

/** The outcome of a `SweepRepository`. */
export type SweepOutcome =
  /** The command waited so long that the next sweep of the repository is already queued. */
  | { readonly kind: "replaced" }
  /** The repository has no subscribers, and its state is deleted. */
  | { readonly kind: "dropped" }
  /** No push was missed, no workload waited for the registry, and the registry answered. */
  | { readonly kind: "nothing-new"; readonly workloads: number; readonly eventsMissed: 0 }
  | {
      readonly kind: "swept";
      readonly workloads: number;
      /** 1 if a push was missed and the sweep published its event, else 0. */
      readonly eventsMissed: 0 | 1;
      /** The first failure of the registry. Absent if there is no failure. */
      readonly problem?: RepositoryState["problem"];
      /** The first unexpected error of the registry, for the log. Absent without one. */
      readonly failure?: unknown;
    };

/**
 * Checks one repository for a missed push, unless its next sweep is already queued.
 *
 * A sweep selects tags as a push does, writes no record, and publishes an event for a missed push.
 * A push that arrived during a registry outage is not a missed push. The sweep queues evaluations
 * of the workloads that waited for the registry.
 */
export async function sweepRepository(
  command: SweepRepository,
  ports: Ports,
  signal: AbortSignal,
): Promise<SweepOutcome> {
  const { registry, repository } = command;
  const state = (await ports.repositories.read(command)) ?? { registry, repository, missed: 0 };
  const rules = scanRulesOf(registry, ports.rules.registries.registries);
  if (isSweepReplaced(state, rules, command.at, ports.clock.now())) return { kind: "replaced" };
  return sweep(state, command.id, ports, signal);
}

/**
 * Checks a repository for a missed push now. Stores the repository's state if it changed.
 *
 * @param id - the id of the sweep, which is part of the id of a missed push's event.
 */
export async function sweep(
  state: RepositoryState,
  id: string,
  ports: Ports,
  signal: AbortSignal,
): Promise<Exclude<SweepOutcome, { kind: "replaced" }>> {
  const startedAt = ports.clock.now();
  let failure: unknown;
  const heard = recordFirstError(answeringRegistry(ports.registry, (error) => (failure ??= error)));
  const first = await ports.store.subscribers(state, subscribersPerPage);
  const payers = namespacesOf(first.workloads);
  const reads = startRegistryReads({ ...ports, registry: heard.registry }, payers, signal);
  const comparison = await compareSubscribers(state, first, reads, ports);
  const { subscribers, workloads, missed, toEvaluate, moves } = comparison;
  if (subscribers === 0) return drop(state, ports);
  // Outdated moves would make old tags look new to the next workload that follows moves.
  if (state.followsMoves === true && moves === "unused") await ports.tagHistory.drop(state);
  if (missed) await ports.bus.publish([eventOf(state, id, startedAt)]);
  await ports.queues.send(
    toEvaluate.map((workload) => ({ command: { name: "EvaluateWorkload", id, workload, source: "sweep" } })),
  );
  const problem = problemOf(heard.firstError(), state, ports.clock.now());
  const isChecked = problem.problem === undefined && heard.hasAnswered();
  const found = {
    ...stateAfter(state, comparison, startedAt, ports),
    ...checkOfSweep(isChecked ? startedAt : undefined, state, ports),
    ...problem,
  };
  if (!deepEqual(found, state)) await ports.repositories.write(found);
  countFinds(state, { missed, ...problem }, ports);
  if (!missed && toEvaluate.length === 0 && problem.problem === undefined)
    return { kind: "nothing-new", workloads, eventsMissed: 0 };
  return { kind: "swept", workloads, eventsMissed: missed ? 1 : 0, ...problem, ...failureOf(failure) };
}

/** Returns the state of a repository after a sweep. The caller adds the registry's problem. */
function stateAfter(
  state: RepositoryState,
  { missed, moves, intervals }: Comparison,
  startedAt: EpochMs,
  ports: Ports,
): RepositoryState {
  return {
    registry: state.registry,
    repository: state.repository,
    firstSweptAt: state.firstSweptAt ?? startedAt,
    missed: state.missed + (missed ? 1 : 0),
    ...(missed ? { lastMissedAt: startedAt } : lastMissOf(state)),
    ...intervalOf(state, intervals, ports),
    ...(moves === "unused" ? {} : movesOf(state, moves)),
  };
}

/** Returns the instant of the last whole sweep, or an earlier one that may stay stored. */
function checkOfSweep(
  now: EpochMs | undefined,
  { checkedAt: before, problem }: RepositoryState,
  { repositories: { checksLagAtMost } }: Ports,
): Pick<RepositoryState, "checkedAt"> {
  const isRecent = before !== undefined && now !== undefined && !isAhead(before, now) && now - before < checksLagAtMost;
  const checkedAt = isRecent && problem === undefined ? before : (now ?? before);
  return checkedAt === undefined ? {} : { checkedAt };
}

function countFinds(
  { registry, repository }: RepositoryName,
  { missed, problem }: Pick<RepositoryState, "problem"> & { readonly missed: boolean },
  { metrics }: Ports,
): void {
  const about = { registry, repository };
  if (missed) metrics.add("EventsMissed", 1, about);
  if (problem === undefined) return;
  const throttled = problem.until === undefined ? {} : { until: toIso(problem.until) };
  metrics.add("RegistryRefusals", 1, { ...about, reason: problem.reason, ...throttled });
}

/** Deletes the state of a repository. Restores the state if a workload subscribed meanwhile. */
async function drop(
  state: RepositoryState,
  { repositories, store, tagHistory }: Ports,
): Promise<{ readonly kind: "dropped" }> {
  if (state.followsMoves === true) await tagHistory.drop(state);
  await repositories.forget(state);
  if ((await store.subscribers(state, 1)).workloads.length > 0) await repositories.write(state);
  return { kind: "dropped" };
}

/**
 * The use of stored tag moves by subscribers that follow the newest tag. Tags that were listed
 * after `listedAt` are new.
 *
 * `unknown`: a subscriber's settings can't be parsed, so the stored moves stay.
 */
type MovesUse = "unused" | "unknown" | { readonly listedAt: EpochMs | undefined };

function movesOf(
  { followsMoves, listedAt }: RepositoryState,
  moves: Exclude<MovesUse, "unused">,
): Pick<RepositoryState, "followsMoves" | "listedAt"> {
  const since = moves === "unknown" ? listedAt : moves.listedAt;
  const follows = moves === "unknown" ? followsMoves === true : true;
  return { ...(follows ? { followsMoves: true } : {}), ...(since === undefined ? {} : { listedAt: since }) };
}

/** The result of comparing all subscribers with the registry. */
interface Comparison {
  readonly subscribers: number;
  /** The number of subscribers in configured clusters. */
  readonly workloads: number;
  readonly missed: boolean;
  readonly toEvaluate: readonly WorkloadName[];
  readonly moves: MovesUse;
  /**
   * The distinct intervals of the allowed subscribers. The list has undefined for a subscriber
   * without the annotation.
   */
  readonly intervals: readonly (DurationMs | undefined)[];
}

function intervalOf(
  { registry }: RepositoryName,
  intervals: Comparison["intervals"],
  { rules: { registries: registryRules } }: Ports,
): Pick<RepositoryState, "interval"> {
  const interval = shortestOf(intervals, scanRulesOf(registry, registryRules.registries));
  return interval === undefined ? {} : { interval };
}

async function compareSubscribers(
  name: RepositoryState,
  first: SubscriberPage,
  reads: RegistryReads,
  ports: Ports,
): Promise<Comparison> {
  const once = readOnce();
  const absenceIn = (cluster: string): ReturnType<typeof absenceOf> => once(cluster, () => absenceOf(cluster, ports));
  const compare = async (record: WorkloadRecord, settings: WorkloadSettings): Promise<Find> => {
    const { cluster } = record.workload;
    // The function that untracked the workload may have ended before it unsubscribed.
    if (!record.tracked) await unsubscribe(record.workload, ports);
    const absence = await absenceIn(cluster);
    if (absence === "removed") return "evaluate";
    return absence === undefined ? find(record, settings, name, reads) : "nothing";
  };
  const compareAll = (parsed: readonly RecordWithSettings[]): Promise<readonly Compared[]> =>
    mapBounded(parsed, comparedAtOnce, async ({ record, settings }) => ({
      record,
      found: await compare(record, settings),
    }));
  let subscribers = 0;
  let workloads = 0;
  let missed = false;
  let moves: MovesUse = "unused";
  const toEvaluate: WorkloadName[] = [];
  const intervals = new Set<DurationMs | undefined>();
  for (let page = first; ; page = await ports.store.subscribers(name, subscribersPerPage, page.next)) {
    const parsed = await withSettings(await ports.store.readMany(page.workloads, "may-be-stale"), ports);
    moves = await movesUsed(moves, name, parsed, reads, ports);
    const suspects = (await compareAll(parsed)).filter(({ found }) => found !== "nothing");
    const keys = suspects.map(({ record }) => workloadKey(record.workload));
    // This strongly consistent read shows an update that a push has just started, so the push is
    // not reported as missed.
    const finds =
      keys.length === 0 ? [] : await compareAll(await withSettings(await ports.store.readMany(keys), ports));
    subscribers += page.workloads.length;
    const absent = await mapBounded(parsed, comparedAtOnce, ({ record }) => absenceIn(record.workload.cluster));
    workloads += page.workloads.length - absent.filter((absence) => absence !== undefined).length;
    for (const { record, settings } of parsed)
      if (record.tracked && reads.whyNotAllowed(name, record.workload) === undefined) intervals.add(settings.interval);
    missed ||= finds.some(({ found }) => found === "missed");
    toEvaluate.push(...finds.flatMap(({ record, found }) => (found === "evaluate" ? [record.workload] : [])));
    if (page.next === undefined)
      return { subscribers, workloads, missed, toEvaluate, moves, intervals: [...intervals] };
  }
}

/**
 * Returns the use of stored moves. Discovers new tags before the first selection, once for all
 * pages.
 */
async function movesUsed(
  before: MovesUse,
  state: RepositoryState,
  parsed: readonly RecordWithSettings[],
  reads: RegistryReads,
  ports: Ports,
): Promise<MovesUse> {
  if (typeof before === "object") return before;
  const tracked = parsed.filter(
    ({ record }) => record.tracked && reads.whyNotAllowed(state, record.workload) === undefined,
  );
  if (tracked.some(({ record, settings }) => followsMoves(imageNameOf(state), record.observed, settings)))
    return { listedAt: await discoverTags(state, reads, ports) };
  return tracked.some(({ settings }) => settings.problems.some(({ closes }) => closes)) ? "unknown" : before;
}

type Find = "missed" | "evaluate" | "nothing";

interface Compared {
  readonly record: WorkloadRecord;
  readonly found: Find;
}

/**
 * Compares one subscriber with the registry. A workload that waits for its evaluation has missed
 * nothing.
 */
async function find(
  record: WorkloadRecord,
  settings: WorkloadSettings,
  name: RepositoryName,
  reads: RegistryReads,
): Promise<Find> {
  if (!record.tracked || record.needsEvaluation === true) return "nothing";
  const desired = await desiredImages(record, settings, reads, imageNameOf(name));
  if (endsRegistryOutage(record, desired)) return "evaluate";
  const base = await findOfBases(record, settings, name, reads);
  if (base === "missed") return base;
  if (wantsOtherImages(record, { settings, desiredImages: desired })) return "missed";
  return showsOtherTags(record, desired) ? "evaluate" : base;
}

/** Compares the base images of one subscriber with the registry. The first digest of an image is no push. */
async function findOfBases(
  { workload, baseImages: seen = [] }: WorkloadRecord,
  { baseImages = [] }: WorkloadSettings,
  name: RepositoryName,
  reads: RegistryReads,
): Promise<Find> {
  const here = baseImages.filter((image) => isInRepository(image, imageNameOf(name)));
  const found = digestsOf(await readBaseImages(here, workload, reads));
  const known = new Map(seen.map(({ image, digest }) => [image, digest]));
  if ([...found].every(([image, digest]) => known.get(image) === digest)) return "nothing";
  return [...found].some(([image, digest]) => (known.get(image) ?? digest) !== digest) ? "missed" : "evaluate";
}

function eventOf({ registry, repository }: RepositoryName, id: string, at: EpochMs): ImagePushed {
  return {
    name: "ImagePushed",
    id: `${id}:${imageNameOf({ registry, repository })}`,
    registry,
    repository,
    source: "sweep",
    at,
  };
}

function problemOf(
  refusal: RegistryRefusal | undefined,
  { problem: before }: RepositoryState,
  now: EpochMs,
): Pick<RepositoryState, "problem"> {
  if (refusal === undefined) return {};
  const reason = reasonOfRefusal(refusal);
  const retryAfterMs = refusal.kind === "unreachable" ? refusal.retryAfterMs : undefined;
  const isSame = before !== undefined && (before.reason === reason || [before.reason, reason].every(endsWithOutage));
  const since = isSame ? atMostNow(before.since, now) : now;
  const restMs = Math.min(longestPause, retryAfterMs ?? 0);
  const until = retryAfterMs === undefined ? {} : { until: plus(now, durationMs(restMs)) };
  return { problem: { reason, detail: refusal.detail, since, at: now, ...until } };
}

function lastMissOf({ lastMissedAt }: RepositoryState): Pick<RepositoryState, "lastMissedAt"> {
  return lastMissedAt === undefined ? {} : { lastMissedAt };
}
