import { heldMeasurements } from "#domain/update/effects/metrics";
import { minAgeOf } from "#domain/gates/min-age";
import { seconds } from "#domain/shared/time";
import { correlationOf } from "#domain/update/state/correlation";
import { checkGates, judgedChanges, needsReselection } from "#domain/update/decide/propose";
import type { Wake } from "#domain/update/commands";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { type CommandOutcome, decideFor } from "../decide.ts";
import { keepSightings, readReleaseFacts } from "../shared/gate-facts.ts";
import { measure } from "../shared/measure.ts";
import type { Ports } from "../shared/ports.ts";
import { settingsOf } from "../shared/records.ts";
import { repeatLater } from "../shared/send-commands.ts";
import { offersOther, tierReadsOfHeld } from "../shared/tiers.ts";
import { leave, store, type Stored, type Turn } from "../shared/turn.ts";

/** The outcome of a `Wake`. `reselects`: an evaluation decides about the release. */
export type WakeOutcome = CommandOutcome | Stored | { readonly kind: "nothing-held" | "still-held" | "reselects" };

/**
 * Asks the gates of a held update again, and releases the update when all gates are open. If the
 * timer fired early, Lookout sets the timer again.
 *
 * An update of a workload with a minimum age is not released here. It is evaluated, because its
 * image may be gone from the registry, and a preferred image may be old enough by now.
 */
export async function wake(command: Wake, ports: Ports): Promise<WakeOutcome> {
  const askGates = async (record: WorkloadRecord): Promise<Turn<WakeOutcome>> => {
    if (record.pending === undefined) return leave({ kind: "nothing-held" });
    const settings = await settingsOf(record, ports);
    const changes = judgedChanges(record, []);
    await keepSightings(settings, changes, ports);
    const reselect = async (): Promise<Turn<WakeOutcome>> => {
      await evaluateNow(record, minAgeOf(settings) > 0 ? "minimum age" : "tiers", ports);
      return leave({ kind: "reselects" });
    };
    // An evaluation that is due reads the facts itself.
    if (needsReselection(record, undefined, settings, ports.clock.now())) return reselect();
    const facts = await readReleaseFacts(record, settings, changes, ports, tierReadsOfHeld(settings, ports));
    const now = ports.clock.now();
    const decision = checkGates(record, { settings, facts }, now);
    if (needsReselection(record, decision, settings, now)) return reselect();
    // The message of a tier that ran another image may be lost.
    if (decision?.changes.active === undefined && offersOther(record, { settings, facts }, now))
      await evaluateNow(record, "tiers", ports);
    return decision === undefined ? stillHeld(command, record, ports) : store(record, decision, now);
  };
  return decideFor(command, ports, { doing: "woken", neverSynced: askGates }, askGates);
}

/** Measures the wait of a held update, and sets its timer again. */
async function stillHeld(command: Wake, record: WorkloadRecord, ports: Ports): Promise<Turn<WakeOutcome>> {
  measure(heldMeasurements(record, ports.clock.now()), ports.metrics);
  const outcome = { kind: "still-held" } as const;
  return command.requestedBy === undefined ? repeatLater(command, record, seconds(0), outcome, ports) : leave(outcome);
}

/** Queues an evaluation. If it is lost, the reaper wakes the update again. */
async function evaluateNow(
  { workload, uid, version, pending }: WorkloadRecord,
  source: string,
  { queues }: Ports,
): Promise<void> {
  const about = { id: `${uid}:${version}`, workload, source, ...correlationOf(pending ?? {}) };
  await queues.send([{ command: { name: "EvaluateWorkload", ...about }, delay: seconds(0) }]);
}
