import type { CheckView } from "#contracts/api/doctor";
import { hang, type Style, type Mark, paintMark, widthOf } from "./style.ts";

const marks = { well: "✓", doubtful: "!", wrong: "✗" } as const satisfies Record<CheckView["verdict"], Mark>;

/** Returns one line per check. If a check has a remedy, the remedy follows on the next line. */
export function renderChecks(checks: readonly CheckView[], label: string, style: Style): string {
  const width = Math.max(...checks.map(({ check }) => widthOf(check)));
  const lines = checks.flatMap(({ check, verdict, detail, remedy }) => {
    const indent = `${paintMark(marks[verdict], style)} ${check.padEnd(width)}   `;
    const below = remedy === undefined ? [] : [hang(" ".repeat(widthOf(indent)), remedy, style)];
    return [hang(indent, detail, style), ...below];
  });
  const wrong = checks.filter(({ verdict }) => verdict === "wrong").length;
  const summary = wrong === 0 ? "All checks passed." : `${wrong} of ${checks.length} checks failed.`;
  return `${[...lines, "", summary, label].join("\n")}\n`;
}
