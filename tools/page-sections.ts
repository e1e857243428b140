import { readFile, writeFile } from "node:fs/promises";

/** Writes texts into the sections of a page in `docs`. The rest of the page stays unchanged. */
export async function writeSections(page: string, texts: Readonly<Record<string, string>>): Promise<void> {
  const file = new URL(`../docs/${page}`, import.meta.url);
  const before = await readFile(file, "utf8");
  await writeFile(
    file,
    Object.entries(texts).reduce((text, [name, content]) => withSection(text, name, content), before),
  );
}

/**
 * Returns a page with a new text between `<!-- name -->` and `<!-- /name -->`.
 *
 * @throws Error if the page lacks one of the marks.
 */
export function withSection(page: string, name: string, content: string): string {
  const begin = `<!-- ${name} -->`;
  const end = `<!-- /${name} -->`;
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`the page has no ${begin} … ${end}`);
  return `${before}${begin}\n\n${content}\n\n${end}${after}`;
}

/**
 * Returns an aligned Markdown table. The first line is the head, and columns after the first align
 * right.
 */
export function alignedTable(lines: readonly (readonly string[])[]): string {
  const widths = widthsOf(lines);
  const [head = "", ...body] = aligned(lines, widths).map((cells) => `| ${cells.join(" | ")} |`);
  const rules = widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [head, `| ${rules.join(" | ")} |`, ...body].join("\n");
}

/**
 * Returns lines of text with aligned columns, in a fenced block instead of the table of
 * {@link alignedTable}.
 */
export function alignedText(lines: readonly (readonly string[])[]): string {
  const body = aligned(lines, widthsOf(lines)).map((cells) => cells.join("  ").trimEnd());
  return ["```text", ...body, "```"].join("\n");
}

function widthsOf(lines: readonly (readonly string[])[]): readonly number[] {
  const [head = []] = lines;
  return head.map((_, column) => Math.max(3, ...lines.map((cells) => cells[column]?.length ?? 0)));
}

function aligned(lines: readonly (readonly string[])[], widths: readonly number[]): readonly (readonly string[])[] {
  return lines.map((cells) =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))),
  );
}
