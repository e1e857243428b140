import type { TagRejection } from "../shared/reasons.ts";
import { ok, problem, type Result } from "../shared/result.ts";
import { unusable } from "./candidate-tag.ts";
import { type ExtractTemplate, expandTemplate } from "./extract-template.ts";
import { globMatches, type TagGlob } from "./tag-glob.ts";
import type { TagMatcher } from "./tag-pattern.ts";

/** The limits on candidates of any policy, and the part of a tag that is compared. */
export interface TagFilter {
  /** A candidate matches at least one of these globs. Empty if every tag matches. */
  readonly include: readonly TagGlob[];
  /** A candidate matches none of these globs. */
  readonly exclude: readonly TagGlob[];
  /** A candidate matches all these patterns. */
  readonly patterns: readonly TagMatcher[];
  /**
   * The template of the compared part, filled from the first pattern. The default is the whole tag.
   */
  readonly extract?: ExtractTemplate;
  /** The earlier matches, so that no tag is matched twice. */
  readonly found?: ReadonlyMap<string, FilteredTag>;
}

/** The text of a tag that a policy compares, or the reason why the tag is no candidate. */
export type FilteredTag = Result<string, TagRejection>;

/** The filter without limits: every usable tag is a candidate, and is compared as a whole. */
export const noFilter: TagFilter = { include: [], exclude: [], patterns: [] };

/** Returns whether a filter limits nothing. */
export function isOpen({ include, exclude, patterns }: TagFilter): boolean {
  return include.length === 0 && exclude.length === 0 && patterns.length === 0;
}

/**
 * Returns the text of a tag that a policy compares, or the reason why the tag is no candidate. The
 * tag of a referrer and a tag without text to compare are no candidates.
 */
export function filterTag(filter: TagFilter, tag: string): FilteredTag {
  return filter.found?.get(tag) ?? matchTag(filter, tag);
}

function matchTag(filter: TagFilter, tag: string): FilteredTag {
  const { include, exclude } = filter;
  const never = unusable(tag);
  if (never !== undefined) return problem(never);
  if (include.length > 0 && !include.some((glob) => globMatches(glob, tag))) return problem("not-included");
  if (exclude.some((glob) => globMatches(glob, tag))) return problem("excluded");
  const value = extracted(filter, tag);
  if (value === undefined) return problem("pattern-does-not-match");
  return value === "" ? problem("nothing-extracted") : ok(value);
}

/**
 * Returns the largest number of steps that a filter takes for a tag: the steps of its patterns and
 * globs, multiplied by the tag's length.
 */
export function filterSteps({ include, exclude, patterns }: TagFilter, tag: string): number {
  const globs = [...include, ...exclude].reduce((sum, { places }) => sum + places.length, 0);
  return patterns.reduce((sum, { steps }) => sum + steps, globs) * (tag.length + 1);
}

/**
 * Returns the part of a candidate that a policy compares, or undefined if the tag is no candidate.
 */
export function usableValue(filter: TagFilter, tag: string): string | undefined {
  const filtered = filterTag(filter, tag);
  return filtered.ok ? filtered.value : undefined;
}

/**
 * Returns the compared part of a tag, even of a rejected tag. Returns undefined if a pattern does
 * not match.
 */
export function extracted({ patterns, extract }: TagFilter, tag: string): string | undefined {
  const [first, ...others] = patterns;
  if (first === undefined) return tag;
  const match = first.match(tag);
  if (match === undefined || !others.every((pattern) => pattern.match(tag) !== undefined)) return undefined;
  return extract === undefined ? tag : expandTemplate(extract, first, match);
}

/**
 * Returns the attributes of a tag: each named group of the patterns, and `tag`.
 *
 * A group without a match is empty. `name` is reserved for the image's name.
 */
export function attributesOf(patterns: readonly TagMatcher[], tag: string): Readonly<Record<string, string>> {
  const groups = patterns.flatMap(({ groupNames, match }) => {
    const found = match(tag);
    return groupNames.flatMap((name, group) => (name === undefined ? [] : [[name, found?.[group] ?? ""] as const]));
  });
  return Object.fromEntries([...groups.filter(([name]) => name !== "name"), ["tag", tag]]);
}
