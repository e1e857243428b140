import Table from "cli-table3";
import { type Style, paintHeading, widthOf, wrap } from "./style.ts";

/** The number of columns between two cells. */
const gap = 3;
/** The minimum width of the last column. A narrower column moves below its row. */
const narrowest = 24;
const indentOfOwnLine = 4;

/**
 * Returns a table without borders. The last column takes the rest of the width and is wrapped. If
 * the rest is too narrow, the last column moves below its row.
 *
 * @param rows - one cell per heading; a cell may contain colours
 * @returns lines without trailing spaces, with a final line break.
 */
export function renderTable(headings: readonly string[], rows: readonly (readonly string[])[], style: Style): string {
  const all = [headings, ...rows];
  const others = headings.slice(0, -1).map((_, column) => Math.max(...all.map((row) => widthOf(row[column] ?? ""))));
  const left = others.reduce((total, width) => total + width + gap, 0);
  const room = style.width === undefined ? undefined : style.width - left;
  const painted = [headings.map((heading) => paintHeading(heading, style)), ...rows];
  const last = Math.max(...all.map((row) => widthOf(row.at(-1) ?? "")));
  if (room !== undefined && room < Math.min(narrowest, last)) return stacked(painted, style);
  return laidOut(painted.map((row) => [...row.slice(0, -1), wrap(row.at(-1) ?? "", room).join("\n")]));
}

/** Returns a table with the last column below its row, without its heading. */
function stacked(rows: readonly (readonly string[])[], style: Style): string {
  const lines = laidOut(rows.map((row) => row.slice(0, -1))).split("\n");
  const width = style.width === undefined ? undefined : Math.max(narrowest, style.width - indentOfOwnLine);
  return lines
    .flatMap((line, index) => {
      const below = index === 0 ? "" : (rows[index]?.at(-1) ?? "");
      return below === "" ? [line] : [line, ...wrap(below, width).map((text) => " ".repeat(indentOfOwnLine) + text)];
    })
    .join("\n");
}

const noLines = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "",
};

function laidOut(rows: readonly (readonly string[])[]): string {
  const table = new Table({
    chars: noLines,
    style: { "padding-left": 0, "padding-right": gap, head: [], border: [] },
  });
  for (const row of rows) table.push([...row]);
  return table
    .toString()
    .split("\n")
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}
