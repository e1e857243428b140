import type { TagRejection } from "../shared/reasons.ts";
import { ok, problem, type Result } from "../shared/result.ts";
import { compareTexts } from "../shared/text-order.ts";
import { type CandidateTag, nameOf } from "./candidate-tag.ts";
import { rankingOf, type TagSelector, type CurrentImage, highestOf, type Ranked, selectionOf } from "./tag-selector.ts";
import { compareDecimals, parseDecimal } from "./decimal.ts";
import { equalTagOrder, replacesEqual, withRunning } from "./equal-tags.ts";
import { extracted, filterTag, type TagFilter } from "./tag-filter.ts";

/** The order of the values. `asc` selects the last value, `desc` the first. */
export interface OrderRule {
  readonly kind: "alphabetical" | "numerical";
  readonly order: "asc" | "desc";
  readonly allowDowngrade: boolean;
}

/** The parser and the comparison of one kind of value. */
interface Values<Value> {
  /** Returns the value of a text, or undefined if the text is not a value. */
  readonly read: (text: string) => Value | undefined;
  /** Negative when the first value sorts before the other. */
  readonly compare: (one: Value, other: Value) => number;
}

/**
 * Selects the tag whose value sorts last or first, by bytes or as an exact number.
 *
 * Among equal values, the running tag stays, and {@link equalTagOrder} orders all others. An equal
 * extracted value wins over the running tag if its tag moved later. Lookout compares
 * the running tag even if a filter rejects the running tag. A running tag with digits but no value
 * is not comparable. A running tag without digits is lower than any value.
 */
export function orderedSelector(rule: OrderRule, current: CurrentImage | undefined, filter: TagFilter): TagSelector {
  switch (rule.kind) {
    case "alphabetical":
      return valueSelector(rule, current, filter, { read: (text) => text, compare: compareTexts });
    case "numerical":
      return valueSelector(rule, current, filter, { read: parseDecimal, compare: compareDecimals });
  }
}

function valueSelector<Value>(
  { order, allowDowngrade }: OrderRule,
  current: CurrentImage | undefined,
  filter: TagFilter,
  { read: readValue, compare: ascending }: Values<Value>,
): TagSelector {
  const compare: typeof ascending = order === "asc" ? ascending : (one, other) => ascending(other, one);
  const running = current?.tag === undefined ? undefined : runningValue(filter, current.tag, readValue);
  const isComparable = current?.tag === undefined || running !== undefined || isWord(filter, current.tag);
  const againstRunning = (value: Value): number => (running === undefined ? 1 : compare(value, running));
  const read = (tag: CandidateTag): Result<Value, TagRejection> => {
    const filtered = filterTag(filter, nameOf(tag));
    if (!filtered.ok) return filtered;
    const value = readValue(filtered.value);
    return value === undefined ? problem("not-a-number") : ok(value);
  };
  const isExtracted = filter.extract !== undefined;
  const compareEqual = equalTagOrder(current, isExtracted);
  const compareRanked = (one: Ranked<Value>, other: Ranked<Value>): number =>
    compare(one.value, other.value) || compareEqual(one.tag, other.tag);
  return {
    rank(tags) {
      // An iterable may be read only once, and two values are read from it.
      const listed = isExtracted ? [...tags] : tags;
      const ranking = rankingOf(highestOf(listed, read, compareRanked));
      return isExtracted ? withRunning(ranking, current, listed) : ranking;
    },
    rejection(tag) {
      const value = read(tag);
      if (!value.ok) return value.problem;
      return !allowDowngrade && againstRunning(value.value) < 0 ? "older-than-current" : undefined;
    },
    select(ranking) {
      const { best } = ranking;
      const value = best === undefined ? undefined : read(best);
      if (best === undefined || value?.ok !== true) return { kind: "none", reason: "no-tag-fits" };
      if (!isComparable && !allowDowngrade) return { kind: "none", reason: "current-tag-not-comparable" };
      const order = againstRunning(value.value);
      const isReplaced = order === 0 && replacesEqual(best, current, ranking, isExtracted);
      return selectionOf(nameOf(best), isReplaced ? 1 : order, current?.tag, allowDowngrade);
    },
  };
}

/**
 * Returns whether a running tag has neither digits nor a value. Any candidate may replace such a
 * tag.
 */
function isWord(filter: TagFilter, tag: string): boolean {
  return !/\d/.test(tag) && (filter.extract === undefined || extracted(filter, tag) === undefined);
}

/** Returns the compared value of a running tag: of its extracted part, or of the whole tag. */
function runningValue<Value>(filter: TagFilter, tag: string, read: Values<Value>["read"]): Value | undefined {
  const text = filter.extract === undefined ? tag : extracted(filter, tag);
  return text === undefined || text === "" ? undefined : read(text);
}
