import { factsOf } from "#domain/update/facts";
import type { DomainEvent, Fact } from "#domain/update/events";
import type { Freeze } from "#domain/gates/freeze";
import type { WorkloadRecord } from "#domain/update/states";
import { type WorkloadName, workloadKey } from "#domain/workload/workload";
import type { LedgerRow } from "#ports/ledger";
import { brokenBy } from "#test/model/judge/record-versions";

/** What a person did to the image of a container. */
export interface HandMove {
  readonly workload: WorkloadName;
  readonly container: string;
  readonly from: string;
  readonly to: string;
  /** Digests that `to` may have named. */
  readonly chosen: readonly string[];
}

/** What Lookout wrote, and under which label. */
export interface Written {
  readonly updateLabel: string;
  /** What the tag named when it was selected; undefined for what was put back. */
  readonly digest: string | undefined;
}

/** Sees everything that is written in a history, and says what must never be so. */
export interface Witness {
  readonly broken: string[];
  /** Counts what happened: later is higher. */
  tick: number;
  complain(rule: string, what: string): void;
  readonly quarantinedAt: Map<string, number>;
  /** The freezes that nobody lifted, by the text of their scope, with the tick and the time of the simulation when they were stored. */
  readonly frozen: Map<string, { readonly freeze: Freeze; readonly tick: number; readonly at: number }>;
  /** How often each look that a changed fact called for was sent. */
  readonly hints: Map<string, number>;
  /** By workload and digest: why it must not be written again. */
  readonly unwanted: Map<string, string>;
  readonly rolledBack: Set<string>;
  /** Image texts without their pins that a person moved the workload off, ever. */
  readonly leftByHand: Set<string>;
  /** Labels that a patch put on an object, by uid. */
  readonly fences: Set<string>;
  /** How Lookout wrote the image that stands there, by workload and container; absent when a person did. */
  readonly standing: Map<string, Written>;
  readonly rows: Map<string, LedgerRow>;
  readonly facts: Map<string, Fact>;
  readonly versions: WorkloadRecord[];
  movedByHand(move: HandMove): void;
  recreated(key: string): void;
  stored(before: WorkloadRecord | undefined, after: WorkloadRecord): void;
  appended(rows: readonly LedgerRow[]): void;
  published(events: readonly DomainEvent[]): void;
}

/** A witness that has seen nothing yet. */
export function newWitness(): Witness {
  const factIds = new Set<string>();
  const witness: Witness = {
    ...blank(),
    complain(rule, what) {
      witness.broken.push(`${rule}: ${what}`);
    },
    movedByHand: (move) => movedByHand(witness, move),
    recreated(key) {
      forget(witness.unwanted, key);
      forget(witness.standing, key);
    },
    stored(before, after) {
      witness.versions.push(after);
      for (const what of brokenBy(before, after, factIds)) witness.complain("S11", what);
      checkOneActive(witness, before, after);
      if (after.transitions.some(({ what }) => what === "lifted")) forgive(witness, workloadKey(after.workload));
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
    broken: [] as string[],
    tick: 0,
    quarantinedAt: new Map<string, number>(),
    frozen: new Map<string, { freeze: Freeze; tick: number; at: number }>(),
    hints: new Map<string, number>(),
    unwanted: new Map<string, string>(),
    rolledBack: new Set<string>(),
    leftByHand: new Set<string>(),
    fences: new Set<string>(),
    standing: new Map<string, Written>(),
    rows: new Map<string, LedgerRow>(),
    facts: new Map<string, Fact>(),
    versions: [] as WorkloadRecord[],
  };
}

/**
 * What a person left is unwanted where Lookout had put it there; what they chose is wanted. The same tag written otherwise says nothing of
 * either.
 */
function movedByHand(witness: Witness, { workload, container, from, to, chosen }: HandMove): void {
  const key = workloadKey(workload);
  const before = witness.standing.get(`${key} ${container}`);
  witness.standing.delete(`${key} ${container}`);
  witness.leftByHand.add(`${key} ${from.split("@")[0]}`);
  if (before?.digest !== undefined && from.split("@")[0] !== to.split("@")[0])
    witness.unwanted.set(`${key} ${before.digest}`, "a person moved the object off it");
  for (const digest of chosen) witness.unwanted.delete(`${key} ${digest}`);
}

function forgive(witness: Witness, key: string): void {
  forget(witness.unwanted, key);
  forget(witness.rolledBack, key);
}

function forget(all: Map<string, unknown> | Set<string>, key: string): void {
  for (const name of all.keys()) if (name.startsWith(`${key} `)) all.delete(name);
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
