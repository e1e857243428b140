import { observedBy } from "#domain/gates/observe";
import { availableUpdate, availableUpdateKey } from "#domain/update/decide/status-annotations";
import type { ShowAvailable } from "#domain/update/commands";
import { type DurationMs, minutes, seconds } from "#domain/shared/time";
import { workloadKey } from "#domain/workload/workload";
import { TransientError } from "#ports/errors";
import type { Ports } from "../shared/ports.ts";
import { maximumTries } from "../decide.ts";

/** The outcome of a `ShowAvailable`. */
export type ShowOutcome = { readonly kind: "shown" | "not-shown" | "show-later" };

/** The pause after a cluster gave no answer. */
const retryDelay = minutes(15);

/**
 * The pause while an evaluation is queued, because the evaluation may select the same update again.
 */
const evaluationPause = seconds(30);

/**
 * Writes the annotation about the update that waits for approval, or removes it when no update
 * waits.
 *
 * Lookout reads the object before the record. The patch fails if the generation or the annotation
 * has changed since this read. Therefore Lookout writes no outdated text. Lookout does not patch an
 * object that already has the text, or that it observes.
 */
export async function showAvailable(command: ShowAvailable, ports: Ports, signal: AbortSignal): Promise<ShowOutcome> {
  const { workload } = command;
  const cluster = ports.clusters.cluster(workload.cluster);
  if (cluster === undefined || observedBy(ports.rules.observe, workload) !== undefined) return { kind: "not-shown" };
  for (let tries = 0; tries < maximumTries; tries += 1) {
    const read = await cluster.read(workload, signal);
    if (read.kind === "gone") return { kind: "not-shown" };
    if (read.kind !== "found") return later(command, retryDelay, ports);
    const record = await ports.store.read(workloadKey(workload));
    const { uid, generation, existingMaps, annotations } = read.live;
    if (record?.tracked !== true || record.uid !== uid) return { kind: "not-shown" };
    if (record.needsEvaluation === true) return later(command, evaluationPause, ports);
    const from = annotations[availableUpdateKey];
    const to = availableUpdate(record);
    if (from === to) return { kind: "shown" };
    const hasAnnotations = existingMaps.annotations;
    const patch = { workload, uid, generation, hasAnnotations, key: availableUpdateKey, from, to };
    const sent = await cluster.patchAnnotation(patch, signal);
    switch (sent.kind) {
      case "written":
        return { kind: "shown" };
      case "gone":
      case "denied-by-admission":
      case "invalid":
        return { kind: "not-shown" };
      case "unreachable":
      case "failed":
      case "denied":
        return later(command, retryDelay, ports);
      case "read-again":
      case "unknown":
    }
  }
  throw new TransientError(`${workloadKey(workload)} kept changing while it was annotated`);
}

async function later(command: ShowAvailable, delay: DurationMs, { queues }: Ports): Promise<ShowOutcome> {
  await queues.send([{ command, delay }]);
  return { kind: "show-later" };
}
