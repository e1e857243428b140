import { alignedTable } from "../../../tools/page-sections.ts";
import { type Act, lostEdits, type State, type Step, stepsOf, writesOf } from "./lost-edits.ts";
import { type Decision, sentTooLate } from "./decisions.ts";
import type { Played } from "./play.ts";

/** An interleaving, and its verdict from the server's history. */
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

/** Returns the verdict of an interleaving from the states of its object. */
export function judged(played: Played, states: readonly State[]): Judged {
  const first = states.findIndex(({ resourceVersion }) => resourceVersion === played.begins);
  if (first === -1) throw new Error(`the history of ${played.plan.target.name} lacks its beginning`);
  const steps = stepsOf(states.slice(first), played.acts);
  return { played, steps, lost: lostEdits(steps) };
}

/** Returns the number of edits that a writer lost. */
export function lostBy(row: Row): number {
  return row.judged.reduce((sum, { lost }) => sum + lost.length, 0);
}

/** Returns a sentence with the numbers of interleavings, landed writes and lost edits. */
export function summary(row: Row): string {
  const writes = row.judged.reduce((sum, { steps }) => sum + writesOf(steps).length, 0);
  const guarded = row.judged.reduce((sum, { played }) => sum + played.guarded, 0);
  const stopped = guarded === 0 ? "" : `, ${guarded} stopped by a guard`;
  return `${row.writer}: ${row.judged.length} interleavings, ${lostBy(row)} lost (${writes} writes landed${stopped})`;
}

/** Returns the number of successful decisions of a kind. */
export function answered({ judged: all }: Row, what: Decision["what"]): number {
  return all.filter(({ played }) => played.decided?.what === what).length;
}

/** Returns a sentence with the numbers of successful decisions and of later patches. */
export function decisionSummary(row: Row): string {
  const late = row.judged.flatMap(({ played }) => sentTooLate(played.decided, played.sent)).length;
  return `${late} patches sent after ${answered(row, "rejection")} rejections and ${answered(row, "freeze")} freezes`;
}

/** Returns a Markdown table with an edit per line, a writer per column, and cells "lost/made". */
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

/** Returns the writes of others. Two Lookouts are others to each other. */
function editsOf({ acts }: Played): readonly Act[] {
  return acts.filter(({ read, what }) => read === undefined || what === "another Lookout");
}
