import type { CheckView } from "#contracts/api/doctor";
import { hang, type Look, type Mark, paintMark, widthOf } from "./look.ts";

const marks = { well: "✓", doubtful: "!", wrong: "✗" } as const satisfies Record<CheckView["verdict"], Mark>;

/** Writes what was looked at, a line each, and under it what to do where something is not well. */
export function renderChecks(checks: readonly CheckView[], label: string, look: Look): string {
  const width = Math.max(...checks.map(({ check }) => widthOf(check)));
  const lines = checks.flatMap(({ check, verdict, detail, remedy }) => {
    const indent = `${paintMark(marks[verdict], look)} ${check.padEnd(width)}   `;
    const below = remedy === undefined ? [] : [hang(" ".repeat(widthOf(indent)), remedy, look)];
    return [hang(indent, detail, look), ...below];
  });
  const wrong = checks.filter(({ verdict }) => verdict === "wrong").length;
  const summary = wrong === 0 ? "All is well." : `${wrong} of ${checks.length} checks found something wrong.`;
  return `${[...lines, "", summary, label].join("\n")}\n`;
}
