import { stripVTControlCharacters, styleText } from "node:util";
import type { EpochMs } from "#domain/shared/time";

/** How text is to look. */
export interface Look {
  /** Columns; absent: lines are as long as they are. */
  readonly width: number | undefined;
  readonly colour: boolean;
  readonly now: EpochMs;
  /** IANA name, for the times that are shown. */
  readonly timeZone: string;
  /** Whole digests. */
  readonly wide: boolean;
}

const colours = { "✓": "green", "✗": "red", "⏸": "yellow", "↻": "cyan", "!": "magenta" } as const;
/** What stands before a state, so that a colour never says it alone. */
export type Mark = keyof typeof colours;

/** Writes a mark, in its colour where there are colours. */
export function paintMark(mark: Mark, { colour }: Pick<Look, "colour">): string {
  return colour ? styleText(colours[mark], mark, { validateStream: false }) : mark;
}

/** Writes the words of a heading. */
export function paintHeading(text: string, { colour }: Pick<Look, "colour">): string {
  return colour && text !== "" ? styleText("bold", text, { validateStream: false }) : text;
}

/** Counts the columns that a text takes, colours not counted. */
export function widthOf(text: string): number {
  return Array.from(stripVTControlCharacters(text)).length;
}

/** Breaks a text between words; a word that is longer than the width stays whole. Without a width, one line. */
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

/** Puts text after a first indent, broken between words, with all further lines under where the text began. */
export function hang(indent: string, text: string, { width }: Pick<Look, "width">): string {
  const room = width === undefined ? undefined : Math.max(20, width - widthOf(indent));
  return wrap(text, room)
    .map((line, index) => (index === 0 ? indent : " ".repeat(widthOf(indent))) + line)
    .join("\n");
}
