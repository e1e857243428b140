import type { Fact } from "#domain/update/events";
import { factsOf } from "#domain/update/effects/facts";
import { workloadKey } from "#domain/workload/workload";
import type { LedgerRow } from "#ports/ledger";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { Complain } from "./complain.ts";

/** The stored rows and published facts so far. */
interface Told {
  readonly complain: Complain;
  readonly rows: Map<string, LedgerRow>;
  readonly facts: Map<string, Fact>;
  readonly versions: readonly WorkloadRecord[];
}

/** Adds a row, and checks that each version of an update has one row. */
export function addRow(witness: Told, row: LedgerRow): void {
  const id = [row.workload, row.uid, row.seq, row.version].join(" ");
  const known = witness.rows.get(id);
  if (known !== undefined && JSON.stringify(known.transition) !== JSON.stringify(row.transition))
    witness.complain("S9", `two different rows for ${id}`);
  witness.rows.set(id, row);
}

/** Adds a fact, and checks that its row was stored before. */
export function addFact(witness: Told, fact: Fact): void {
  witness.facts.set(fact.id, fact);
  const id = [workloadKey(fact.workload), fact.uid, fact.seq, fact.version].join(" ");
  if (!witness.rows.has(id))
    witness.complain("S9", `the fact ${fact.name} of ${id} was told before its row was stored`);
}

/** Returns the versions of records without a row, or with an unpublished fact. */
export function untold(witness: Told): readonly string[] {
  return witness.versions.flatMap((record) => {
    const rows = record.transitions
      .map(({ seq }) => [workloadKey(record.workload), record.uid, seq, record.version].join(" "))
      .filter((id) => !witness.rows.has(id));
    const facts = factsOf(record).filter(({ id }) => !witness.facts.has(id));
    return [...rows.map((id) => `no row for ${id}`), ...facts.map(({ id }) => `the fact ${id} was never told`)];
  });
}
