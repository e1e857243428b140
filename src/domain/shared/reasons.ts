/*
 * Every reason for a "no": what a person reads, and what they can do about it.
 */

/**
 * How an update or a selection with a reason is retried.
 *
 * `wake`: removing the cause wakes it. `cluster`: when the cluster answers. `pause`: after the pause of a failed try.
 * `registry`: the registry is asked again. `registry-outage`: the same, and the registry gave no answer at all.
 */
export type RetryClass = "wake" | "cluster" | "pause" | "registry" | "registry-outage";

interface ReasonRow {
  readonly sentence: string;
  readonly remedy: string;
  /** Absent: an instant, another update or a change of the workload brings the next evaluation. */
  readonly retry?: RetryClass;
}

/** Why an update does not go on. A reason is a literal of {@link Reason}; nothing else may close a gate, refuse an update or end one. */
export const reasons = {
  suspended: {
    sentence: "Updates of this workload are suspended.",
    remedy: "Remove the annotation lookout.dev/suspend, or set it to false.",
  },
  frozen: {
    retry: "wake",
    sentence: "Updates are frozen here.",
    remedy: "When they may go on: lookout unfreeze SCOPE.",
  },
  "planned-freeze": {
    sentence: "A freeze that lookout.yaml plans holds updates here.",
    remedy: "Wait for its end, or change freezes in lookout.yaml and start or deploy Lookout again.",
  },
  "problem-in-settings": {
    sentence: "An annotation of this workload can't be understood, so nothing is updated.",
    remedy: "Correct the annotation that is named.",
  },
  quarantined: {
    retry: "wake",
    sentence: "This digest is in quarantine.",
    remedy: "Lift it: lookout quarantine lift DIGEST.",
  },
  "reverted-by-user": {
    sentence: "A person took the last update back, and Lookout respects that.",
    remedy: "When updates may go on: lookout unblock WORKLOAD.",
  },
  "declared-source-owns-the-image": {
    sentence: "Another program owns the image field and would revert the update.",
    remedy:
      "Let that program ignore the field, then set lookout.dev/allow-declared-source to true; or update the image where it is declared.",
  },
  "owned-by-a-controller": {
    sentence: "A controller owns this object and would revert the update.",
    remedy: "Annotate the owner's source instead.",
  },
  "window-closed": {
    sentence: "The maintenance window is closed.",
    remedy: "It opens at the instant that is named; where none is, Lookout found none within eight years.",
  },
  "blackout-active": {
    sentence: "A blackout window is active.",
    remedy: "Updates may go at the instant that is named; where none is, Lookout found none within eight years.",
  },
  "rollout-in-progress": {
    sentence: "An earlier update of this workload is still rolling out.",
    remedy: "It goes on by itself when that one ends.",
  },
  "cluster-budget": {
    sentence: "As many updates of this cluster are on their way as may be at once.",
    remedy: "It goes on by itself when one of them ends; limits.maxConcurrentRollouts in lookout.yaml says how many.",
  },
  "cluster-unreachable": {
    retry: "cluster",
    sentence: "The cluster can't be reached.",
    remedy: "It is tried again by itself; look at the cluster's address and network.",
  },
  "cluster-denied": {
    retry: "cluster",
    sentence: "The cluster refuses Lookout's credential.",
    remedy: "Renew the credential or grant the rights; it is tried again by itself.",
  },
  "denied-by-admission": {
    retry: "pause",
    sentence: "An admission policy of the cluster refuses the patch.",
    remedy: "Look at the policy that is named; it is tried again every hour.",
  },
  "patch-invalid": {
    retry: "pause",
    sentence: "The API server finds the patched object invalid.",
    remedy: "Look at the fields that are named; it is tried again every hour.",
  },
  "other-repository": {
    retry: "pause",
    sentence: "The stored update names an image of another repository than the one that runs.",
    remedy: "Find out who changed what Lookout has stored: Lookout itself only changes tags and digests.",
  },
  "settings-changed": {
    sentence: "The workload's annotations changed while the update was on its way.",
    remedy: "Nothing to do: its policy is asked again.",
  },
  "internal-error": {
    retry: "pause",
    sentence: "Lookout failed while it worked on this update.",
    remedy: "Look at the log; it is tried again by itself.",
  },
  "superseded-by-a-newer-push": {
    sentence: "A newer image was wanted before this one was released.",
    remedy: "Nothing to do.",
  },
  "changed-by-hand": { sentence: "Someone set another image meanwhile, and that one stays.", remedy: "Nothing to do." },
  "already-runs": { sentence: "The workload already runs what was wanted.", remedy: "Nothing to do." },
  "no-longer-wanted": { sentence: "The policy no longer selects this image.", remedy: "Nothing to do." },
  "workload-gone": { sentence: "The workload is gone, or another object has its name.", remedy: "Nothing to do." },
  "cluster-removed": {
    sentence: "The workload's cluster is no longer configured.",
    remedy: "Add the cluster to lookout.yaml again, if it should be kept up to date.",
  },
  "not-tracked": {
    sentence: "The workload is no longer tracked.",
    remedy: "Set lookout.dev/enabled to true, if it should.",
  },
  "rollout-failed": {
    sentence: "The new image did not run.",
    remedy: "Push a corrected image, or lift the refusal: lookout unblock WORKLOAD.",
  },
  "rollout-timed-out": {
    sentence: "The new image was not running in time.",
    remedy: "Push a corrected image, or raise lookout.dev/rollback-timeout.",
  },
  "rollback-not-recovered": {
    sentence: "The previous image was restored and does not run either.",
    remedy: "Look at the workload's pods.",
  },
  "refused-before": {
    sentence: "This digest was refused on this workload before.",
    remedy: "To try it again: lookout unblock WORKLOAD.",
  },
  "no-tag-fits": {
    sentence: "No tag fits the policy.",
    remedy: "Look at the rejected tags: lookout explain WORKLOAD.",
  },
  "would-downgrade": {
    sentence: "Every tag that fits is older than the one that runs.",
    remedy: "Set lookout.dev/allow-downgrade to true if that is wanted.",
  },
  "current-tag-not-a-version": {
    sentence: "The running tag is not a version and the policy names no range.",
    remedy: "Set lookout.dev/semver-range, or another policy.",
  },
  "current-tag-not-comparable": {
    sentence: "The policy can't read the running tag to compare others with it: they may be older.",
    remedy:
      "Write a tag that the policy can read into the manifest, correct lookout.dev/filter-extract, or set lookout.dev/allow-downgrade to true.",
  },
  "no-tag-to-follow": { sentence: "The image has no tag to follow.", remedy: "Write a tag, or set another policy." },
  "tag-not-found": {
    retry: "registry",
    sentence: "The registry does not have the tag.",
    remedy: "Push it, or correct the manifest.",
  },
  "repository-not-found": {
    retry: "registry",
    sentence: "The registry does not have this repository.",
    remedy: "Correct the image's name, or grant access.",
  },
  "registry-unreachable": {
    retry: "registry-outage",
    sentence: "The registry can't be asked.",
    remedy: "It is asked again by itself; look at what is named: its address and network, or the credential helper.",
  },
  "registry-denied": {
    retry: "registry-outage",
    sentence: "Lookout has no credential that the registry accepts.",
    remedy:
      "Correct what is named: the registry's entry in lookout.yaml, or docker's login (config.json, its credential helper).",
  },
} as const satisfies Readonly<Record<string, ReasonRow>>;

/** One of {@link reasons}. */
export type Reason = keyof typeof reasons;

/** Why a tag is no candidate of a policy; what it `says` follows the tag's name. */
export const tagRejections = {
  "not-a-tag": { says: "is not a tag", remedy: "Nothing to do: no image can be pulled by it." },
  "not-a-digest": {
    says: "has a digest that is none",
    remedy: "Correct the digest that is given for it, if it should count.",
  },
  "describes-another-image": {
    says: "is a signature, an attestation or the like of another image",
    remedy: "Nothing to do: it is nothing to run.",
  },
  "not-included": {
    says: "matches no glob of include-tags",
    remedy: "Add a glob to lookout.dev/include-tags, if it should count.",
  },
  excluded: {
    says: "matches a glob of exclude-tags",
    remedy: "Take the glob out of lookout.dev/exclude-tags, if it should count.",
  },
  "pattern-does-not-match": {
    says: "is not matched by the pattern",
    remedy: "Change lookout.dev/tag-pattern, if it should count.",
  },
  "nothing-extracted": {
    says: "has nothing that the template extracts",
    remedy: "Change lookout.dev/filter-extract, or let the pattern match such tags no more.",
  },
  "not-a-version": {
    says: "is not a version",
    remedy:
      "Push a tag of three numbers, or set another policy; lookout.dev/filter-extract takes a version out of a longer tag.",
  },
  "not-a-number": {
    says: "is not a number",
    remedy:
      "Take the number out of it with lookout.dev/tag-pattern and lookout.dev/filter-extract, or set another policy.",
  },
  "other-flavour": {
    says: "is of another flavour than the running tag",
    remedy: "To change the flavour (alpine, slim), write a tag of the new one into the manifest.",
  },
  "other-precision": {
    says: "has more or fewer numbers than the running tag",
    remedy: "To change that, write a tag with as many numbers into the manifest.",
  },
  "pre-release": {
    says: "is a pre-release",
    remedy: "Set lookout.dev/allow-prerelease to true, or name one in the range, if it should count.",
  },
  "outside-range": { says: "is outside the range", remedy: "Widen lookout.dev/semver-range, if it should count." },
  "push-time-unknown": {
    says: "was never seen moving",
    remedy: "Push it again, or write it into the manifest: it was there before Lookout looked.",
  },
  "older-than-current": {
    says: "is older than what runs",
    remedy: "Set lookout.dev/allow-downgrade to true, if it should count.",
  },
  "not-the-running-tag": {
    says: "is not the running tag",
    remedy: "Set another policy, or write it into the manifest: digest follows one tag alone.",
  },
} as const satisfies Readonly<Record<string, { readonly says: string; readonly remedy: string }>>;

/** One of {@link tagRejections}. */
export type TagRejection = keyof typeof tagRejections;

/** A reason for which no cluster could be asked; it goes when the cluster answers. */
export type AwayReason = {
  [Name in Reason]: (typeof reasons)[Name] extends { readonly retry: "cluster" } ? Name : never;
}[Reason];

/** Answers how a reason is retried. */
export function retryOf(reason: Reason): RetryClass | undefined {
  const row: ReasonRow = reasons[reason];
  return row.retry;
}

/** Says whether a reason is an {@link AwayReason}. */
export function isAway(reason: Reason): reason is AwayReason {
  return retryOf(reason) === "cluster";
}
