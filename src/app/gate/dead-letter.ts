import type { Message } from "#contracts/routes";
import type { ImagePushed, PushedTag } from "#domain/image/push";
import { shortened } from "#domain/shared/shown-text";
import type { EvaluateWorkload, VersionedCommand } from "#domain/update/commands";
import { identityOf } from "#domain/update/commands";
import { correlationOf } from "#domain/update/state/correlation";
import {
  holdDeadLettered,
  noteFailedEvaluation,
  pauseBeforeRetry,
  plansAnotherEvaluation,
} from "#domain/update/decide/dead-letter";
import { parseWorkloadKey, type WorkloadName } from "#domain/workload/workload";
import { decide, standingOf } from "../decide.ts";
import type { Ports } from "../shared/ports.ts";
import { noteFailedSweep, noteFailedSync } from "../shared/schedule-failures.ts";
import { evaluateLater } from "../shared/send-commands.ts";
import { leave, resume, storeThen } from "../shared/turn.ts";

/** A message that failed five times. A schedule sends `SyncCluster` and `SweepRepository` again. */
export type FailedMessage = Message;

/** The cause of a failed message. */
export interface FailureCause {
  /** One line without secrets. */
  readonly why: string;
  /** True: no retry can help. */
  readonly isPermanent?: boolean;
}

/** The outcome of a failed message. */
export type DeadLetterOutcome =
  | { readonly kind: "stale" | "nothing-open" | "retried" | "scheduled-again" }
  /** The record plans another evaluation. */
  | { readonly kind: "planned" }
  | { readonly kind: "held" | "noted"; readonly version: number }
  /** No function tries the message again. */
  | { readonly kind: "kept"; readonly message: FailedMessage };

/** The longest cause that a record or state keeps, in characters. */
const longestDetail = 600;

/**
 * Holds the update of a dead-lettered command for one hour. Each failure doubles the time, up to
 * six hours.
 *
 * A failed evaluation, sweep or sync leaves its cause in the record, the repository or the cluster,
 * so that nobody takes the last known state for the present state. After a failed push, the function
 * evaluates the workloads again a minute later. Only the push shows that its tag moved, so the
 * evaluations store the move.
 *
 * @throws PermanentError or NewerRecordError for an unreadable record. The message is then kept: the
 * reaper, the syncs and the sweeps resume a workload whose record can be read again.
 */
export async function handleDeadLetter(
  failed: FailedMessage,
  { why, isPermanent = false }: FailureCause,
  ports: Ports,
): Promise<DeadLetterOutcome> {
  const shown = shortened(why, longestDetail);
  switch (failed.name) {
    case "ImagePushed": {
      const { id } = failed;
      const about = { id, correlationId: id, push: pushedTagOf(failed) };
      await evaluateLater(await subscribersOf(failed, ports), about, ports);
      return { kind: "retried" };
    }
    case "EvaluateWorkload":
      return noteEvaluation(failed, shown, isPermanent, ports);
    case "SyncCluster":
      await noteFailedSync(failed.cluster, shown, ports);
      return { kind: "scheduled-again" };
    case "SweepRepository":
      await noteFailedSweep(failed, shown, ports);
      return { kind: "scheduled-again" };
    case "Deliver":
      return { kind: "kept", message: failed };
    case "ShowAvailable":
      // This command only writes an annotation for users, so its failure does not hold the update.
      return { kind: "nothing-open" };
    case "Wake":
    case "AskChecks":
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

/** Notes a failed evaluation in the record. Without a tracked record, evaluates again later. */
async function noteEvaluation(
  failed: EvaluateWorkload,
  detail: string,
  isPermanent: boolean,
  ports: Ports,
): Promise<DeadLetterOutcome> {
  const { workload } = failed;
  const cause = `DeadLetter:${identityOf(failed)}`;
  return decide<DeadLetterOutcome>({ workload, cause, doing: "noted" }, ports, async (record) => {
    if (record.cause === cause) return resume({ kind: "noted", version: record.version });
    if (plansAnotherEvaluation(record, failed)) return leave({ kind: "planned" });
    const now = ports.clock.now();
    const decision = noteFailedEvaluation(record, detail, now);
    if (decision !== undefined) return storeThen(record, decision, now, ({ version }) => ({ kind: "noted", version }));
    return leave(await retryOrKeep(failed, isPermanent, ports));
  });
}

/** Evaluates a workload without a tracked record again, unless no retry can help. */
async function retryOrKeep(
  { timesDeadLettered = 0, ...failed }: EvaluateWorkload,
  isPermanent: boolean,
  ports: Ports,
): Promise<DeadLetterOutcome> {
  const times = timesDeadLettered + 1;
  const pause = isPermanent ? undefined : pauseBeforeRetry(times);
  if (pause === undefined) return { kind: "kept", message: failed };
  const about = { id: failed.id, ...correlationOf(failed), timesDeadLettered: times };
  await evaluateLater([failed.workload], about, ports, [pause]);
  return { kind: "retried" };
}

function pushedTagOf({ registry, repository, tag, digest, at }: ImagePushed): PushedTag {
  return {
    registry,
    repository,
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
    at,
  };
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
