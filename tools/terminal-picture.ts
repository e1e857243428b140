import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify, stripVTControlCharacters } from "node:util";

/** The path of the README's picture of a terminal. */
export const pictureFile = fileURLToPath(new URL("../docs/images/terminal.svg", import.meta.url));

const command = "npx lookout demo";
const columns = 120;
const messageColumn = 35;
const charWidth = 7.5;
const rowHeight = 17;
const fontSize = 12.5;
const margin = 16;

/** The CSS class of each colour code. Other codes only end a colour. */
const classes: Readonly<Record<number, string>> = { 1: "heading", 31: "bad", 32: "good", 33: "waiting" };

const style = `
  .window { fill: #f6f8fa; stroke: #d0d7de }
  text { font: ${fontSize}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328; white-space: pre }
  .heading { font-weight: bold } .good { fill: #116329 } .bad { fill: #b3131f } .waiting { fill: #7d4e00 }
  @media (prefers-color-scheme: dark) {
    .window { fill: #0d1117; stroke: #30363d } text { fill: #e6edf3 }
    .good { fill: #56d364 } .bad { fill: #ff7b72 } .waiting { fill: #e3b341 }
  }
`;

/**
 * Returns the output of the tour as an SVG with its colours: one `text` per line, one `tspan` per
 * row.
 */
export function terminalPicture(output: string): string {
  const lines = [`\u001b[1m$ ${command}`, "", ...output.trimEnd().split(/\r?\n/)];
  let rows = 0;
  const texts = lines.map((line) => {
    const kind = line.startsWith("\u001b[") ? classes[Number.parseInt(line.slice(2), 10)] : undefined;
    const spans = rowsOf(stripVTControlCharacters(line)).map((row, index) => {
      const x = margin + (index === 0 ? 0 : messageColumn * charWidth);
      const y = margin + ++rows * rowHeight;
      // A fixed length aligns the columns in every font.
      return `<tspan x="${x}" y="${y}" textLength="${row.length * charWidth}">${escaped(row)}</tspan>`;
    });
    return `<text${kind === undefined ? "" : ` class="${kind}"`}>${spans.join("")}</text>`;
  });
  const width = columns * charWidth + 2 * margin;
  const height = rows * rowHeight + 2 * margin + 4;
  return `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" role="img" aria-labelledby="title description" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title id="title">A terminal that runs ${command}</title>
<desc id="description">A push reaches running pods, a maintenance window holds an update, an image that can't start is rolled back, the window opens, and a person approves an update.</desc>
<style>${style}</style>
<rect class="window" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${texts.join("\n")}
</svg>
`;
}

/** Returns the lines of the tour in its picture, without the prompt. */
export function picturedLines(picture: string): readonly string[] {
  return [...picture.matchAll(/<text.*<\/text>/g)].slice(2).map(([text]) =>
    text
      .replaceAll(/<[^>]*>/g, "")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&"),
  );
}

/** Replaces the times and durations of a line, which differ in each run. */
export function withoutTimes(line: string): string {
  return line.replace(/^[\d:.]+(?= {2})/, "hh:mm:ss.mmm").replace(/[\d.]+ m?s after/, "… after");
}

/** Returns the rows of a line, broken at the width of the picture. The joined rows are the line. */
function rowsOf(line: string): readonly string[] {
  if (line.length <= columns) return [line];
  const rows = [""];
  for (const piece of line.match(/ *[^ ]{1,70} ?/g) ?? []) {
    const row = rows.at(-1) ?? "";
    const room = rows.length === 1 ? columns : columns - messageColumn;
    if (row.length + piece.trimEnd().length <= room) rows[rows.length - 1] = row + piece;
    else rows.push(piece);
  }
  return rows;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

if (import.meta.main) {
  // `script` gives the tour a terminal, because the tour has colours only there. A wide one shortens no line.
  const arguments_ = ["--quiet", "--return", "--command", "stty cols 400; node bin/lookout.js demo", "/dev/null"];
  const { stdout } = await promisify(execFile)("script", arguments_, {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
  });
  await writeFile(pictureFile, terminalPicture(stdout));
}
