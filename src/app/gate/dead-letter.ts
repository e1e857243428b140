import type { Message } from "#contracts/routes";
import type { ImagePushed } from "#domain/image/push";
import { shortened } from "#domain/shared/shown-text";
import type { EvaluateWorkload, VersionedCommand } from "#domain/update/commands";
import { identityOf } from "#domain/update/commands";
import { correlationOf } from "#domain/update/state/correlation";
import { holdDeadLettered, noteFailedEvaluation } from "#domain/update/decide/dead-letter";
import { parseWorkloadKey, type WorkloadName } from "#domain/workload/workload";
import { decide, standingOf } from "../decide.ts";
import type { Ports } from "../shared/ports.ts";
import { noteFailedSweep, noteFailedSync } from "../shared/schedule-failures.ts";
import { evaluateLater } from "../shared/send-commands.ts";
import { leave, resume, storeThen } from "../shared/turn.ts";

/** A message that failed five times. A schedule sends `SyncCluster` and `SweepRepository` again. */
export type FailedMessage = Message;

/** The outcome of a failed message. */
export type DeadLetterOutcome =
  | { readonly kind: "stale" | "nothing-open" | "retried" | "scheduled-again" }
  | { readonly kind: "held" | "noted"; readonly version: number };

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
  ports: Ports,
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
    case "ShowAvailable":
      // This command only writes an annotation for users, so its failure does not hold the update.
      return { kind: "nothing-open" };
    case "Wake":
    case "RollOut":
    case "CheckRollout":
      return holdUpdate(failed, shown, ports);
  }
}

async function holdUpdate(failed: VersionedCommand, detail: string, ports: Ports): Promise<DeadLetterOutcome> {
  const cause = `DeadLetter:${failed.name}:${failed.version}`;
  const deciding = { workload: failed.workload, cause, doing: "held" };
  return decide<DeadLetterOutcome>(deciding, ports, (record) => {
    if (standingOf(failed, record) === "stale") return resume({ kind: "stale" });
    const now = ports.clock.now();
    const decision = holdDeadLettered(record, detail, now);
    if (decision === undefined) return leave({ kind: "nothing-open" });
    return storeThen(record, decision, now, ({ version }) => ({ kind: "held", version }));
  });
}

/** Notes a failed evaluation in the record. Without a tracked record, only evaluates again. */
async function noteEvaluation(failed: EvaluateWorkload, detail: string, ports: Ports): Promise<DeadLetterOutcome> {
  const { workload, id } = failed;
  const cause = `DeadLetter:${identityOf(failed)}`;
  return decide<DeadLetterOutcome>({ workload, cause, doing: "noted" }, ports, async (record) => {
    if (record.cause === cause) return resume({ kind: "noted", version: record.version });
    const decision = noteFailedEvaluation(record, detail);
    if (decision !== undefined)
      return storeThen(record, decision, ports.clock.now(), ({ version }) => ({ kind: "noted", version }));
    await evaluateLater([workload], { id, ...correlationOf(failed) }, ports);
    return leave({ kind: "retried" });
  });
}

async function subscribersOf(push: ImagePushed, { store }: Ports): Promise<readonly WorkloadName[]> {
  const names: WorkloadName[] = [];
  for (let after = push.after; ;) {
    const page = await store.subscribers(push, 100, after);
    const keys = page.workloads.filter((key) => key.startsWith(push.within ?? ""));
    names.push(...keys.map(parseWorkloadKey).flatMap((parsed) => (parsed.ok ? [parsed.value] : [])));
    if (page.next === undefined) return names;
    after = page.next;
  }
}
