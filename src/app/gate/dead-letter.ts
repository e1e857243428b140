import type { Message } from "#contracts/routes";
import type { ImagePushed } from "#domain/image/push";
import { shortened } from "#domain/shared/shown-text";
import type { EvaluateWorkload, VersionedCommand } from "#domain/update/commands";
import { identityOf } from "#domain/update/commands";
import { correlationOf } from "#domain/update/correlation";
import { holdDeadLettered, noteFailedEvaluation } from "#domain/update/dead-letter-backoff";
import { parseWorkloadKey, type WorkloadName, workloadKey } from "#domain/workload/workload";
import type { Ports } from "../shared/ports.ts";
import { commit, evaluateLater, loadForCommand, sendNextCommands } from "../shared/records.ts";
import { noteFailedSweep, noteFailedSync } from "../shared/schedule-failures.ts";

/** A message that failed five times. A schedule sends `SyncCluster` and `SweepRepository` again. */
export type FailedMessage = Message;

/** The outcome of a failed message. */
export type DeadLetterOutcome =
  | { readonly kind: "stale" | "nothing-open" | "retried" | "scheduled-again" }
  | { readonly kind: "held" | "noted"; readonly version: number };

type DeadLetterPorts = Pick<
  Ports,
  "store" | "queues" | "clock" | "limits" | "repositories" | "clusterStates" | "metrics"
>;

/** The longest cause that a record or state keeps, in characters. */
const longestDetail = 600;

/**
 * Holds the update of a dead-lettered command for one hour. Each failure doubles the time, up to
 * six hours.
 *
 * A failed evaluation, sweep or sync leaves its cause in the record, the repository or the cluster,
 * so that nobody takes the last known state for the present state. After a failed push, the function
 * evaluates the workloads again a minute later.
 *
 * @param detail - the cause of the failure, in one line without secrets.
 */
export async function handleDeadLetter(
  failed: FailedMessage,
  detail: string,
  ports: DeadLetterPorts,
): Promise<DeadLetterOutcome> {
  const shown = shortened(detail, longestDetail);
  switch (failed.name) {
    case "ImagePushed":
      await evaluateLater(await subscribersOf(failed, ports), { id: failed.id, correlationId: failed.id }, ports);
      return { kind: "retried" };
    case "EvaluateWorkload":
      return noteEvaluation(failed, shown, ports);
    case "SyncCluster":
      await noteFailedSync(failed.cluster, shown, ports);
      return { kind: "scheduled-again" };
    case "SweepRepository":
      await noteFailedSweep(failed, shown, ports);
      return { kind: "scheduled-again" };
    case "Wake":
    case "RollOut":
    case "CheckRollout":
      return holdUpdate(failed, shown, ports);
  }
}

async function holdUpdate(
  failed: VersionedCommand,
  detail: string,
  ports: DeadLetterPorts,
): Promise<DeadLetterOutcome> {
  // This command only writes an annotation for users, so its failure does not hold the update.
  if (failed.name === "RollOut" && failed.showsAvailable === true) return { kind: "nothing-open" };
  const loaded = await loadForCommand(failed, ports);
  if (loaded.kind === "stale") return { kind: "stale" };
  const cause = `DeadLetter:${failed.name}:${failed.version}`;
  const next = holdDeadLettered(loaded.record, detail, { cause, now: ports.clock.now() });
  if (next === undefined) return { kind: "nothing-open" };
  return (await commit(next, ports)) ? { kind: "held", version: next.version } : { kind: "stale" };
}

/** Notes a failed evaluation in the record. Without a tracked record, only evaluates again. */
async function noteEvaluation(
  failed: EvaluateWorkload,
  detail: string,
  ports: DeadLetterPorts,
): Promise<DeadLetterOutcome> {
  const step = { cause: `DeadLetter:${identityOf(failed)}`, now: ports.clock.now() };
  const record = await ports.store.read(workloadKey(failed.workload));
  if (record?.cause === step.cause) {
    // An earlier delivery may have ended before it sent the next commands.
    await sendNextCommands(record, ports);
    return { kind: "noted", version: record.version };
  }
  const next = record && noteFailedEvaluation(record, detail, step);
  if (next !== undefined && (await commit(next, ports))) return { kind: "noted", version: next.version };
  await evaluateLater([failed.workload], { id: failed.id, ...correlationOf(failed) }, ports);
  return { kind: "retried" };
}

async function subscribersOf(push: ImagePushed, { store }: Pick<Ports, "store">): Promise<readonly WorkloadName[]> {
  const names: WorkloadName[] = [];
  for (let after = push.after; ;) {
    const page = await store.subscribers(push, 100, after);
    const keys = page.workloads.filter((key) => key.startsWith(push.within ?? ""));
    names.push(...keys.map(parseWorkloadKey).flatMap((parsed) => (parsed.ok ? [parsed.value] : [])));
    if (page.next === undefined) return names;
    after = page.next;
  }
}
