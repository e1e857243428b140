import { expect, it } from "vitest";
import type { TagFilter } from "#domain/policy/tag-filter";
import { type CurrentImage, selectTag, type TagPolicy } from "#domain/policy/policy";
import { tag } from "./matchers.ts";

/** What runs, what is there, and what is selected. */
export interface Case {
  readonly policy?: TagPolicy;
  readonly filter?: TagFilter;
  /** `main`, or nothing. */
  readonly runs?: string | CurrentImage;
  /** `main@7` moved in the seventh minute. */
  readonly tags: readonly string[];
  readonly allowDowngrade?: boolean;
  /** The tag, `=` before one that stays, or the reason for none. */
  readonly wins: string;
  readonly because: string;
}

/** Selects in both orders of the tags. */
export function select({ policy, filter: given, runs, tags, allowDowngrade = false }: Case, of: TagPolicy): string {
  const current = typeof runs === "string" ? { tag: runs } : runs;
  const rule = { policy: policy ?? of, allowDowngrade, ...(given === undefined ? {} : { filter: given }) };
  const selection = selectTag(rule, current, tags.map(tag));
  expect(selectTag(rule, current, tags.toReversed().map(tag))).toEqual(selection);
  if (selection.kind === "none") return selection.reason;
  return selection.kind === "unchanged" ? `=${selection.tag}` : selection.tag;
}

/** Tests each case under a policy, unless it has its own. */
export function holds(cases: readonly Case[], policy: TagPolicy): void {
  it.each(cases)("$runs → $wins: $because", (one) => {
    expect(select(one, policy)).toBe(one.wins);
  });
}
