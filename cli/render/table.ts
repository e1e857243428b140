import Table from "cli-table3";
import { ownLineIndent, wordsOf } from "#runtime/text-width";
import { type Style, paintHeading, widthOf, wrap } from "./style.ts";

/** The number of columns between two cells. */
const gap = 3;
/** The least width of the last column. A narrower column moves below its row. */
const narrowest = 24;
/** The least width of the other columns. */
const narrowestOther = 6;

/**
 * Returns a table without borders. The last column takes the rest of the width and is wrapped. If
 * the rest is too narrow, the last column moves below its row. If the other columns do not fit
 * either, they are wrapped too, and a longer word gets its own line.
 *
 * @param rows - one cell per heading; a cell may contain colours
 * @returns lines without trailing spaces, with a final line break.
 */
export function renderTable(headings: readonly string[], rows: readonly (readonly string[])[], style: Style): string {
  const isHeaded = style.headings !== false;
  const all = isHeaded ? [headings, ...rows] : rows;
  const painted = isHeaded ? [headings.map((heading) => paintHeading(heading, style)), ...rows] : rows;
  const others = headings.slice(0, -1).map((_, column) => Math.max(0, ...all.map((row) => widthOf(row[column] ?? ""))));
  const left = others.reduce((total, width) => total + width + gap, 0);
  const room = style.width === undefined ? undefined : style.width - left;
  const last = Math.max(0, ...all.map((row) => widthOf(row.at(-1) ?? "")));
  if (room !== undefined && (room < Math.min(narrowest, last) || isShorterStacked(rows, room, left, style)))
    return stacked(painted, isHeaded, others, style);
  return laidOut(painted.map((row) => [...row.slice(0, -1), wrap(row.at(-1) ?? "", room).join("\n")]));
}

/** Returns whether the table has fewer lines with the last column below its row. */
function isShorterStacked(rows: readonly (readonly string[])[], room: number, left: number, style: Style): boolean {
  const { width = Infinity } = style;
  if (left > width) return true;
  const beside = rows.reduce((sum, row) => sum + wrap(row.at(-1) ?? "", room).length, 0);
  const below = rows.reduce((sum, row) => sum + 1 + wrap(row.at(-1) ?? "", width - ownLineIndent).length, 0);
  return below < beside;
}

/** Returns a table with the last column below its row, without its heading. */
function stacked(
  rows: readonly (readonly string[])[],
  isHeaded: boolean,
  widths: readonly number[],
  style: Style,
): string {
  const limits = style.width === undefined ? widths : narrowed(widths, style.width);
  const cells = rows.map((row) => row.slice(0, -1).map((cell, column) => fitted(cell, limits[column])));
  const lines = laidOut(cells.map((row) => row.map(({ inside }) => inside.join("\n")))).split("\n");
  const own = (text: string): readonly string[] =>
    wrap(text, style.width === undefined ? undefined : style.width - ownLineIndent).map(
      (line) => " ".repeat(ownLineIndent) + line,
    );
  let next = 0;
  return rows
    .flatMap((row, index) => {
      const parts = cells[index] ?? [];
      const height = Math.max(...parts.map(({ inside }) => inside.length));
      const block = lines.slice(next, (next += height));
      const below = isHeaded && index === 0 ? "" : (row.at(-1) ?? "");
      const [first, ...others] = parts.map(({ outside }) => outside);
      return [
        ...(first === undefined ? [] : [first]),
        // A row whose only cell is above it has no line of its own.
        ...block.filter((line) => line !== ""),
        ...others.flatMap((outside) => (outside === undefined ? [] : own(outside))),
        ...(below === "" ? [] : own(below)),
      ].map((line) => `${line}\n`);
    })
    .join("");
}

/** Returns column widths that fit into a line, narrowing the widest columns first. */
function narrowed(widths: readonly number[], line: number): readonly number[] {
  const limits = [...widths];
  const total = (): number => limits.reduce((sum, width) => sum + width + gap, -gap);
  while (total() > line) {
    const widest = limits.indexOf(Math.max(...limits));
    const width = limits[widest] ?? 0;
    if (width <= narrowestOther) break;
    limits[widest] = width - 1;
  }
  return limits;
}

/** Returns the lines of a cell in its column. A cell with a longer word leaves its column. */
function fitted(cell: string, limit = Infinity): { readonly inside: readonly string[]; readonly outside?: string } {
  const isWide = wordsOf(cell).some((word) => widthOf(word) > limit);
  return isWide ? { inside: [""], outside: cell } : { inside: wrap(cell, limit) };
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
