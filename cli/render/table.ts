import Table from "cli-table3";
import { type Look, paintHeading, widthOf, wrap } from "./look.ts";

/** Columns between two cells. */
const gap = 3;
/** Where the last column would be narrower, it goes on a line of its own under its row. */
const narrowest = 24;
const indentOfOwnLine = 4;

/**
 * Lays out a table without lines. The last column takes what the width leaves, and is broken between words; where that is too little,
 * it stands under its row.
 *
 * @param rows - as many cells as there are headings, in their order; a cell may hold colours
 * @returns lines without spaces at their ends, and with a line break at the end.
 */
export function renderTable(headings: readonly string[], rows: readonly (readonly string[])[], look: Look): string {
  const all = [headings, ...rows];
  const others = headings.slice(0, -1).map((_, column) => Math.max(...all.map((row) => widthOf(row[column] ?? ""))));
  const left = others.reduce((total, width) => total + width + gap, 0);
  const room = look.width === undefined ? undefined : look.width - left;
  const painted = [headings.map((heading) => paintHeading(heading, look)), ...rows];
  const last = Math.max(...all.map((row) => widthOf(row.at(-1) ?? "")));
  if (room !== undefined && room < Math.min(narrowest, last)) return stacked(painted, look);
  return laidOut(painted.map((row) => [...row.slice(0, -1), wrap(row.at(-1) ?? "", room).join("\n")]));
}

/** The heading of the last column is left out: what stands on its own line needs none. */
function stacked(rows: readonly (readonly string[])[], look: Look): string {
  const lines = laidOut(rows.map((row) => row.slice(0, -1))).split("\n");
  const width = look.width === undefined ? undefined : Math.max(narrowest, look.width - indentOfOwnLine);
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
