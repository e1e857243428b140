import { correlationOf } from "#domain/update/state/correlation";
import { factsOf, originOf } from "#domain/update/effects/facts";
import { measurementsOf } from "#domain/update/effects/metrics";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { LedgerRow } from "#ports/ledger";
import type { StoredVersion } from "#ports/store";
import { measure } from "../shared/measure.ts";
import type { Ports } from "../shared/ports.ts";

/**
 * Publishes changes of records: one ledger row per transition, then the facts, then the
 * measurements.
 *
 * A repeated publication adds no row, and repeats the ids of the facts. The metrics count the
 * measurements twice.
 */
export async function publishChanges(
  changes: readonly StoredVersion[],
  { ledger, bus, metrics }: Ports,
): Promise<{ readonly kind: "published"; readonly facts: number }> {
  await ledger.append(changes.flatMap(({ record }) => rowsOf(record)));
  const facts = changes.flatMap(({ record }) => factsOf(record));
  await bus.publish(facts);
  measure(
    changes.flatMap(({ record }) => measurementsOf(record)),
    metrics,
  );
  return { kind: "published", facts: facts.length };
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
    transition,
  }));
}
