import { heldMeasurements } from "#domain/update/effects/metrics";
import { seconds } from "#domain/shared/time";
import { correlationOf } from "#domain/update/state/correlation";
import { checkGates, judgedChanges, needsReselection } from "#domain/update/decide/propose";
import type { Wake } from "#domain/update/commands";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import { type GateFactPorts, keepSightings, readReleaseFacts } from "../shared/gate-facts.ts";
import { measure } from "../shared/measure.ts";
import type { Ports } from "../shared/ports.ts";
import {
  changedByOthersError,
  commit,
  loadForCommand,
  maximumTries,
  sendAgain,
  sendNextCommands,
  settingsOf,
  stepOf,
} from "../shared/records.ts";
import { untrackOrPostpone, type UnknownClusterOutcome } from "../shared/unknown-cluster.ts";

type WakePorts = GateFactPorts & Pick<Ports, "patterns" | "spending" | "defaults" | "queues" | "clock" | "metrics">;

/** The outcome of a `Wake`. `reselects`: an evaluation decides about the release. */
export type WakeOutcome = UnknownClusterOutcome | { readonly kind: "nothing-held" | "still-held" | "reselects" };

/**
 * Asks the gates of a held update again, and releases the update when all gates are open. If the
 * timer fired early, Lookout sets the timer again.
 *
 * An update of a workload with a minimum age is not released here. It is evaluated, because its
 * image may be gone from the registry, and a preferred image may be old enough by now.
 */
export async function wake(command: Wake, ports: WakePorts): Promise<WakeOutcome> {
  for (let tries = 0; tries < maximumTries; tries += 1) {
    const loaded = await loadForCommand(command, ports);
    if (loaded.kind === "stale") return { kind: "stale" };
    const { record } = loaded;
    if (loaded.kind === "resume") {
      await sendNextCommands(record, ports);
      return { kind: "resumed" };
    }
    if (record.pending === undefined) return { kind: "nothing-held" };
    if (!ports.clusters.names().includes(record.workload.cluster)) {
      const left = await untrackOrPostpone(command, record, ports);
      if (left !== undefined) return left;
    }

    const settings = await settingsOf(record, ports);
    const changes = judgedChanges(record, []);
    await keepSightings(settings, changes, ports);
    const facts = await readReleaseFacts(record, settings, changes, ports);
    const step = stepOf(command, ports);
    const next = checkGates(record, { settings, facts }, step);
    if (needsReselection(record, next, settings, step.now)) {
      await evaluateNow(record, ports);
      return { kind: "reselects" };
    }
    if (next === undefined) {
      if (command.requestedBy === undefined) await sendAgain(command, record, seconds(0), ports);
      measure(heldMeasurements(record, ports.clock.now()), ports);
      return { kind: "still-held" };
    }
    if (await commit(next, ports)) return { kind: "stored", version: next.version };
  }
  throw changedByOthersError(workloadKey(command.workload), "woken");
}

/** Queues an evaluation. If it is lost, the reaper wakes the update again. */
async function evaluateNow({ workload, uid, version, pending }: WorkloadRecord, { queues }: WakePorts): Promise<void> {
  const about = { id: `${uid}:${version}`, workload, source: "minimum age", ...correlationOf(pending ?? {}) };
  await queues.send([{ command: { name: "EvaluateWorkload", ...about }, delay: seconds(0) }]);
}
