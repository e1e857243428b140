import { named } from "#test/named";
import { castVote } from "#app/api/approvals";
import { freeze } from "#app/api/freezes";
import type { Ports } from "#app/shared/ports";
import type { Point } from "./gate.ts";
import type { Read } from "./lost-edits.ts";

/** A decision of a person, and its moment in a Lookout's write. */
export interface Decision {
  readonly what: "rejection" | "freeze";
  readonly at: Point;
}

/** A successful decision. Instants are ticks of the interleaving. */
export interface Acknowledged extends Decision {
  readonly answeredAt: number;
}

/** A sent patch, with any response. */
export interface SentPatch {
  readonly updateLabel: string;
  readonly read: Read;
  readonly began: number;
}

/**
 * Sends a person's decision about a workload to a Lookout. Returns whether the decision was
 * successful.
 */
export async function decide(what: Decision["what"], workload: string, ports: Ports): Promise<boolean> {
  if (what === "rejection") return vote("ben", "reject", workload, ports);
  await freeze({ scope: {}, why: "stocktaking", by: "ben" }, ports);
  return true;
}

/** Votes on the open update of a workload. Returns whether the vote counts. */
export async function vote(
  person: string,
  decision: "approve" | "reject",
  workload: string,
  ports: Ports,
): Promise<boolean> {
  const { uid, version, pending, active } = (await ports.store.read(workload)) ?? {};
  const update = active ?? pending;
  if (update?.approval === undefined) return false;
  const written = {
    update: update.seq,
    bindingHash: update.approval.bindingHash,
    decision,
    why: "the image is checked",
  };
  const seen = { "if-match": `${String(uid)}/${String(version)}` };
  const answer = await castVote(named(workload), written, seen, { kind: "token", token: person }, ports);
  return answer !== undefined && "isRepeated" in answer;
}

/** The moments before Lookout's last evaluation of its gates. */
const beforeTheGates: readonly Point[] = ["before the read", "after the read"];

/**
 * Returns the patches that were sent after a successful decision. * A freeze allows a patch whose
 * gates were evaluated before.
 */
export function sentTooLate(decided: Acknowledged | undefined, sent: readonly SentPatch[]): readonly string[] {
  if (decided === undefined) return [];
  const { what, at, answeredAt } = decided;
  const stopsAll = what === "rejection" || beforeTheGates.includes(at);
  return sent
    .filter(({ read, began }) => (stopsAll ? began : read.began) > answeredAt)
    .map(({ updateLabel }) => `${updateLabel} was sent after a ${what} ${at}`);
}
