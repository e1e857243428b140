import { ok, problem, type Result } from "../shared/result.ts";
import { characterNumber, shortened } from "../shared/shown-text.ts";
import type { TagMatch, TagMatcher } from "./tag-pattern.ts";

/** A parsed template: literal texts, and groups by number or name. */
export interface ExtractTemplate {
  readonly text: string;
  readonly parts: readonly (string | { readonly group: number | string })[];
}

/** The problem of an invalid template. `message` shows the text and the position. */
export interface ExtractProblem {
  readonly code: "extract-invalid";
  readonly message: string;
}

const LONGEST_TEMPLATE = 1_000;
/**
 * Matches a group after a dollar sign. The longest possible name counts: `$1x` is the group `1x`,
 * and `${1}x` is the group 1 and an x.
 */
const REFERENCE = /\$(?:\$|(?<plain>[\p{L}\p{Nd}_]+)|\{(?<braced>[\p{L}\p{Nd}_]+)\})/uy;

/**
 * Parses a template as Go's `Expand` does: `$1`, `$name` and `${name}` are groups, `$$` is a dollar
 * sign.
 *
 * The parser rejects a single dollar sign and an unknown group, although Go accepts both.
 *
 * @param groupNames - the groups of the pattern, by number. Absent if the pattern is unknown.
 * @see https://pkg.go.dev/regexp#Regexp.Expand
 */
export function parseTemplate(
  text: string,
  groupNames?: TagMatcher["groupNames"],
): Result<ExtractTemplate, ExtractProblem> {
  if (text === "") return refuse(text, "empty: remove the template to compare the whole tag");
  if (text.length > LONGEST_TEMPLATE) return refuse(shortened(text, 40), `longer than ${LONGEST_TEMPLATE} characters`);
  const parts: ExtractTemplate["parts"][number][] = [];
  for (let index = 0; index < text.length;) {
    const dollar = text.indexOf("$", index);
    const plain = text.slice(index, dollar < 0 ? text.length : dollar);
    if (plain !== "") parts.push(plain);
    if (dollar < 0) break;
    const read = readReference(text, dollar, groupNames);
    if (!read.ok) return refuse(text, `character ${characterNumber(text, dollar)}: ${read.problem}`);
    parts.push(read.value.part);
    index = read.value.next;
  }
  return ok({ text, parts });
}

function refuse(text: string, why: string): Result<never, ExtractProblem> {
  return problem({ code: "extract-invalid", message: `"${text}": not a template (${why})` });
}

/** Parses the group after a dollar sign. `next` is the index after the group. */
function readReference(
  text: string,
  dollar: number,
  groupNames: TagMatcher["groupNames"] | undefined,
): Result<{ readonly part: ExtractTemplate["parts"][number]; readonly next: number }, string> {
  REFERENCE.lastIndex = dollar;
  const match = REFERENCE.exec(text);
  if (match === null) return problem("no name follows the dollar sign; write $$ for a dollar sign");
  const next = REFERENCE.lastIndex;
  const name = match.groups?.plain ?? match.groups?.braced;
  if (name === undefined) return ok({ part: "$", next });
  const group = groupOf(name);
  const isKnown =
    groupNames === undefined || (typeof group === "number" ? group < groupNames.length : groupNames.includes(group));
  return isKnown ? ok({ part: { group }, next }) : problem(`the pattern has no group ${name}`);
}

/**
 * Returns a group number for digits without a leading zero in Go's range. Returns any other text as
 * a group name.
 */
function groupOf(name: string): number | string {
  return /^(?:0|[1-9]\d{0,7})$/.test(name) ? Number(name) : name;
}

/** Fills a template with the groups of a match. A group without a match is empty. */
export function expandTemplate({ parts }: ExtractTemplate, { groupNames }: TagMatcher, match: TagMatch): string {
  return parts
    .map((part) => {
      if (typeof part === "string") return part;
      const group = typeof part.group === "number" ? part.group : groupNames.indexOf(part.group);
      return match[group] ?? "";
    })
    .join("");
}
