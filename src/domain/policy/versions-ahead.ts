import {
  type CandidateTag,
  type CurrentImage,
  nameOf,
  type Selection,
  type SelectionRule,
  selectTag,
} from "./policy.ts";
import type { KeptPart } from "./semver.ts";
import { type Advice, adviseOn, decisiveTags } from "./suggestion.ts";

/** The tags that are newer than a running tag. A member is absent if nothing newer differs in this part. */
export interface VersionsAhead {
  /** The newest tag with the same major and minor number. */
  readonly patch?: string;
  /** The newest tag with the same major number. Absent if it is the patch. */
  readonly minor?: string;
  /** The newest tag. Absent if it is the minor or the patch. */
  readonly major?: string;
}

/**
 * How a running tag stands among the tags of its repository. `compared`: by its version. `moves`: the
 * tag is a word such as `latest`, so only its digest changes. `not-comparable`: neither.
 */
export type Standing =
  | { readonly kind: "compared"; readonly ahead: VersionsAhead; readonly isListed: boolean; readonly advice?: Advice }
  | { readonly kind: "moves"; readonly isListed: boolean }
  | {
      readonly kind: "not-comparable";
      readonly reason: Extract<Selection, { kind: "none" }>["reason"];
      readonly isListed: boolean;
      /** Annotations that would compare the tag. Absent if none would. */
      readonly advice?: Advice;
    };

/**
 * Returns how a running tag stands, by the policy `semver` that keeps the minor number, the major
 * number, or no number.
 *
 * @param tags - all tags of the repository, in any order.
 */
export function standingOf(running: string, tags: readonly CandidateTag[]): Standing {
  const current = { tag: running };
  const any = keeping(undefined);
  const isListed = tags.some((tag) => nameOf(tag) === running);
  const highest = selectTag(any, current, tags);
  const advice = adviseOn(any, current, tags, decisiveTags(any, current, tags));
  const advised = { isListed, ...(advice && { advice }) };
  if (highest.kind === "none" && highest.reason.startsWith("current-tag-")) {
    if (advice?.annotations?.["policy"] === "digest") return { kind: "moves", isListed };
    return { kind: "not-comparable", reason: highest.reason, ...advised };
  }
  return { kind: "compared", ahead: aheadOf(current, tags, selectedIn(highest)), ...advised };
}

function aheadOf(current: CurrentImage, tags: readonly CandidateTag[], major: string | undefined): VersionsAhead {
  const newest = (keeps: KeptPart): string | undefined => selectedIn(selectTag(keeping(keeps), current, tags));
  const patch = newest("minor");
  const minor = newest("major");
  return {
    ...(patch === undefined ? {} : { patch }),
    ...(minor === undefined || minor === patch ? {} : { minor }),
    ...(major === undefined || [patch, minor].includes(major) ? {} : { major }),
  };
}

function keeping(keeps: KeptPart | undefined): SelectionRule {
  const policy = { kind: "semver", allowPrerelease: false, ...(keeps === undefined ? {} : { keeps }) } as const;
  return { policy, allowDowngrade: false };
}

function selectedIn(selection: Selection): string | undefined {
  return selection.kind === "selected" ? selection.tag : undefined;
}

/** Returns the newest of the tags that are ahead, or undefined if none is. */
export function newestAhead({ patch, minor, major }: VersionsAhead): string | undefined {
  return major ?? minor ?? patch;
}
