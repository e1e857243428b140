import { type OpenCommand, nextCommands, openCommands } from "#domain/update/effects/commands";
import { renewRecord, type Step } from "#domain/update/state/changes";
import { mayNamePattern, parseSettings, type WorkloadSettings } from "#domain/settings/settings";
import { type DurationMs, durationMs, type EpochMs, epochMs, minutes, plus } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { type EvaluateWorkload, identityOf, type VersionedCommand, type Command } from "#domain/update/commands";
import { namespaceOf, workloadKey, type WorkloadName } from "#domain/workload/workload";
import { TransientError } from "#ports/errors";
import { offerFreeSlots } from "./slots.ts";
import type { Ports } from "./ports.ts";

/** The result of {@link loadForCommand}: the record, if the command still applies. */
export type CommandStatus =
  /** The record is in the state that the command was sent for. */
  | { readonly kind: "decide"; readonly record: WorkloadRecord }
  /**
   * An earlier delivery of this command wrote the state, and may not have sent the next commands.
   */
  | { readonly kind: "resume"; readonly record: WorkloadRecord }
  /** The record has changed since the command was sent, so the command no longer applies. */
  | { readonly kind: "stale" };

/** Reads the record of a command, and checks whether the command still applies. */
export async function loadForCommand(
  command: VersionedCommand,
  { store }: Pick<Ports, "store">,
): Promise<CommandStatus> {
  const record = await store.read(workloadKey(command.workload));
  if (record === undefined) return { kind: "stale" };
  if (record.uid === command.uid && record.version === command.version) return { kind: "decide", record };
  const mine = record.version > command.version && record.cause === identityOf(command);
  return mine ? { kind: "resume", record } : { kind: "stale" };
}

/**
 * Stores a version of a record, then sends its next commands.
 *
 * @returns false when another version is stored, or another workload has the slot. The caller must
 *   then read and decide again.
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

/**
 * Sends the next commands of a stored version, and offers the slot that the version freed. A repeat
 * is harmless.
 */
export async function sendNextCommands(
  record: WorkloadRecord,
  ports: Pick<Ports, "store" | "queues" | "clock" | "limits">,
): Promise<void> {
  await send(nextCommands(record), ports);
  const { frees, leaves } = record.budget ?? {};
  if (frees === undefined && leaves === undefined) return;
  // Lookout wakes only one workload here, because the woken workload wakes the next workload, even
  // if it gets no slot.
  await offerFreeSlots(record.workload.cluster, `${workloadKey(record.workload)}:${record.version}`, 1, ports);
}

/**
 * Sends a command again for the current state of its record, after the pause.
 *
 * If the command wrote a newer version, all commands of that version are sent.
 */
export async function sendAgain(
  command: VersionedCommand,
  record: WorkloadRecord,
  pause: DurationMs,
  ports: Pick<Ports, "store" | "queues" | "clock" | "limits">,
): Promise<void> {
  const { active } = record;
  if (active !== undefined && (isOverdue(record, ports) || record.pause?.reason === "cluster-unreachable")) {
    // The new version sends its commands immediately, without the earlier pause.
    await commit(renewRecord(record, active, stepOf(command, ports)), ports);
    return;
  }
  const earliestAt = plus(ports.clock.now(), pause);
  const wanting = openCommands(record).filter(
    (open) => open.command.name === command.name || record.version > command.version,
  );
  await send(
    wanting.map((open) => ({ ...open, at: epochMs(Math.max(open.at, earliestAt)) })),
    ports,
  );
}

function isOverdue({ dueAt }: WorkloadRecord, { clock }: Pick<Ports, "clock">): boolean {
  return dueAt !== undefined && dueAt <= clock.now();
}

/** Sends the commands of a record that are due by the given instant. */
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

/** Queues a separate evaluation of each workload, delayed by one minute. */
export async function evaluateLater(
  workloads: readonly WorkloadName[],
  about: Pick<EvaluateWorkload, "id" | "correlationId">,
  { queues }: Pick<Ports, "queues">,
): Promise<void> {
  const evaluation = { name: "EvaluateWorkload", ...about, source: "retry" } as const;
  await queues.send(workloads.map((workload) => ({ command: { ...evaluation, workload }, delay: minutes(1) })));
}

/** Reads the records of all workloads that were ever tracked in the configured clusters. */
export async function allRecords({
  store,
  clusters,
}: Pick<Ports, "store" | "clusters">): Promise<readonly WorkloadRecord[]> {
  const workloadIndexes = await Promise.all(clusters.names().map((name) => store.workloadIndex(name)));
  return store.readMany(workloadIndexes.flat());
}

/** The outcome of a write of a record. */
export type Stored = { readonly kind: "stored"; readonly version: number } | { readonly kind: "stale" };

/**
 * Stores a version as {@link commit} does. `stale`: another version is stored, or another workload
 * has the slot.
 */
export async function storeVersion(
  record: WorkloadRecord,
  ports: Pick<Ports, "store" | "queues" | "clock" | "limits">,
): Promise<Stored> {
  return (await commit(record, ports)) ? { kind: "stored", version: record.version } : { kind: "stale" };
}

/** Returns the step of a command at this instant. */
export function stepOf(command: Command, { clock }: Pick<Ports, "clock">): Step {
  return { cause: identityOf(command), now: clock.now() };
}

/** Reads the settings of a record from its annotations. */
export async function settingsOf(
  { workload, observed: { annotations, containers } }: WorkloadRecord,
  { patterns, spending, defaults }: Pick<Ports, "patterns" | "spending" | "defaults">,
): Promise<WorkloadSettings> {
  const compile = mayNamePattern(annotations) ? await patterns.compiler() : undefined;
  const parse = () => parseSettings(annotations, containers, compile, defaults);
  if (JSON.stringify(annotations).length <= quicklyRead) return parse();
  return spending.paidBy([namespaceOf(workload)]).turn(parse);
}

/**
 * The number of characters of annotations that are parsed without waiting for a turn. Longer
 * annotations take up to 0.2 s.
 */
const quicklyRead = 10_000;

/** Returns records with their settings, in the same order. */
export async function withSettings(
  records: readonly WorkloadRecord[],
  ports: Pick<Ports, "patterns" | "spending" | "defaults">,
): Promise<readonly RecordWithSettings[]> {
  return Promise.all(records.map(async (record) => ({ record, settings: await settingsOf(record, ports) })));
}

/** A record and its parsed settings. */
export interface RecordWithSettings {
  readonly record: WorkloadRecord;
  readonly settings: WorkloadSettings;
}

/**
 * Returns the error after the last try of a decision. The queue then delivers the message again.
 */
export function changedByOthersError(key: string, doing: string): TransientError {
  return new TransientError(`other functions changed ${key} ${maximumTries} times while it was ${doing}`);
}

/** The number of tries of a decision while other functions write first. */
export const maximumTries = 5;
