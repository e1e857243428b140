import type { DeployCheck } from "../answers/deploy-check.ts";
import { hang, type Style, type Mark, paintMark, widthOf } from "./style.ts";

const marks = { well: "✓", doubtful: "!", wrong: "✗", unchecked: "?" } as const satisfies Record<
  DeployCheck["verdict"],
  Mark
>;

/** Returns {@link checkLines}, the number of failed checks, and the server. */
export function renderChecks(checks: readonly DeployCheck[], label: string, style: Style): string {
  return `${[...checkLines(checks, style), "", checksSummary(checks), label].join("\n")}\n`;
}

/** Returns one line per check. If a check has a remedy, the remedy follows on the next line. */
export function checkLines(checks: readonly DeployCheck[], style: Style): readonly string[] {
  const width = Math.max(...checks.map(({ check }) => widthOf(check)));
  return checks.flatMap(({ check, verdict, detail, remedy }) => {
    const indent = `${paintMark(marks[verdict], style)} ${check.padEnd(width)}   `;
    const below = remedy === undefined ? [] : [hang(" ".repeat(widthOf(indent)), remedy, style)];
    return [hang(indent, detail, style), ...below];
  });
}

/** Returns how many checks failed, and how many could not be made. */
export function checksSummary(checks: readonly DeployCheck[]): string {
  const count = (verdict: DeployCheck["verdict"]) => checks.filter((one) => one.verdict === verdict).length;
  const [wrong, unchecked] = [count("wrong"), count("unchecked")];
  const open = unchecked === 0 ? "" : ` ${unchecked} of ${checks.length} could not be made.`;
  if (wrong > 0) return `${wrong} of ${checks.length} checks failed.${open}`;
  return unchecked === 0 ? "All checks passed." : `No check failed.${open}`;
}
