import type { SelectionView } from "#contracts/api/workloads";
import { type TagRejection, tagRejections } from "#domain/shared/reasons";
import type { Style } from "./style.ts";
import { relative } from "./time.ts";

/** The number of example tags for each reason. */
const examples = 3;

/** The words after a count: `30 not a version`. */
const countedWords = {
  "not-a-tag": "not a tag",
  "skipped-by-person": "skipped by a person",
  "left-by-person": "left for a requested version",
  "not-a-digest": "with an invalid digest",
  "describes-another-image": "signature or attestation",
  "not-included": "not included",
  excluded: "excluded",
  "pattern-does-not-match": "not matched by the pattern",
  "nothing-extracted": "without anything extracted",
  "not-a-version": "not a version",
  "not-a-number": "not a number",
  "other-flavour": "of another flavour",
  "other-precision": "of another precision",
  "pre-release": "pre-release",
  "outside-range": "outside the range",
  "push-time-unknown": "without a known push",
  "older-than-current": "older than the running image",
  "not-an-image": "no image",
  "too-new": "not old enough",
  "waits-for-tier": "waiting for an earlier tier",
  "passed-over": "that can't run now",
  "not-the-running-tag": "not the running tag",
} as const satisfies Readonly<Record<TagRejection, string>>;

/**
 * Returns the reason of a rejected tag in words: `is a pre-release`. A newer server may send
 * unknown reasons.
 */
function rejectionWords(reason: TagRejection): string {
  const known: Readonly<Record<string, { readonly says: string }>> = tagRejections;
  return known[reason]?.says ?? `is rejected: ${reason.replaceAll("-", " ")}`;
}

/** Returns the remedy of a rejected tag without its full stop; empty if there is nothing to do. */
export function rejectionRemedy(reason: TagRejection): readonly string[] {
  const known: Readonly<Record<string, { readonly remedy: string }>> = tagRejections;
  const remedy = known[reason]?.remedy;
  return remedy === undefined || remedy.startsWith("Nothing to do") ? [] : [remedy.replace(/\.$/, "")];
}

function counted(reason: TagRejection): string {
  const known: Readonly<Record<string, string>> = countedWords;
  return known[reason] ?? reason.replaceAll("-", " ");
}

type Rejected = SelectionView["rejected"][number];

/** Returns why a tag is rejected: `is younger than the minimum age, old enough in 40 s`. */
export function rejectionText({ reason, detail, until }: Rejected, style: Style): string {
  const end = until === undefined ? "" : `, old enough ${relative(until, style)}`;
  return rejectionWords(reason) + (detail === undefined ? "" : `: ${detail}`) + end;
}

function tagText({ tag, detail, until }: Rejected, style: Style | undefined): string {
  if (detail !== undefined) return `${tag}: ${detail}`;
  return until === undefined || style === undefined ? tag : `${tag} ${relative(until, style)}`;
}

/**
 * Returns the rejected tags by reason, the most frequent first: `30 not a version (main, edge,
 * 20261120, …)`. With a style, tags that are too new are named with their time.
 */
export function rejectionSummary(rejected: SelectionView["rejected"], style?: Style): readonly string[] {
  const byReason = Map.groupBy(rejected, ({ reason }) => reason);
  return [...byReason]
    .sort(([, left], [, right]) => right.length - left.length)
    .map(([reason, tags]) => {
      const named = tags.slice(0, examples).map((one) => tagText(one, style));
      const shown = [...named, ...(tags.length > examples ? ["…"] : [])].join(", ");
      return `${tags.length} ${counted(reason)} (${shown})`;
    });
}
