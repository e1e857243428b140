import { castVote } from "#app/api/approvals";
import { freeze } from "#app/api/freezes";
import type { Ports } from "#app/shared/ports";
import type { Point } from "./gate.ts";
import type { Read } from "./lost-edits.ts";

/** What a person tells a Lookout, at a moment of its write. */
export interface Decision {
  readonly what: "rejection" | "freeze";
  readonly at: Point;
}

/** A decision that was answered with success. Instants are ticks of the interleaving. */
export interface Acknowledged extends Decision {
  readonly answeredAt: number;
}

/** A patch as it was sent, whatever the server answered. */
export interface SentPatch {
  readonly updateLabel: string;
  readonly read: Read;
  readonly began: number;
}

/** Tells a Lookout what a person decided about a workload; answers whether it was answered with success. */
export async function decide(what: Decision["what"], workload: string, ports: Ports): Promise<boolean> {
  if (what === "rejection") return vote("ben", "reject", workload, ports);
  await freeze({ scope: {}, why: "stocktaking", by: "ben" }, ports);
  return true;
}

/** Lets a person vote on the open update of a workload; answers whether the vote counts. */
export async function vote(
  person: string,
  decision: "approve" | "reject",
  workload: string,
  ports: Ports,
): Promise<boolean> {
  const { uid, version, pending, active } = (await ports.store.read(workload)) ?? {};
  const update = active ?? pending;
  if (update?.approval === undefined) return false;
  const written = { update: update.seq, bindingHash: update.approval.bindingHash, decision, why: "looked at it" };
  const seen = { "if-match": `${String(uid)}/${String(version)}` };
  const answer = await castVote(workload, written, seen, { kind: "token", token: person }, ports);
  return answer !== undefined && "isRepeated" in answer;
}

/** The moments before Lookout asks its gates for the last time. */
const beforeTheGates: readonly Point[] = ["before the read", "after the read"];

/**
 * Names the patches that were sent although a decision had been answered.
 *
 * A freeze lets the patch pass whose gates were open before it: it may be on its way.
 */
export function sentTooLate(decided: Acknowledged | undefined, sent: readonly SentPatch[]): readonly string[] {
  if (decided === undefined) return [];
  const { what, at, answeredAt } = decided;
  const stopsAll = what === "rejection" || beforeTheGates.includes(at);
  return sent
    .filter(({ read, began }) => (stopsAll ? began : read.began) > answeredAt)
    .map(({ updateLabel }) => `${updateLabel} was sent after a ${what} ${at}`);
}
