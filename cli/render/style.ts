import { styleText } from "node:util";
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
  /** False if tables have no headings. The default is true. */
  readonly headings?: boolean;
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

export { hang, widthOf, wrap } from "#runtime/text-width";
