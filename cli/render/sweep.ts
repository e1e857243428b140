import type { SweepView, SweptView } from "#contracts/api/repositories";
import { hang, type Look, paintMark } from "./look.ts";
import { shortReason } from "./reason.ts";
import { renderTable } from "./table.ts";

/** Writes what a sweep found in each repository, and which there was no time for. */
export function renderSweep({ repositories, notReached }: SweepView, look: Look): string {
  if (repositories.length === 0 && notReached.length === 0)
    return "There is nothing to sweep: no workload is tracked with an image of any repository.\n";
  const rows = repositories.map((swept) => [swept.repository, String(swept.workloads), found(swept, look)]);
  const table = rows.length === 0 ? "" : renderTable(["REPOSITORY", "WORKLOADS", "FOUND"], rows, look);
  if (notReached.length === 0) return table;
  const rest = `There was no time for these, which the next sweep looks at: ${notReached.join(", ")}`;
  return `${table}${hang(`${paintMark("!", look)} `, rest, look)}\n`;
}

function found({ missed, problem }: SweptView, look: Look): string {
  const news = missed ? [`${paintMark("↻", look)} something that nobody told of: policies are asked`] : [];
  const trouble = problem === undefined ? [] : [`${paintMark("!", look)} ${shortReason(problem, look)}`];
  const words = [...news, ...trouble];
  return words.length === 0 ? `${paintMark("✓", look)} nothing new` : words.join(" · ");
}
