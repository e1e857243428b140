import type { TagRejection } from "../reasons.ts";
import { ok, problem, type Result } from "../result.ts";
import { compareTexts } from "../text-order.ts";
import { compareTies } from "../version-order.ts";
import { type CandidateTag, nameOf } from "./candidate-tag.ts";
import { bestIs, type Contest, type CurrentImage, highestOf, type Ranked, verdictOf } from "./contest.ts";
import { compareDecimals, parseDecimal } from "./decimal.ts";
import { extracted, filterTag, type TagFilter } from "./tag-filter.ts";

/** How values are compared, and which end wins: of `asc` the last one, as when a list is sorted and its end taken. */
export interface OrderRule {
  readonly kind: "alphabetical" | "numerical";
  readonly order: "asc" | "desc";
  readonly allowDowngrade: boolean;
}

/** Reads a value as what is compared; undefined where it is none. */
type ReadValue<Value> = (text: string) => Value | undefined;

/** Negative when the first loses. */
type Compare<Value> = (one: Value, other: Value) => number;

/**
 * The value that sorts last wins, or first: byte by byte as a text, or as a number, exactly.
 *
 * Tags of equal values are equal: the running one stays, and of others the text that sorts first wins. A running tag that the
 * pattern does not match, or that is no number, has nothing to be compared with; a number is one also where the pattern leaves it out.
 */
export function orderedContest(rule: OrderRule, current: CurrentImage | undefined, filter: TagFilter): Contest {
  switch (rule.kind) {
    case "alphabetical":
      return contestOf(rule, current, filter, (text) => text, compareTexts);
    case "numerical":
      return contestOf(rule, current, filter, parseDecimal, compareDecimals);
  }
}

/** What of the running tag is compared. Texts of another kind sort anywhere, but of numbers one is lower. */
function comparedOf(kind: OrderRule["kind"], filter: TagFilter, running: string): string | undefined {
  const isWhole = kind === "numerical" && filter.extract === undefined;
  return isWhole ? running : extracted(filter, running);
}

function contestOf<Value>(
  { kind, order, allowDowngrade }: OrderRule,
  current: CurrentImage | undefined,
  filter: TagFilter,
  readValue: ReadValue<Value>,
  ascending: Compare<Value>,
): Contest {
  const compare: Compare<Value> = order === "asc" ? ascending : (one, other) => ascending(other, one);
  const text = current?.tag === undefined ? undefined : comparedOf(kind, filter, current.tag);
  const running = text === undefined || text === "" ? undefined : readValue(text);
  const againstRunning = (value: Value): number => (running === undefined ? 1 : compare(value, running));
  const read = (tag: CandidateTag): Result<Value, TagRejection> => {
    const filtered = filterTag(filter, nameOf(tag));
    if (!filtered.ok) return filtered;
    const value = readValue(filtered.value);
    return value === undefined ? problem("not-a-number") : ok(value);
  };
  const compareRanked = (one: Ranked<Value>, other: Ranked<Value>): number =>
    compare(one.value, other.value) || compareTies(nameOf(one.tag), nameOf(other.tag));
  const looksFor = "the same whatever runs";
  return {
    looksFor,
    standing: (tags) => ({ looksFor, ...bestIs(highestOf(tags, read, compareRanked)) }),
    rejection(tag) {
      const value = read(tag);
      if (!value.ok) return value.problem;
      return !allowDowngrade && againstRunning(value.value) < 0 ? "older-than-current" : undefined;
    },
    verdict({ best }) {
      const value = best === undefined ? undefined : read(best);
      if (best === undefined || value?.ok !== true) return { kind: "none", reason: "no-tag-fits" };
      return verdictOf(nameOf(best), againstRunning(value.value), current?.tag, allowDowngrade);
    },
  };
}
