import type { SweepView, SweptView } from "#contracts/api/repositories";
import { hang, type Style, paintMark } from "./style.ts";
import { shortReason } from "./reason.ts";
import { renderTable } from "./table.ts";

/**
 * Returns the findings of a sweep per repository, and the repositories that it did not reach in
 * time.
 */
export function renderSweep({ repositories, notReached }: SweepView, style: Style): string {
  if (repositories.length === 0 && notReached.length === 0)
    return "Lookout has no repository to sweep: no tracked workload has an image of a registry.\n";
  const rows = repositories.map((swept) => [swept.imageName, String(swept.workloads), found(swept, style)]);
  const table = rows.length === 0 ? "" : renderTable(["REPOSITORY", "WORKLOADS", "FOUND"], rows, style);
  if (notReached.length === 0) return table;
  const rest = `The time limit ended this sweep. The next sweep checks: ${notReached.join(", ")}`;
  return `${table}${hang(`${paintMark("!", style)} `, rest, style)}\n`;
}

function found({ missed, problem }: SweptView, style: Style): string {
  const words = [
    ...(missed ? [`${paintMark("↻", style)} missed push found: Lookout evaluates the policies`] : []),
    ...(problem === undefined ? [] : [`${paintMark("!", style)} ${shortReason(problem, style)}`]),
  ];
  return words.length === 0 ? `${paintMark("✓", style)} no missed push` : words.join(" · ");
}
