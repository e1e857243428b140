import type { DecisionsView, DecisionView } from "#contracts/api/workloads";
import { versionText, withShortDigests } from "./image.ts";
import { type Style, wrap } from "./style.ts";
import { recordedReason } from "./reason.ts";
import { renderTable } from "./table.ts";
import { clock, relative, stamp } from "./time.ts";
import { changedUpdates } from "./what-changed.ts";

/**
 * Returns a decision's name: workload, update and version of the record,
 * `prod/shop/deployment/api/17/42`.
 */
export function decisionName(workload: string, { seq, version }: Pick<DecisionView, "seq" | "version">): string {
  return `${workload}/${seq}/${version}`;
}

interface HistoryAsked {
  readonly limit: number;
  /** The highest value of `--limit`. */
  readonly most: number;
  readonly since: string | undefined;
  /** The last decision before `since`, if there is no later decision. */
  readonly before: DecisionView | undefined;
}

/** Returns a table of decisions, the newest first, and a hint if there may be more. */
export function renderHistory({ workload, decisions }: DecisionsView, asked: HistoryAsked, style: Style): string {
  if (decisions.length === 0) return `${workload}: ${nothing(asked, style)}\n`;
  const rows = decisions.map((decision) => [
    stamp(decision.at, style),
    // 0 means a decision before the first update.
    decision.seq === 0 ? "–" : String(decision.seq),
    decision.isImported === true ? `${decision.what} (imported)` : decision.what,
    decision.images.map((image) => `${image.container} ${versionText(image, style)}`).join(", ") || "–",
    whyOf(decision, style),
  ]);
  const table = renderTable(["WHEN", "UPDATE", "WHAT", "IMAGE", "WHY"], rows, style);
  const heading = wrap(`${workload}, times in ${style.timeZone}`, style.width).join("\n");
  const changed = decisions.map(({ seq, images }) => ({ name: `update ${seq}`, images }));
  return `${heading}\n\n${table}${changedUpdates(changed, style)}${moreOf(decisions.length, asked)}`;
}

function nothing({ since, before }: HistoryAsked, style: Style): string {
  if (since === undefined || before === undefined) return "Lookout has not made a decision yet.";
  return `no decision since ${clock(since, style)}. The last decision was ${before.what}, ${relative(before.at, style)}.`;
}

function moreOf(shown: number, { limit, most }: HistoryAsked): string {
  if (shown < limit) return "";
  return limit < most
    ? `\nThese are the last ${limit} decisions. For more: --limit ${Math.min(most, limit * 10)}\n`
    : `\nThese are the last ${limit} decisions.\n`;
}

/**
 * Returns the reasons and the detail of a decision. A detail that a reason already contains is not
 * repeated.
 */
function whyOf({ reasons, detail }: DecisionView, style: Style): string {
  const texts = reasons.map((reason) => recordedReason(reason, style));
  const more = detail === undefined || reasons.some((reason) => reason.detail === detail) ? [] : [detail];
  return [...texts, ...more.map((text) => withShortDigests(text, style))].join(" · ");
}
