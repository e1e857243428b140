import { expect, it } from "vitest";
import type { TagFilter } from "#domain/policy/tag-filter";
import { type CurrentImage, electTag, type TagPolicy } from "#domain/policy/policy";
import { tag } from "./matchers.ts";

/** What runs, what is there, and what is elected. */
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

/** Elects in both orders of the tags. */
export function elect({ policy, filter: given, runs, tags, allowDowngrade = false }: Case, of: TagPolicy): string {
  const current = typeof runs === "string" ? { tag: runs } : runs;
  const rule = { policy: policy ?? of, allowDowngrade, ...(given === undefined ? {} : { filter: given }) };
  const election = electTag(rule, current, tags.map(tag));
  expect(electTag(rule, current, tags.toReversed().map(tag))).toEqual(election);
  if (election.kind === "none") return election.reason;
  return election.kind === "unchanged" ? `=${election.tag}` : election.tag;
}

/** Tests each case under a policy, unless it has its own. */
export function holds(cases: readonly Case[], policy: TagPolicy): void {
  it.each(cases)("$runs → $wins: $because", (one) => {
    expect(elect(one, policy)).toBe(one.wins);
  });
}
