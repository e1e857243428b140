import { factsOf } from "#domain/update/facts";
import type { DomainEvent, Fact } from "#domain/update/events";
import type { Freeze } from "#domain/gates/freeze";
import type { WorkloadRecord } from "#domain/update/states";
import { workloadKey } from "#domain/workload/workload";
import type { LedgerRow } from "#ports/ledger";
import type { Complain } from "#test/model/judge/complain";
import { type ObjectJudge, objectJudge } from "#test/model/judge/object-writes";
import { brokenBy } from "#test/model/judge/record-versions";

/** Sees everything that is written in a history, and says what must never be so. */
export interface Witness {
  readonly broken: string[];
  /** Counts what happened: later is higher. */
  tick: number;
  readonly complain: Complain;
  readonly quarantinedAt: Map<string, number>;
  /** The freezes that nobody lifted, by the text of their scope, with the tick and the time of the simulation when they were stored. */
  readonly frozen: Map<string, { readonly freeze: Freeze; readonly tick: number; readonly at: number }>;
  /** How often each look that a changed fact called for was sent. */
  readonly hints: Map<string, number>;
  /** Judges the writes of images. */
  readonly objects: ObjectJudge;
  /** Image texts without their pins that a person moved the workload off, ever. */
  readonly leftByHand: Set<string>;
  readonly rows: Map<string, LedgerRow>;
  readonly facts: Map<string, Fact>;
  readonly versions: WorkloadRecord[];
  stored(before: WorkloadRecord | undefined, after: WorkloadRecord): void;
  appended(rows: readonly LedgerRow[]): void;
  published(events: readonly DomainEvent[]): void;
}

/** A witness that has seen nothing yet. */
export function newWitness(): Witness {
  const factIds = new Set<string>();
  const broken: string[] = [];
  const complain: Complain = (rule, what) => void broken.push(`${rule}: ${what}`);
  const witness: Witness = {
    ...blank(),
    broken,
    complain,
    objects: objectJudge(complain),
    stored(before, after) {
      witness.versions.push(after);
      for (const what of brokenBy(before, after, factIds)) witness.complain("S11", what);
      checkOneActive(witness, before, after);
      if (after.transitions.some(({ what }) => what === "lifted"))
        witness.objects.unblocked(workloadKey(after.workload));
    },
    appended(rows) {
      for (const row of rows) addRow(witness, row);
    },
    published(events) {
      for (const event of events) if (event.name !== "ImagePushed") addFact(witness, event);
    },
  };
  return witness;
}

function blank() {
  return {
    tick: 0,
    quarantinedAt: new Map<string, number>(),
    frozen: new Map<string, { freeze: Freeze; tick: number; at: number }>(),
    hints: new Map<string, number>(),
    leftByHand: new Set<string>(),
    rows: new Map<string, LedgerRow>(),
    facts: new Map<string, Fact>(),
    versions: [] as WorkloadRecord[],
  };
}

/** An update that is on its way ends, or is held again, before another goes. */
function checkOneActive(witness: Witness, before: WorkloadRecord | undefined, after: WorkloadRecord): void {
  const was = before?.active;
  if (was === undefined || after.active === undefined || after.active.seq === was.seq) return;
  if (!after.transitions.some(({ seq }) => seq === was.seq))
    witness.complain("S5", `update ${was.seq} was still ${was.status} when update ${after.active.seq} was released`);
}

function addRow(witness: Witness, row: LedgerRow): void {
  const id = [row.workload, row.uid, row.seq, row.version].join(" ");
  const known = witness.rows.get(id);
  if (known !== undefined && JSON.stringify(known.transition) !== JSON.stringify(row.transition))
    witness.complain("S9", `two different rows for ${id}`);
  witness.rows.set(id, row);
}

function addFact(witness: Witness, fact: Fact): void {
  witness.facts.set(fact.id, fact);
  const id = [workloadKey(fact.workload), fact.uid, fact.seq, fact.version].join(" ");
  if (!witness.rows.has(id))
    witness.complain("S9", `the fact ${fact.name} of ${id} was told before its row was stored`);
}

/** Says which versions of records have no row, or a fact that nobody was told. */
export function untold(witness: Witness): readonly string[] {
  return witness.versions.flatMap((record) => {
    const rows = record.transitions
      .map(({ seq }) => [workloadKey(record.workload), record.uid, seq, record.version].join(" "))
      .filter((id) => !witness.rows.has(id));
    const facts = factsOf(record).filter(({ id }) => !witness.facts.has(id));
    return [...rows.map((id) => `no row for ${id}`), ...facts.map(({ id }) => `the fact ${id} was never told`)];
  });
}
