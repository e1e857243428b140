import type { ImagePushed } from "#domain/image/push";
import type { EvaluateWorkload, VersionedCommand } from "#domain/update/commands";
import { correlationOf } from "#domain/update/correlation";
import { holdDeadLettered } from "#domain/update/dead-letter-backoff";
import { parseWorkloadKey, type WorkloadName } from "#domain/workload/workload";
import type { Ports } from "../shared/ports.ts";
import { commit, evaluateLater, loadForCommand } from "../shared/records.ts";

/** A message that failed five times and has workloads to retry. */
export type FailedMessage = VersionedCommand | EvaluateWorkload | ImagePushed;

/** The outcome of a failed message. */
export type DeadLetterOutcome =
  { readonly kind: "stale" | "nothing-open" | "retried" } | { readonly kind: "held"; readonly version: number };

/**
 * Holds the update of a dead-lettered command for one hour. Each failure doubles the time, up to
 * six hours.
 *
 * After a failed push or evaluation, the function evaluates the workloads again a minute later.
 *
 * @param detail - the cause of the failure, in one line without secrets.
 */
export async function handleDeadLetter(
  failed: FailedMessage,
  detail: string,
  ports: Pick<Ports, "store" | "queues" | "clock" | "limits">,
): Promise<DeadLetterOutcome> {
  if (failed.name === "ImagePushed") {
    await evaluateLater(await subscribersOf(failed, ports), { id: failed.id, correlationId: failed.id }, ports);
    return { kind: "retried" };
  }
  if (failed.name === "EvaluateWorkload") {
    await evaluateLater([failed.workload], { id: failed.id, ...correlationOf(failed) }, ports);
    return { kind: "retried" };
  }
  // This command only writes an annotation for users, so its failure does not hold the update.
  if (failed.name === "RollOut" && failed.showsAvailable === true) return { kind: "nothing-open" };
  const loaded = await loadForCommand(failed, ports);
  if (loaded.kind === "stale") return { kind: "stale" };
  const cause = `DeadLetter:${failed.name}:${failed.version}`;
  const next = holdDeadLettered(loaded.record, detail, { cause, now: ports.clock.now() });
  if (next === undefined) return { kind: "nothing-open" };
  return (await commit(next, ports)) ? { kind: "held", version: next.version } : { kind: "stale" };
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
