import { alignedTable } from "../../../tools/page-sections.ts";
import { type Act, lostEdits, type State, type Step, stepsOf, writesOf } from "./lost-edits.ts";
import { type Decision, sentTooLate } from "./decisions.ts";
import type { Played } from "./play.ts";

/** An interleaving, and what the server's history says of it. */
export interface Judged {
  readonly played: Played;
  readonly steps: readonly Step[];
  readonly lost: readonly Act[];
}

/** One writer's interleavings. */
export interface Row {
  readonly writer: string;
  readonly judged: readonly Judged[];
}

/** Judges an interleaving by the states of its object since it began. */
export function judged(played: Played, states: readonly State[]): Judged {
  const first = states.findIndex(({ resourceVersion }) => resourceVersion === played.begins);
  if (first === -1) throw new Error(`the history of ${played.plan.target.name} lacks its beginning`);
  const steps = stepsOf(states.slice(first), played.acts);
  return { played, steps, lost: lostEdits(steps) };
}

/** Answers how many edits a writer lost. */
export function lostBy(row: Row): number {
  return row.judged.reduce((sum, { lost }) => sum + lost.length, 0);
}

/** Says how many interleavings there were, what came of them, and how many edits were lost. */
export function summary(row: Row): string {
  const writes = row.judged.reduce((sum, { steps }) => sum + writesOf(steps).length, 0);
  const guarded = row.judged.reduce((sum, { played }) => sum + played.guarded, 0);
  const stopped = guarded === 0 ? "" : `, ${guarded} stopped by a guard`;
  return `${row.writer}: ${row.judged.length} interleavings, ${lostBy(row)} lost (${writes} writes landed${stopped})`;
}

/** Counts the decisions of a kind that were answered with success. */
export function answered({ judged: all }: Row, what: Decision["what"]): number {
  return all.filter(({ played }) => played.decided?.what === what).length;
}

/** Says how many decisions were answered with success, and how many patches were sent after that. */
export function decisionSummary(row: Row): string {
  const late = row.judged.flatMap(({ played }) => sentTooLate(played.decided, played.sent)).length;
  return `${late} patches sent after ${answered(row, "rejection")} rejections and ${answered(row, "freeze")} freezes`;
}

/** Returns a table of Markdown: an edit per line, a writer per column, "lost/made". */
export function lossTable(rows: readonly Row[]): string {
  const kinds = [
    ...new Set(rows.flatMap(({ judged }) => judged.flatMap(({ played }) => editsOf(played).map(({ what }) => what)))),
  ].sort();
  return alignedTable([
    ["edit (lost/made)", ...rows.map(({ writer }) => writer)],
    ...kinds.map((kind) => [kind, ...rows.map((row) => cell(row, kind))]),
    ["all edits", ...rows.map((row) => cell(row))],
    ["interleavings", ...rows.map(({ judged }) => String(judged.length))],
  ]);
}

function cell({ judged }: Row, kind?: string): string {
  const of = (acts: readonly Act[]): number => acts.filter(({ what }) => kind === undefined || what === kind).length;
  const lost = judged.reduce((sum, one) => sum + of(one.lost), 0);
  const made = judged.reduce((sum, { played }) => sum + of(editsOf(played)), 0);
  return made === 0 ? "-" : `${lost}/${made}`;
}

/** What others than the writer did; two Lookouts are others to each other. */
function editsOf({ acts }: Played): readonly Act[] {
  return acts.filter(({ read, what }) => read === undefined || what === "another Lookout");
}
