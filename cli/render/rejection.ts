import type { ElectionView } from "#contracts/api";
import type { TagRejection } from "#domain/tag-policy";

/** Tags that are named for each reason. */
const examples = 3;

interface Words {
  /** After a count: `30 not a version`. */
  readonly counted: string;
  /** After a tag. */
  readonly said: string;
}

const words = {
  "not-a-tag": { counted: "not a tag", said: "is not a tag" },
  "describes-another-image": {
    counted: "signature or attestation",
    said: "is a signature, an attestation or the like of another image",
  },
  "not-included": { counted: "not included", said: "matches no glob of include-tags" },
  excluded: { counted: "excluded", said: "matches a glob of exclude-tags" },
  "pattern-does-not-match": { counted: "not matched by the pattern", said: "is not matched by the pattern" },
  "nothing-extracted": { counted: "without anything extracted", said: "has nothing that the template extracts" },
  "not-a-version": { counted: "not a version", said: "is not a version" },
  "not-a-number": { counted: "not a number", said: "is not a number" },
  "other-flavour": { counted: "of another flavour", said: "is of another flavour than the running tag" },
  "other-precision": { counted: "of another precision", said: "has more or fewer numbers than the running tag" },
  "pre-release": { counted: "pre-release", said: "is a pre-release" },
  "outside-range": { counted: "outside the range", said: "is outside the range" },
  "push-time-unknown": { counted: "never seen moving", said: "was never seen moving" },
  "older-than-current": { counted: "older than what runs", said: "is older than what runs" },
  "not-the-running-tag": { counted: "not the running tag", said: "is not the running tag" },
} as const satisfies Readonly<Record<TagRejection, Words>>;

/** A newer Lookout may have reasons that this command does not know. */
function wordsOf(reason: TagRejection): Words {
  const known: Readonly<Record<string, Words>> = words;
  const plain = reason.replaceAll("-", " ");
  return known[reason] ?? { counted: plain, said: `is rejected: ${plain}` };
}

/** Says why a tag is rejected, after its name: `is a pre-release`. */
export function rejectionWords(reason: TagRejection): string {
  return wordsOf(reason).said;
}

/** Sums up rejected tags by reason, the commonest first: `30 not a version (main, edge, 20261120, …)`. */
export function rejectionSummary(rejected: ElectionView["rejected"]): readonly string[] {
  const byReason = Map.groupBy(rejected, ({ reason }) => reason);
  return [...byReason]
    .sort(([, left], [, right]) => right.length - left.length)
    .map(([reason, tags]) => {
      const named = tags.slice(0, examples).map(({ tag }) => tag);
      const shown = [...named, ...(tags.length > examples ? ["…"] : [])].join(", ");
      return `${tags.length} ${wordsOf(reason).counted} (${shown})`;
    });
}
