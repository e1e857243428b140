import { stripVTControlCharacters } from "node:util";

/** The number of columns that texts may take. Undefined if lines are not wrapped. */
export interface TextWidth {
  readonly width: number | undefined;
}

/** The width of a terminal that reports none. */
const usualWidth = 80;

/**
 * Returns the width of a terminal. Some terminals report 0 columns: their width is COLUMNS, else
 * 80. Undefined if the output is not a terminal.
 */
export function terminalWidth(
  reported: number | undefined,
  { COLUMNS }: Readonly<Record<string, string | undefined>>,
): number | undefined {
  if (reported === undefined || reported > 0) return reported;
  const named = Number(COLUMNS);
  return Number.isInteger(named) && named > 0 ? named : usualWidth;
}

/** Returns whether a terminal shows colours: not with NO_COLOR, and not with the TERM `dumb`. */
export function hasColours(
  isTerminal: boolean,
  { NO_COLOR, TERM }: Readonly<Record<string, string | undefined>>,
): boolean {
  return isTerminal && (NO_COLOR === undefined || NO_COLOR === "") && TERM !== "dumb";
}

/** Returns the width of a text in columns, without colour codes. */
export function widthOf(text: string): number {
  return Array.from(stripVTControlCharacters(text)).length;
}

/** The second word of commands of a group, such as `lookout cluster list`. */
const ofGroups =
  "add|ask|bash|check|create|elect|explain|fish|lift|list|manifests|parse|remove|renew|resume|revoke|sync|test|token|url|zsh";
/** A command that users copy, up to its last argument. Arguments in lower case are values of flags or contain a sign. */
const commands = new RegExp(
  [
    `(?:npx )?lookout [a-z]+(?: (?:${ofGroups})\\b)?(?: (?:--?[a-z][\\w-]*(?:[ =](?:"[^"]*"|[^\\s"·-]\\S*))?|"[^"]*"|[A-Z]{2}\\S*|\\S*[/:=@]\\S*))*`,
    "kubectl (?:rollout )?[a-z]+(?: (?:deployment|statefulset|daemonset|cronjob) \\S+)?(?: (?:-n \\S+|\\S+=\\S+))*",
  ].join("|"),
  "g",
);

/** A space that never ends a line. */
const fixedSpace = "\u00a0";

/** Returns the parts of a text that stay whole: its words and its commands. */
export function wordsOf(text: string): readonly string[] {
  const fixed = text.replaceAll(commands, (command) => command.replaceAll(" ", fixedSpace));
  return fixed.split(/ +/).map((word) => word.replaceAll(fixedSpace, " "));
}

/**
 * Returns the lines of a text, broken between words. A word that is longer than the width stays
 * whole, and so does a command.
 */
export function wrap(text: string, width: number | undefined): readonly string[] {
  if (width === undefined || widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of wordsOf(text)) {
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

/** The least room of a text beside its start. With less room, the text moves below its start. */
const leastRoom = 24;
/** The indent of a text that moved below its start. */
export const ownLineIndent = 4;

/**
 * Returns `indent` and the wrapped text, with all further lines indented to the same column. If the
 * column is too far right, the text starts below.
 */
export function hang(indent: string, text: string, { width }: TextWidth): string {
  if (width === undefined) return indent + text;
  const start = widthOf(indent);
  const room = width - start;
  const longest = Math.max(...wordsOf(text).map(widthOf));
  if (room >= widthOf(text) || (room >= leastRoom && room >= longest) || start <= ownLineIndent)
    return wrap(text, room)
      .map((line, index) => (index === 0 ? indent : " ".repeat(start)) + line)
      .join("\n");
  const below = wrap(text, width - ownLineIndent).map((line) => " ".repeat(ownLineIndent) + line);
  return [...wrap(indent.trimEnd(), width), ...below].join("\n");
}

/** Returns the first words of a text that fit into a width, with `…` for the words that do not fit. */
export function cut(text: string, width: number | undefined): string {
  if (width === undefined || widthOf(text) <= width) return text;
  let line = "";
  for (const word of text.split(/(?<= )(?! )/)) {
    if (widthOf(`${line}${word}`.trimEnd()) + 2 > width) break;
    line += word;
  }
  if (line === "") return cutMiddle(text.split(" ", 1).join(), Math.max(1, width));
  return `${line.trimEnd()} …`.trimStart();
}

/** Returns a name with `…` for its middle, if it is longer than the width. */
export function cutMiddle(name: string, width: number): string {
  const letters = Array.from(name);
  if (letters.length <= width) return name;
  const end = Math.floor((width - 1) / 2);
  return [...letters.slice(0, width - 1 - end), "…", ...(end === 0 ? [] : letters.slice(-end))].join("");
}
