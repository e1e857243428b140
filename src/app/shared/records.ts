import { type OpenCommand, nextCommands, openCommands } from "#domain/update/next-commands";
import { renewed, type Step } from "#domain/update/record";
import { mayNamePattern, parseSettings, type WorkloadSettings } from "#domain/settings/settings";
import { type DurationMs, durationMs, type EpochMs, epochMs, minutes, plus } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/states";
import { type EvaluateWorkload, identityOf, type VersionedCommand, type Command } from "#domain/update/commands";
import { workloadKey, type WorkloadName } from "#domain/workload/workload";
import { TransientError } from "#ports/errors";
import { offerFreeSlots } from "./slots.ts";
import type { Ports } from "./ports.ts";

/** What a piece of work finds when it reads the record that it was sent for. */
export type CommandStatus =
  /** The record is in the state that the work was sent for. */
  | { readonly kind: "decide"; readonly record: WorkloadRecord }
  /** An earlier delivery of this very work wrote the state: what that state calls for may not have been sent. */
  | { readonly kind: "complete"; readonly record: WorkloadRecord }
  /** The record has moved on: acknowledge. */
  | { readonly kind: "stale" };

/** Reads the record that a piece of work names, and says whether the work still applies. */
export async function loadForCommand(
  command: VersionedCommand,
  { store }: Pick<Ports, "store">,
): Promise<CommandStatus> {
  const record = await store.read(workloadKey(command.workload));
  if (record === undefined) return { kind: "stale" };
  if (record.uid === command.uid && record.version === command.version) return { kind: "decide", record };
  const mine = record.version > command.version && record.cause === identityOf(command);
  return mine ? { kind: "complete", record } : { kind: "stale" };
}

/**
 * Stores a version of a record, then sends what its state calls for.
 *
 * @returns false when another version is stored, or another workload has the slot: read again and decide again.
 */
export async function commit(
  record: WorkloadRecord,
  ports: Pick<Ports, "store" | "queues" | "clock" | "limits">,
): Promise<boolean> {
  const outcome = await ports.store.write(record);
  if (outcome.kind !== "written") return false;
  await sendNextCommands(record, ports);
  return true;
}

/** Sends what a version that was just stored calls for, and hands on the slot that it left; doing it twice is harmless. */
export async function sendNextCommands(
  record: WorkloadRecord,
  ports: Pick<Ports, "store" | "queues" | "clock" | "limits">,
): Promise<void> {
  await send(nextCommands(record), ports);
  const { frees, leaves } = record.budget ?? {};
  if (frees === undefined && leaves === undefined) return;
  // One at a time: whoever is woken wakes the next, whether it takes the slot or not.
  await offerFreeSlots(record.workload.cluster, `${workloadKey(record.workload)}:${record.version}`, 1, ports);
}

/**
 * Sends a piece of work again, for the state that the record is in now: when that state calls for it, and not before the pause is over.
 *
 * Only this piece, because whatever else the state calls for is on its way already; all of it for a version that this very work wrote.
 */
export async function sendAgain(
  command: VersionedCommand,
  record: WorkloadRecord,
  pause: DurationMs,
  ports: Pick<Ports, "store" | "queues" | "clock" | "limits">,
): Promise<void> {
  const { active } = record;
  if (active !== undefined && (isOverdue(record, ports) || record.pause?.reason === "cluster-unreachable")) {
    // What it calls for is sent anew then, and no pause of an earlier version is kept.
    await commit(renewed(record, active, stepOf(command, ports)), ports);
    return;
  }
  const earliestAt = plus(ports.clock.now(), pause);
  const wanting = openCommands(record).filter(
    (open) => open.command.command === command.command || record.version > command.version,
  );
  await send(
    wanting.map((open) => ({ ...open, at: epochMs(Math.max(open.at, earliestAt)) })),
    ports,
  );
}

function isOverdue({ dueAt }: WorkloadRecord, { clock }: Pick<Ports, "clock">): boolean {
  return dueAt !== undefined && dueAt <= clock.now();
}

/** Sends those pieces of a record's work that are overdue since the given instant. */
export async function sendOverdue(
  record: WorkloadRecord,
  before: EpochMs,
  ports: Pick<Ports, "queues" | "clock">,
): Promise<void> {
  await send(
    openCommands(record).filter(({ dueAt }) => dueAt <= before),
    ports,
  );
}

async function send(open: readonly OpenCommand[], { queues, clock }: Pick<Ports, "queues" | "clock">): Promise<void> {
  const now = clock.now();
  await queues.send(open.map(({ command, at }) => ({ command, delay: durationMs(Math.max(0, at - now)) })));
}

/** Queues workloads for an evaluation of their own in a minute: what failed for one fails no others then. */
export async function evaluateLater(
  workloads: readonly WorkloadName[],
  about: Pick<EvaluateWorkload, "id" | "correlationId">,
  { queues }: Pick<Ports, "queues">,
): Promise<void> {
  const evaluation = { command: "EvaluateWorkload", ...about, because: "tried again" } as const;
  await queues.send(workloads.map((workload) => ({ command: { ...evaluation, workload }, delay: minutes(1) })));
}

/** Reads the records of all workloads ever tracked in the clusters that are configured. */
export async function allRecords({
  store,
  clusters,
}: Pick<Ports, "store" | "clusters">): Promise<readonly WorkloadRecord[]> {
  const workloadIndexes = await Promise.all(clusters.names().map((name) => store.workloadIndex(name)));
  return store.readMany(workloadIndexes.flat());
}

/** What became of a version that was to be stored. */
export type Stored = { readonly kind: "moved"; readonly version: number } | { readonly kind: "stale" };

/** Stores a version as {@link commit} does; `stale`: another version is stored, or another workload has the slot. */
export async function storeVersion(
  record: WorkloadRecord,
  ports: Pick<Ports, "store" | "queues" | "clock" | "limits">,
): Promise<Stored> {
  return (await commit(record, ports)) ? { kind: "moved", version: record.version } : { kind: "stale" };
}

/** Makes the step that a piece of work takes at this instant. */
export function stepOf(command: Command, { clock }: Pick<Ports, "clock">): Step {
  return { cause: identityOf(command), now: clock.now() };
}

/** Reads the settings of a record from its annotations. */
export async function settingsOf(
  { observed: { annotations, containers } }: WorkloadRecord,
  { patterns }: Pick<Ports, "patterns">,
): Promise<WorkloadSettings> {
  const compile = mayNamePattern(annotations) ? await patterns.compiler() : undefined;
  return parseSettings(annotations, containers, compile);
}

/** Records with their settings, in the order given. */
export async function withSettings(
  records: readonly WorkloadRecord[],
  ports: Pick<Ports, "patterns">,
): Promise<readonly RecordWithSettings[]> {
  return Promise.all(records.map(async (record) => ({ record, settings: await settingsOf(record, ports) })));
}

/** A record, and what its annotations ask for. */
export interface RecordWithSettings {
  readonly record: WorkloadRecord;
  readonly settings: WorkloadSettings;
}

/** Says that a decision was made anew as often as it may be: the queue is asked to come again. */
export function changedByOthers(key: string, doing: string): TransientError {
  return new TransientError(`${key} was changed by others ${maximumTries} times while it was ${doing}`);
}

/** How often a decision is made anew because someone else wrote first, before the queue is asked to come again. */
export const maximumTries = 5;
