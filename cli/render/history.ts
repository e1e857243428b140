import type { DecisionsView, DecisionView } from "#contracts/api/workloads";
import { versionText, withShortDigests } from "./image.ts";
import type { Look } from "./look.ts";
import { recordedReason } from "./reason.ts";
import { renderTable } from "./table.ts";
import { clock, relative, stamp } from "./time.ts";

/** Names a decision: `prod/shop/deployment/api/17/42`, by its update and the version of the record. */
export function decisionName(workload: string, { seq, version }: Pick<DecisionView, "seq" | "version">): string {
  return `${workload}/${seq}/${version}`;
}

/** What was asked for. */
export interface HistoryAsked {
  readonly limit: number;
  /** The most that `--limit` may be. */
  readonly most: number;
  readonly since: string | undefined;
  /** The last decision before `since`, where there is none after it. */
  readonly before: DecisionView | undefined;
}

/** Writes what was decided about a workload, the newest first, and whether there may be more. */
export function renderHistory({ workload, decisions }: DecisionsView, asked: HistoryAsked, look: Look): string {
  if (decisions.length === 0) return `${workload}: ${nothing(asked, look)}\n`;
  const rows = decisions.map((decision) => [
    stamp(decision.at, look),
    // 0: of the workload, before any update.
    decision.seq === 0 ? "–" : String(decision.seq),
    decision.what,
    decision.images.map((image) => `${image.container} ${versionText(image, look)}`).join(", ") || "–",
    whyOf(decision, look),
  ]);
  const table = renderTable(["WHEN", "UPDATE", "WHAT", "IMAGE", "WHY"], rows, look);
  return `${workload}, times in ${look.timeZone}\n\n${table}${moreOf(decisions.length, asked)}`;
}

function nothing({ since, before }: HistoryAsked, look: Look): string {
  if (since === undefined || before === undefined) return "nothing was decided yet.";
  return `nothing since ${clock(since, look)}; the last was ${before.what}, ${relative(before.at, look)}.`;
}

function moreOf(shown: number, { limit, most }: HistoryAsked): string {
  if (shown < limit) return "";
  return limit < most ? `\nThe last ${limit}; more: --limit ${Math.min(most, limit * 10)}\n` : `\nThe last ${limit}.\n`;
}

/** The detail often repeats a reason's particulars. */
function whyOf({ reasons, detail }: DecisionView, look: Look): string {
  const told = reasons.map((reason) => recordedReason(reason, look));
  const more = detail === undefined || reasons.some((reason) => reason.detail === detail) ? [] : [detail];
  return [...told, ...more.map((text) => withShortDigests(text, look))].join(" · ");
}
