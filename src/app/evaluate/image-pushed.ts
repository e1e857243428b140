import type { ImagePushed } from "#domain/image/push";
import { repositoryKey } from "#domain/image/reference";
import { isSynthetic } from "#domain/image/synthetic-push";
import type { WorkloadSettings } from "#domain/settings/settings";
import type { WorkloadRecord } from "#domain/update/states";
import { selectsNowhere, followsMoves } from "#domain/update/desired-image";
import { workloadKey } from "#domain/workload/workload";
import { TransientError } from "#ports/errors";
import type { SubscriberPage } from "#ports/store";
import { mapBounded } from "../shared/bounded.ts";
import type { Ports } from "../shared/ports.ts";
import { proposalFor, type ProposingPorts, type Readings, readingsOver } from "./proposing.ts";
import { readsOver } from "../shared/registry-reads.ts";
import {
  changedByOthers,
  commit,
  evaluateLater,
  maximumTries,
  type RecordWithSettings,
  sendNextCommands,
  settingsOf,
  withSettings,
} from "../shared/records.ts";
import { rememberPush } from "../shared/tag-history.ts";

type PushPorts = ProposingPorts &
  Pick<Ports, "repositories" | "bursts" | "probeResults" | "queues" | "bus" | "clock" | "metrics">;

/** How many subscribers one delivery of a push looks at; the rest follow in another. */
const subscribersPerDelivery = 100;

/** How many of them are written at once: a store with one writer would let the last wait until its request times out. */
const writesAtOnce = 10;

/** What became of a push. */
export type PushOutcome =
  /** It was made to see whether pushes arrive, and that it did is remembered. */
  | { readonly kind: "synthetic" }
  /** Nobody is subscribed to the repository. */
  | { readonly kind: "unknown-repository" }
  /** Another delivery is at it, and looks once more for this one. */
  | { readonly kind: "joined" }
  | {
      readonly kind: "evaluated";
      readonly workloads: number;
      readonly moved: number;
      /** What the look at some failed of; they are looked at again in a minute. Absent: nothing failed. */
      readonly failure?: unknown;
    };

/**
 * Looks at every workload that is subscribed to the repository of a push, and proposes what their policies select.
 *
 * The push itself is a hint: tags and digests are asked of the registry. Of a burst the first is looked at now, and once more after the last.
 */
export async function evaluatePush(event: ImagePushed, ports: PushPorts, signal: AbortSignal): Promise<PushOutcome> {
  if (isSynthetic(event)) {
    await ports.probeResults.put(event.id, ports.clock.now());
    return { kind: "synthetic" };
  }
  const page = await ports.store.subscribers(event, subscribersPerDelivery, event.after);
  // Pushes of any repository come here: of one that nobody uses nothing is asked, and nothing is kept.
  if (page.workloads.length === 0) return { kind: "unknown-repository" };
  if (event.after !== undefined) return lookAtPage(page, { event, round: "first" }, ports, signal);
  countPush(event, ports);
  const begun = await ports.bursts.begin(event, event.id, ports.clock.now());
  if (begun === "joined" && !(await takesOver(event, page, ports, signal))) return { kind: "joined" };
  let outcome = await lookAtPage(page, { event, round: "first" }, ports, signal);
  while ((await ports.bursts.end(event, event.id, ports.clock.now())) === "again") {
    // A workload may have subscribed since: its own first look may have been before what joined in was pushed.
    const subscribers = await ports.store.subscribers(event, subscribersPerDelivery);
    outcome = await lookAtPage(subscribers, { event, round: "again" }, ports, signal);
  }
  return outcome;
}

/** Whoever evaluates now may have looked before this push was remembered: then it is evaluated here. */
async function takesOver(
  event: ImagePushed,
  { workloads, next }: SubscriberPage,
  ports: PushPorts,
  signal: AbortSignal,
): Promise<boolean> {
  const asksHere = askWhenMoved(await withSettings(await ports.store.readMany(workloads), ports), event);
  const asks = asksHere || (next !== undefined && (await ports.repositories.read(event))?.followsMoves === true);
  if (!asks) return false;
  if (!(await rememberPush(event, readsOver(ports, signal), ports))) throw notToldYet(event);
  return (await ports.bursts.begin(event, event.id, ports.clock.now())) === "first";
}

/** Whether any of these workloads follows the tag of the pushed repository that moved last. */
function askWhenMoved(parsed: readonly RecordWithSettings[], event: ImagePushed): boolean {
  const repository = repositoryKey(event);
  return parsed.some(({ record, settings }) => followsMoves(repository, record.observed, settings));
}

function countPush({ registry, repository, source }: ImagePushed, { metrics }: Pick<Ports, "metrics">): void {
  metrics.add("PushesReceived", 1, { registry, repository, source });
}

/** A push, and whether this very delivery looked at its subscribers before: then what it wrote is followed already. */
interface PushLook {
  readonly event: ImagePushed;
  readonly round: "first" | "again";
}

async function lookAtPage(
  { workloads, next }: SubscriberPage,
  look: PushLook,
  ports: PushPorts,
  signal: AbortSignal,
): Promise<PushOutcome> {
  const parsed = await withSettings(await ports.store.readMany(workloads), ports);
  const readings = readingsOver(ports, signal, look.event);
  // Before anyone selects; what others joined with, they remember themselves.
  const asks = look.round === "first" && askWhenMoved(parsed, look.event);
  const isRemembered = !asks || (await rememberPush(look.event, readings.registry, ports));
  const looks = await mapBounded(parsed, writesAtOnce, (one) =>
    // What is wrong with one workload fails no page of others.
    proposeTo(one, look, readings, ports, signal).catch(async (failure: unknown) => {
      const { id } = look.event;
      await evaluateLater([one.record.workload], { id, correlationId: id }, ports);
      return { failure };
    }),
  );
  // After this page: two at once would offer the same free slots.
  if (next !== undefined) await ports.bus.publish([{ ...toldOn(look), after: next }]);
  if (!isRemembered) throw notToldYet(look.event);
  const [failed] = looks.filter((look) => typeof look === "object");
  const moved = looks.filter((look) => look === true).length;
  return { kind: "evaluated", workloads: parsed.length, moved, ...failed };
}

/** The push is to come again: nobody else tells that its tag moved. */
function notToldYet({ repository, tag = "" }: ImagePushed): TransientError {
  return new TransientError(`what ${repository}:${tag} names now can't be told yet`);
}

/** Another look is for pushes of other tags, which this one joined in. */
function toldOn({ event, round }: PushLook): ImagePushed {
  if (round === "first") return event;
  const { tag: _, digest: __, ...rest } = event;
  return rest;
}

/**
 * A push of a tag that no container can be given needs no listing: what all tags select is what they selected before. A record that waits
 * for an answer of a registry is asked for in any case.
 */
function changesNothing(
  { observed, selectionFailures, needsEvaluation }: WorkloadRecord,
  settings: WorkloadSettings,
  { event, round }: PushLook,
): boolean {
  if (event.tag === undefined || round === "again" || selectionFailures.length > 0 || needsEvaluation === true)
    return false;
  if (settings.problems.some(({ closes }) => closes)) return false;
  return selectsNowhere({ name: event.tag, movedAt: event.at }, repositoryKey(event), observed, settings);
}

async function proposeTo(
  first: RecordWithSettings,
  look: PushLook,
  shared: Readings,
  ports: PushPorts,
  signal: AbortSignal,
): Promise<boolean> {
  const { event, round } = look;
  let current: RecordWithSettings | undefined = first;
  let readings = shared;
  for (let tries = 0; tries < maximumTries && current?.record.tracked === true; tries += 1) {
    const { record, settings }: RecordWithSettings = current;
    const step = { cause: `ImagePushed:${event.id}`, now: ports.clock.now() };
    const origin = { detectedAt: event.at, source: event.source, correlationId: event.id };
    const next: WorkloadRecord | undefined = changesNothing(record, settings, look)
      ? undefined
      : await proposalFor(record, settings, readings, origin, step, repositoryKey(event));
    if (next === undefined) {
      if (round === "first" && tries === 0 && record.cause === step.cause) await sendNextCommands(record, ports);
      return false;
    }
    if (await commit(next, ports)) return true;
    current = await readAgain(record, ports);
    // A proposal rests on tags that were read after the version that it is conditional on.
    readings = readingsOver(ports, signal);
  }
  if (current?.record.tracked !== true) return false;
  throw changedByOthers(workloadKey(current.record.workload), "evaluated");
}

async function readAgain(
  { workload }: WorkloadRecord,
  ports: Pick<Ports, "store" | "patterns">,
): Promise<RecordWithSettings | undefined> {
  const record = await ports.store.read(workloadKey(workload));
  return record && { record, settings: await settingsOf(record, ports) };
}
