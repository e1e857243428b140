import { heldMeasurements } from "#domain/update/metrics";
import { seconds } from "#domain/shared/time";
import { checkGates, judgedChanges } from "#domain/update/proposal";
import type { Wake } from "#domain/update/commands";
import { workloadKey } from "#domain/workload/workload";
import { type GateFactPorts, readReleaseFacts, rememberSightings } from "../shared/gate-facts.ts";
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

type WakePorts = GateFactPorts & Pick<Ports, "patterns" | "defaults" | "queues" | "clock" | "metrics">;

/** The outcome of a `Wake`. */
export type WakeOutcome = UnknownClusterOutcome | { readonly kind: "nothing-held" | "still-held" };

/**
 * Asks the gates of a held update again, and releases the update when all gates are open. If the
 * timer fired early, Lookout sets the timer again.
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
    // A restored record may contain images that this installation has not seen.
    await rememberSightings(settings, changes, ports);
    const facts = await readReleaseFacts(record, settings, changes, ports);
    const next = checkGates(record, { settings, facts }, stepOf(command, ports));
    if (next === undefined) {
      if (command.requestedBy === undefined) await sendAgain(command, record, seconds(0), ports);
      measure(heldMeasurements(record, ports.clock.now()), ports);
      return { kind: "still-held" };
    }
    if (await commit(next, ports)) return { kind: "stored", version: next.version };
  }
  throw changedByOthersError(workloadKey(command.workload), "woken");
}
