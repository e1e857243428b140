import type { DecisionsView, DecisionView } from "#contracts/api";
import { versionText, withShortDigests } from "./image.ts";
import type { Look } from "./look.ts";
import { recordedReason } from "./reason.ts";
import { renderTable } from "./table.ts";
import { stamp } from "./time.ts";

/** Names a decision: `prod/shop/deployment/api/17/42`, by its update and the version of the record. */
export function decisionName(workload: string, { seq, version }: Pick<DecisionView, "seq" | "version">): string {
  return `${workload}/${seq}/${version}`;
}

/** Writes what was decided about a workload, the newest first. */
export function renderHistory({ workload, decisions }: DecisionsView, look: Look): string {
  if (decisions.length === 0) return `${workload}: nothing was decided yet.\n`;
  const rows = decisions.map((decision) => [
    stamp(decision.at, look),
    // 0: of the workload, before any update.
    decision.seq === 0 ? "–" : String(decision.seq),
    decision.what,
    decision.images.map((image) => `${image.container} ${versionText(image, look)}`).join(", ") || "–",
    whyOf(decision, look),
  ]);
  return `${workload}, times in ${look.timeZone}\n\n${renderTable(["WHEN", "UPDATE", "WHAT", "IMAGE", "WHY"], rows, look)}`;
}

/** The detail often repeats a reason's particulars. */
function whyOf({ reasons, detail }: DecisionView, look: Look): string {
  const told = reasons.map((reason) => recordedReason(reason, look));
  const more = detail === undefined || reasons.some((reason) => reason.detail === detail) ? [] : [detail];
  return [...told, ...more.map((text) => withShortDigests(text, look))].join(" · ");
}
