import { historyRowsOf } from "#domain/history/history-row";
import { pushStepsOf } from "#domain/history/push-step";
import { correlationOf } from "#domain/update/state/correlation";
import { factsOf, originOf } from "#domain/update/effects/facts";
import { measurementsOf } from "#domain/update/effects/metrics";
import type { Transition, WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { LedgerRow } from "#ports/ledger";
import type { StoredVersion } from "#ports/store";
import { mapBounded } from "../shared/bounded.ts";
import { followTiers } from "./tier-moves.ts";
import { listedOnce, tierMeasurements } from "./tier-progress.ts";
import { writeFleetRows } from "../shared/fleet-rows.ts";
import { measure } from "../shared/measure.ts";
import type { Ports } from "../shared/ports.ts";

/** What writes rows that are derived from changed records. Each may be repeated. */
const writers: readonly ((records: readonly WorkloadRecord[], ports: Ports) => Promise<unknown>)[] = [
  (records, { ledger }) => ledger.append(records.flatMap(rowsOf)),
  writeFleetRows,
  deriveFrom,
];

/**
 * Publishes changes of records: the derived rows with one ledger row per transition, then the facts,
 * then the measurements.
 *
 * A repeated publication adds no row, and repeats the ids of the facts. The metrics count the
 * measurements twice.
 */
export async function publishChanges(
  changes: readonly StoredVersion[],
  ports: Ports,
): Promise<{ readonly kind: "published"; readonly facts: number }> {
  const records = changes.map(({ record }) => record);
  for (const write of writers) await write(records, ports);
  const tiers = { ...ports, tierMembers: listedOnce(ports.tierMembers) };
  const facts = [...records.flatMap(factsOf), ...(await followTiers(records, tiers))];
  await ports.bus.publish(facts);
  measure(records.flatMap(measurementsOf), ports.metrics);
  measure(await tierMeasurements(records, tiers), ports.metrics);
  return { kind: "published", facts: facts.length };
}

/** The number of workloads whose running images are written at the same time. */
const workloadsAtOnce = 8;

/** Writes what follows from versions of records: the history of the fleet, pushes and digests. */
export async function deriveFrom(
  records: readonly WorkloadRecord[],
  { history, pushes, digests }: Pick<Ports, "history" | "pushes" | "digests">,
): Promise<void> {
  await history.append(records.flatMap(historyRowsOf));
  // Only the newest step of an update counts, and a workload has at most one step of a push.
  const steps = records.flatMap(pushStepsOf).map((step) => [`${step.push}\n${step.workload}`, step] as const);
  await pushes.note([...new Map(steps).values()]);
  const versions = Map.groupBy(records, ({ workload }) => workloadKey(workload));
  await mapBounded([...versions.values()], workloadsAtOnce, async (ofWorkload) => {
    for (const record of ofWorkload) await digests.note(record);
  });
}

function rowsOf(record: WorkloadRecord): readonly LedgerRow[] {
  return record.transitions.map((transition) => ({
    workload: workloadKey(record.workload),
    uid: record.uid,
    seq: transition.seq,
    version: record.version,
    at: record.changedAt,
    cause: record.cause,
    ...correlationOf(originOf(record, transition)),
    transition: transition.selected === true ? withOrigin(record, transition) : transition,
  }));
}

/** Adds when and where the update was found, which its record holds. */
function withOrigin(record: WorkloadRecord, transition: Transition): Transition {
  const { detectedAt, source } = originOf(record, transition);
  return {
    ...transition,
    ...(detectedAt === undefined ? {} : { detectedAt }),
    ...(source === undefined ? {} : { source }),
  };
}
