import type { ImagePushed } from "#domain/image/push";
import { imageNameOf } from "#domain/image/reference";
import { isSynthetic } from "#domain/image/synthetic-push";
import type { WorkloadSettings } from "#domain/settings/settings";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { type BaseImage, isInRepository } from "#domain/settings/base-images";
import { selectsNowhere } from "#domain/update/decide/desired-image";
import { namespaceOf, namespacesOf } from "#domain/workload/workload";
import type { SubscriberPage } from "#ports/store";
import { mapBounded } from "../shared/bounded.ts";
import { decide } from "../decide.ts";
import { failureOf } from "../shared/answering-registry.ts";
import type { Ports } from "../shared/ports.ts";
import { type RecordWithSettings, settingsOf, withSettings } from "../shared/records.ts";
import { evaluateLater } from "../shared/send-commands.ts";
import { leave, resume, storeThen } from "../shared/turn.ts";
import { absenceOf } from "../shared/unknown-cluster.ts";
import { startProposalReads, type ProposalReads, proposeUpdate } from "./propose-update.ts";
import { minAgeOf } from "#domain/gates/min-age";
import { inTurns } from "#domain/shared/in-turns";
import { type DurationMs, durationMs, minutes, seconds } from "#domain/shared/time";
import { followBaseImages } from "./base-images.ts";
import { publishDispute } from "./dispute.ts";
import { fairPage, type PagePosition } from "./fair-page.ts";
import { beginPush, causeOfPush, type JoinedPush, moveNotStoredError, storeMove } from "./push-coalescing.ts";

/**
 * The number of subscribers that one delivery of a push evaluates. Another delivery evaluates the
 * rest.
 */
const subscribersPerDelivery = 100;

/**
 * The number of records that are written at the same time. In a store with one writer, more
 * concurrent writes would time out.
 */
const writesAtOnce = 10;

/**
 * The pauses before a failed workload is evaluated again. Most failures end within a moment. The
 * second evaluation comes after the deliveries of the first.
 */
const failurePauses = [seconds(1), minutes(1)];

/** The outcome of an `ImagePushed`. */
export type PushOutcome =
  /** The push was a probe, and its arrival is stored. */
  | { readonly kind: "synthetic" }
  /** The repository has no subscribers. */
  | { readonly kind: "unknown-repository" }
  /** Another delivery evaluates the repository now, and will evaluate it again for this push. */
  | { readonly kind: "joined" }
  | EvaluatedPush;

/** The outcome of one or more rounds of evaluations. */
interface EvaluatedPush {
  readonly kind: "evaluated";
  /** The number of subscribers in the last round. */
  readonly workloads: number;
  /** The number of changed records in all rounds. */
  readonly changed: number;
  /**
   * The first failure of a workload, or the first unexpected error of a registry. Failed workloads
   * are evaluated again, each alone. Absent if nothing failed.
   */
  readonly failure?: unknown;
}

/**
 * Evaluates each workload that is subscribed to the repository of a push.
 *
 * The push is only a hint. Lookout reads tags and digests from the registry. Pushes that arrive
 * during the evaluation share one more evaluation.
 */
export async function evaluatePush(push: ImagePushed, ports: Ports, signal: AbortSignal): Promise<PushOutcome> {
  if (isSynthetic(push)) {
    await ports.probeResults.put(push.id, ports.clock.now());
    return { kind: "synthetic" };
  }
  const subscribers = await ports.store.subscribers(push, subscribersPerDelivery, push.after);
  // A push may name any repository. Without subscribers, Lookout reads and stores nothing else.
  if (push.after === undefined && subscribers.workloads.length === 0) return { kind: "unknown-repository" };
  if (push.after !== undefined) return evaluatePage(subscribers, push, "first", ports, signal);

  const { registry, repository, source } = push;
  ports.metrics.add("PushesReceived", 1 + (push.replaced ?? 0), { registry, repository, source });
  const begun = await beginPush(push, subscribers, ports, signal);
  if (begun.kind === "joined") {
    await compareJoined(push, begun, ports);
    return { kind: "joined" };
  }
  let outcome = await evaluatePage(subscribers, push, "first", ports, signal);
  while ((await ports.pushCoalescing.end(push, push.id, ports.clock.now())) === "again") {
    // The subscribers are read again. A workload that subscribed meanwhile may have been evaluated
    // before a joined push arrived.
    const page = await ports.store.subscribers(push, subscribersPerDelivery);
    outcome = withRound(outcome, await evaluatePage(page, push, "again", ports, signal));
  }
  return outcome;
}

function withRound(before: EvaluatedPush, round: EvaluatedPush): EvaluatedPush {
  const firstFailure = before.failure === undefined ? {} : { failure: before.failure };
  return { ...round, changed: before.changed + round.changed, ...firstFailure };
}

/**
 * Compares a joined push with the registry, and begins the age of its tag, if a workload can get the
 * tag. The other evaluation may not read that tag.
 */
async function compareJoined(push: ImagePushed, { subscribers, reads }: JoinedPush, ports: Ports): Promise<void> {
  const receivers = subscribers.filter(
    ({ record, settings }) =>
      record.tracked &&
      reads.whyNotAllowed(push, record.workload) === undefined &&
      !changesNothing(record, settings, push),
  );
  if (receivers.length === 0) return;
  await seePushedTag(push, durationMs(Math.max(...receivers.map(({ settings }) => minAgeOf(settings)))), reads);
  await publishDispute(push, { resolved: (name, tag) => reads.resolve(name, tag) }, ports);
}

/** Stores the digest of a pushed tag, if the workloads that may get the tag have a minimum age. */
async function seePushedTag(push: ImagePushed, minAge: DurationMs, reads: JoinedPush["reads"]): Promise<void> {
  if (push.tag === undefined || minAge === 0) return;
  const read = await reads.resolve(push, push.tag);
  if (read.kind === "manifest") await (await reads.seen(push)).see(push.tag, read.digest, minAge);
}

/**
 * The round of an evaluation. `again` is for joined pushes, whose tags may differ. So it evaluates
 * every subscriber, and stores no move. Records of the first round need no second
 * `sendNextCommands`.
 */
type Round = "first" | "again";

/** Evaluates the subscribers of a page, and starts the next page. */
async function evaluatePage(
  page: SubscriberPage,
  push: ImagePushed,
  round: Round,
  ports: Ports,
  signal: AbortSignal,
): Promise<EvaluatedPush> {
  const { workloads, rest } = fairPage(page, push.within);
  const subscribers = await withSettings(await ports.store.readMany(workloads), ports);
  const reads = startProposalReads(ports, namespacesOf(workloads), signal, push);
  // The move is stored before any workload selects. A joined push stores its own move.
  const isMoveStored = round === "again" || (await storeMove(push, subscribers, reads.registry, ports));

  const absent = await absentClusters(subscribers, ports);
  const isAbsent = ({ record }: RecordWithSettings): boolean => absent.has(record.workload.cluster);
  // The workloads end, or their cluster becomes known to this function within seconds.
  const waiting = subscribers.filter((one) => isAbsent(one) && one.record.tracked);
  await evaluateLater(
    waiting.map(({ record }) => record.workload),
    { id: push.id, correlationId: push.id },
    ports,
  );
  const evaluated = inFairOrder(subscribers.filter((one) => !isAbsent(one)));
  const results = await mapBounded(evaluated, writesAtOnce, (subscriber) =>
    evaluateAll(subscriber, push, round, reads, ports, signal).catch(async (failure: unknown) => {
      // One workload's failure must not fail the others.
      const { id } = push;
      await evaluateLater([subscriber.record.workload], { id, correlationId: id }, ports, failurePauses);
      return { failure };
    }),
  );

  // A failed page starts no next pages, because each of its deliveries would start them again.
  if (!isMoveStored) throw moveNotStoredError(push);
  // The next pages start after this page, because parallel pages would offer the same free slots.
  if (rest.length > 0) await ports.bus.publish(rest.map((position) => pageAt(push, round, position)));
  if (round === "first" && push.after === undefined) await publishDispute(push, reads.registry, ports);
  const [failed] = results.filter((result) => typeof result === "object");
  const changed = results.filter((result) => result === true).length;
  return {
    kind: "evaluated",
    workloads: subscribers.length,
    changed,
    ...failureOf(reads.registry.failure()),
    ...failed,
  };
}

/** Returns the clusters of subscribers that were synced before and are no longer configured. */
async function absentClusters(subscribers: readonly RecordWithSettings[], ports: Ports): Promise<ReadonlySet<string>> {
  const clusters = [...new Set(subscribers.map(({ record }) => record.workload.cluster))];
  const absences = await mapBounded(clusters, writesAtOnce, (cluster) => absenceOf(cluster, ports));
  return new Set(clusters.filter((_, index) => absences[index] !== undefined));
}

/**
 * Returns subscribers in turns of their namespaces. A workload whose containers go together comes
 * last, because it may wait for other registries.
 */
function inFairOrder(subscribers: readonly RecordWithSettings[]): readonly RecordWithSettings[] {
  const inTurnsOf = (some: readonly RecordWithSettings[]): readonly RecordWithSettings[] =>
    inTurns([...Map.groupBy(some, ({ record }) => namespaceOf(record.workload)).values()]);
  const [alone, together] = [false, true].map((is) => subscribers.filter(({ settings }) => settings.together === is));
  return [...inTurnsOf(alone ?? []), ...inTurnsOf(together ?? [])];
}

/** Evaluates the images of one subscriber, then its base images. Returns whether its record changed. */
async function evaluateAll(
  subscriber: RecordWithSettings,
  push: ImagePushed,
  round: Round,
  reads: ProposalReads,
  ports: Ports,
  signal: AbortSignal,
): Promise<boolean> {
  const changed = await evaluateSubscriber(subscriber, push, round, reads, ports, signal);
  // Joined pushes may have other tags.
  const tag = round === "first" ? push.tag : undefined;
  const isPushed = (image: BaseImage): boolean =>
    isInRepository(image, imageNameOf(push)) && (tag === undefined || tag === image.tag);
  if (subscriber.settings.baseImages?.some(isPushed) !== true) return changed;
  const { workload } = subscriber.record;
  const moved = await followBaseImages(workload, causeOfPush(push), reads.registry, ports, isPushed);
  return changed || moved;
}

/** Evaluates the images of one subscriber. Returns whether its record changed. */
async function evaluateSubscriber(
  subscriber: RecordWithSettings,
  push: ImagePushed,
  round: Round,
  pageReads: ProposalReads,
  ports: Ports,
  signal: AbortSignal,
): Promise<boolean> {
  const { record: loaded, settings: known } = subscriber;
  const { workload } = loaded;
  const deciding = { workload, cause: causeOfPush(push), doing: "evaluated", loaded };
  const origin = { detectedAt: push.at, source: push.source, correlationId: push.id };
  return decide<boolean>(deciding, ports, async (record, tries) => {
    if (!record.tracked) return leave(false);
    const isFirst = tries === 0;
    const settings = isFirst ? known : await settingsOf(record, ports);
    // A proposal needs tags that were read after the record.
    const reads = isFirst ? pageReads : startProposalReads(ports, [namespaceOf(workload)], signal);
    const now = ports.clock.now();
    const decision =
      round === "first" && changesNothing(record, settings, push)
        ? undefined
        : await proposeUpdate(record, settings, reads, origin, now, imageNameOf(push));
    if (decision !== undefined) return storeThen(record, decision, now, () => true);
    // Only the first round finds records that an earlier delivery of this push wrote.
    return round === "first" && isFirst ? resume(false) : leave(false);
  });
}

/**
 * Returns whether no container can get the pushed tag. In that case, Lookout does not list the
 * registry's tags.
 *
 * A record that waits for a registry's answer is always evaluated.
 */
function changesNothing(
  { observed, selectionFailures, needsEvaluation }: WorkloadRecord,
  settings: WorkloadSettings,
  push: ImagePushed,
): boolean {
  if (push.tag === undefined) return false;
  if (selectionFailures.length > 0 || needsEvaluation === true) return false;
  if (settings.problems.some(({ closes }) => closes)) return false;
  return selectsNowhere({ name: push.tag, movedAt: push.at }, imageNameOf(push), observed, settings);
}

/**
 * Returns the event for a later page. Joined pushes may have other tags, so their page has no tag.
 */
function pageAt(push: ImagePushed, round: Round, position: PagePosition): ImagePushed {
  const { within: _, ...repositoryWide } = push;
  if (round === "first") return { ...repositoryWide, ...position };
  const { tag: __, digest: ___, ...rest } = repositoryWide;
  return { ...rest, ...position };
}
