import { stripVTControlCharacters, styleText } from "node:util";
import type { EpochMs } from "#domain/shared/time";

/** The style of text on an output. */
export interface Style {
  /** The number of columns. Undefined if lines are not wrapped. */
  readonly width: number | undefined;
  readonly colour: boolean;
  readonly now: EpochMs;
  /** The IANA name of the time zone of all shown times. */
  readonly timeZone: string;
  /** True if the output shows whole digests. */
  readonly wide: boolean;
}

const colours = { "✓": "green", "✗": "red", "⏸": "yellow", "↻": "cyan", "!": "magenta", "?": "magenta" } as const;
/** A mark before a state. The mark also shows the state on an output without colours. */
export type Mark = keyof typeof colours;

/** Returns a mark, in its colour if the style has colours. */
export function paintMark(mark: Mark, { colour }: Pick<Style, "colour">): string {
  return colour ? styleText(colours[mark], mark, { validateStream: false }) : mark;
}

/** Returns a heading, in bold if the style has colours. */
export function paintHeading(text: string, { colour }: Pick<Style, "colour">): string {
  return colour && text !== "" ? styleText("bold", text, { validateStream: false }) : text;
}

/** Returns the width of a text in columns, without colour codes. */
export function widthOf(text: string): number {
  return Array.from(stripVTControlCharacters(text)).length;
}

/** Returns the lines of a text, broken between words. A word longer than the width stays whole. */
export function wrap(text: string, width: number | undefined): readonly string[] {
  if (width === undefined || widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/ +/)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(longer) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}

/** Returns `indent` and the wrapped text, with all further lines indented to the same column. */
export function hang(indent: string, text: string, { width }: Pick<Style, "width">): string {
  const room = width === undefined ? undefined : Math.max(20, width - widthOf(indent));
  return wrap(text, room)
    .map((line, index) => (index === 0 ? indent : " ".repeat(widthOf(indent))) + line)
    .join("\n");
}
