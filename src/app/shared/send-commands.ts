import { isAhead } from "#domain/shared/wrong-clock";
import { type DurationMs, durationMs, type EpochMs, epochMs, minutes, plus } from "#domain/shared/time";
import type { AskChecks, Command, EvaluateWorkload, VersionedCommand, Wake } from "#domain/update/commands";
import { type OpenCommand, nextCommands, openCommands } from "#domain/update/effects/commands";
import { renewal } from "#domain/update/state/changes";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey, type WorkloadName } from "#domain/workload/workload";
import type { Ports } from "./ports.ts";
import { offerFreeSlots } from "./slots.ts";
import { leave, storeThen, type Turn } from "./turn.ts";

/**
 * Sends the next commands of a stored version, and offers the slot that the version freed. A repeat
 * is harmless.
 */
export async function sendNextCommands(record: WorkloadRecord, ports: Ports): Promise<void> {
  await send(record, nextCommands(record), ports);
  const { frees, leaves } = record.effects.budget ?? {};
  if (frees === undefined && leaves === undefined) return;
  // Lookout wakes only one workload here, because the woken workload wakes the next workload, even
  // if it gets no slot.
  await offerFreeSlots(record.workload.cluster, `${workloadKey(record.workload)}:${record.version}`, 1, ports);
}

/**
 * Sends a command again for the current state of its record, after the pause. An overdue update gets
 * a new version, which sends its commands immediately.
 *
 * If the command wrote a newer version, all commands of that version are sent.
 */
export async function repeatLater<Outcome>(
  command: VersionedCommand,
  record: WorkloadRecord,
  pause: DurationMs,
  outcome: Outcome,
  ports: Ports,
): Promise<Turn<Outcome>> {
  const { active, effects, retry } = record;
  const now = ports.clock.now();
  const isOverdue = effects.dueAt !== undefined && effects.dueAt <= now;
  if (active !== undefined && (isOverdue || retry?.pause?.reason === "cluster-unreachable"))
    return storeThen(record, renewal(active), now, () => outcome);
  const earliestAt = plus(now, pause);
  const wanting = openCommands(record).filter(
    (open) => open.command.name === command.name || record.version > command.version,
  );
  await send(
    record,
    wanting.map((open) => ({ ...open, at: epochMs(Math.max(open.at, earliestAt)) })),
    ports,
  );
  return leave(outcome);
}

/** Sends the commands of a record that are due by the given instant. */
export async function sendOverdue(record: WorkloadRecord, before: EpochMs, ports: Ports): Promise<void> {
  await send(
    record,
    openCommands(record).filter(({ dueAt }) => dueAt <= before),
    ports,
  );
}

/** Sends commands of a record. If a clock ahead stored the record, they decide about it now. */
async function send(
  { changedAt }: WorkloadRecord,
  open: readonly OpenCommand[],
  { queues, clock, rules: { checks } }: Ports,
): Promise<void> {
  const now = clock.now();
  const delayOf = (at: EpochMs): DurationMs => durationMs(isAhead(changedAt, now) ? 0 : Math.max(0, at - now));
  const sent = (command: Command): Command =>
    command.name === "AskChecks" && checks.length === 0 ? wakeInstead(command) : command;
  await queues.send(open.map(({ command, at }) => ({ command: sent(command), delay: delayOf(at) })));
}

/** Returns the command for an update that waits for a check which `lookout.yaml` no longer has. */
function wakeInstead({ name: _, ...reference }: AskChecks): Wake {
  return { name: "Wake", ...reference, requestedBy: "no checks" };
}

/** Queues a separate evaluation of each workload after each of the pauses, by default in a minute. */
export async function evaluateLater(
  workloads: readonly WorkloadName[],
  about: Pick<EvaluateWorkload, "id" | "correlationId" | "push" | "timesDeadLettered">,
  { queues }: Ports,
  pauses: readonly DurationMs[] = [minutes(1)],
): Promise<void> {
  const evaluation = { name: "EvaluateWorkload", ...about, source: "retry" } as const;
  await queues.send(
    workloads.flatMap((workload) => pauses.map((delay) => ({ command: { ...evaluation, workload }, delay }))),
  );
}
