/**
 * The way in which an update or a selection with a reason is retried.
 *
 * `wake`: removing the cause wakes the update. `cluster`: the cluster answers. `pause`: the pause
 * after a failed try ends. `registry`: Lookout asks the registry again. `registry-outage`: the
 * same, after a registry gave no answer. `nodes`: the nodes of the cluster change. `check`: Lookout
 * asks a check of `lookout.yaml`.
 */
export type RetryClass = "wake" | "cluster" | "pause" | "registry" | "registry-outage" | "nodes" | "check";

interface ReasonRow {
  /** The reason in a few words, for tables. */
  readonly short: string;
  readonly sentence: string;
  readonly remedy: string;
  /**
   * Absent if an instant, another update or a change of the workload causes the next evaluation.
   */
  readonly retry?: RetryClass;
  /**
   * The words that tables show before the end of the wait, such as `opens` in `opens in 2 h`. The
   * default is `next try`.
   */
  readonly end?: string;
  /** True if the detail is too long for a table. `lookout explain` shows the detail. */
  readonly isDetailLong?: true;
}

/** All reasons that hold, reject or end an update, each with its texts for users. */
export const reasons = {
  suspended: {
    short: "suspended",
    sentence: "Updates of this workload are suspended.",
    remedy: "Remove the annotation lookout.dev/suspend, or set it to false.",
  },
  "suspended-by-person": {
    short: "suspended",
    sentence: "A person suspended the updates of this workload.",
    remedy: "Continue updates: lookout resume WORKLOAD.",
  },
  "version-kept": {
    short: "keeps a requested version",
    sentence: "A person requested the version that this workload keeps.",
    remedy: "Continue with the policy: lookout resume WORKLOAD.",
  },
  frozen: {
    short: "frozen",
    retry: "wake",
    end: "ends",
    sentence: "A freeze covers this workload.",
    remedy: "End the freeze: lookout unfreeze SCOPE.",
  },
  "planned-freeze": {
    short: "planned freeze",
    end: "ends",
    sentence: "A planned freeze of lookout.yaml covers this workload.",
    remedy: "Wait until the freeze ends, or change it in lookout.yaml (on AWS, deploy again).",
  },
  "problem-in-settings": {
    short: "invalid setting",
    sentence: "A setting of this workload is invalid, so its updates are held.",
    remedy: "Correct the named annotation or object, or apply the object that it says is missing.",
  },
  quarantined: {
    short: "digest in quarantine",
    retry: "wake",
    isDetailLong: true,
    sentence: "This digest is in quarantine.",
    remedy: "Lift the quarantine: lookout quarantine lift DIGEST.",
  },
  "reverted-by-user": {
    short: "reverted by a user",
    isDetailLong: true,
    sentence: "A user reverted the last update, so Lookout holds further updates.",
    remedy: "Continue updates: lookout unblock WORKLOAD --hold.",
  },
  "manifest-applied-again": {
    short: "a deploy restored the old image",
    end: "comes again",
    isDetailLong: true,
    sentence: "A manifest was applied again, and restored the image that it names.",
    remedy:
      "Write the new image into the manifest. Continue now: lookout unblock WORKLOAD. Keep the restored image until a newer one comes: set lookout.dev/reapply to ask.",
  },
  "pull-limited": {
    short: "the registry limits pulls",
    end: "tried again",
    sentence: "The registry limits pulls (429).",
    remedy: "Pull with credentials or through a mirror. Continue now: lookout unblock WORKLOAD.",
  },
  "quota-exceeded": {
    short: "a quota is exceeded",
    end: "tried again",
    sentence: "A quota of the namespace leaves no room for the new pods.",
    remedy: "Raise the named quota, or free some of it. Continue now: lookout unblock WORKLOAD.",
  },
  "webhook-unavailable": {
    short: "an admission webhook gives no answer",
    end: "tried again",
    sentence: "An admission webhook of the cluster gives no answer, so no new pods are created.",
    remedy: "Repair the named webhook. Continue now: lookout unblock WORKLOAD.",
  },
  "other-container-failed": {
    short: "another container can't be pulled",
    end: "tried again",
    sentence:
      "The pods can't start, because the image of a container that this update does not change can't be pulled.",
    remedy: "Correct the image of the named container. Continue now: lookout unblock WORKLOAD.",
    isDetailLong: true,
  },
  "declared-source-owns-the-image": {
    short: "another program owns the image",
    sentence: "Another program owns the image field and would revert the update.",
    remedy:
      "Let that program ignore the field and set lookout.dev/allow-declared-source to true, or update the image at its source.",
  },
  "owned-by-a-controller": {
    short: "owned by a controller",
    sentence: "A controller owns this object and would revert the update.",
    remedy: "Set the annotations in the owner's manifest instead.",
  },
  "workload-paused": {
    short: "the Deployment is paused",
    sentence: "This Deployment is paused, so its pods would not get the new image.",
    remedy: "Resume the Deployment: kubectl rollout resume deployment NAME.",
  },
  "lower-version": {
    short: "a lower version",
    sentence: "The new version is lower than the current version.",
    remedy: "To allow downgrades, set lookout.dev/allow-downgrade to true.",
  },
  "image-too-new": {
    short: "the image is too new",
    end: "old enough",
    sentence: "Lookout has known this image for less than the minimum age.",
    remedy: "Wait until the image is old enough, or lower lookout.dev/min-age.",
  },
  "needs-approval": {
    short: "needs approval",
    retry: "wake",
    sentence: "This update waits for approval.",
    remedy: "Approve or reject the update: lookout approve WORKLOAD, lookout reject WORKLOAD --why REASON.",
  },
  "approval-expired": {
    short: "approval expired",
    sentence: "Nobody approved this update in time.",
    remedy: "Ask for approval again: lookout approvals ask WORKLOAD.",
  },
  "approval-rejected": {
    short: "rejected",
    sentence: "A person rejected this image for this workload.",
    remedy: "Push another image, or ask for approval again: lookout approvals ask WORKLOAD.",
  },
  "approval-asked-again": {
    short: "approval was asked for again",
    sentence: "A user asked for approval again, so a new update replaces the old update.",
    remedy: "Nothing to do.",
  },
  "approval-needs-a-digest": {
    short: "approval needs the digest in the image",
    sentence: "Lookout must write an approved image with its digest, but this workload's settings omit the digest.",
    remedy: "Set lookout.dev/apply to pin, or remove the annotation.",
  },
  "window-closed": {
    short: "window closed",
    end: "opens",
    isDetailLong: true,
    sentence: "The maintenance window is closed.",
    remedy: "Wait until the window opens. If no time is shown, it does not open within eight years.",
  },
  "blackout-active": {
    short: "blackout",
    end: "opens",
    isDetailLong: true,
    sentence: "A blackout window is active.",
    remedy: "Wait until the blackout ends. If no time is shown, it does not end within eight years.",
  },
  "tier-pending": {
    short: "an earlier tier has not run it",
    retry: "wake",
    isDetailLong: true,
    sentence: "A member of an earlier tier has not run this image.",
    remedy:
      "Wait until it has, or suspend that member. Continue now: lookout release --past tier --why REASON WORKLOAD.",
  },
  "tier-soaking": {
    short: "an earlier tier soaks",
    retry: "wake",
    end: "ends",
    isDetailLong: true,
    sentence: "The members of an earlier tier ran this image, and its soak has not ended.",
    remedy: "Wait until the soak ends. Continue now: lookout release --past tier --why REASON WORKLOAD.",
  },
  "tier-halted": {
    short: "halted by an earlier tier",
    retry: "wake",
    isDetailLong: true,
    sentence: "An earlier tier halted this image, because a member has blocked it.",
    remedy:
      "Push a corrected image, or unblock the digest there: lookout unblock MEMBER. Continue anyway: lookout release --past tier --why REASON WORKLOAD.",
  },
  "tier-unproved": {
    short: "no member of an earlier tier counts",
    retry: "wake",
    isDetailLong: true,
    sentence: "No member of an earlier tier that counts ran this image.",
    remedy: "Resume a member of that tier. Continue anyway: lookout release --past tier --why REASON WORKLOAD.",
  },
  "tier-unread": {
    short: "an earlier tier can't be read",
    retry: "wake",
    isDetailLong: true,
    sentence:
      "Lookout can't prove what the members of an earlier tier run, because their cluster gives no answer, or was not synced since the tiers changed.",
    remedy:
      "After a change of the tiers, the next sync (one a minute) goes on. Otherwise repair the cluster, or remove it from lookout.yaml. Continue anyway: lookout release --past tier --why REASON WORKLOAD.",
  },
  "tier-unknown": {
    short: "unknown tier",
    isDetailLong: true,
    sentence: "The workload names a tier that lookout.yaml does not have.",
    remedy: "Correct lookout.dev/tier or the label, or add the tier to lookout.yaml (on AWS, deploy again).",
  },
  "check-not-asked": {
    short: "a check is being asked",
    retry: "check",
    sentence: "A check of lookout.yaml was not asked about this update yet, or its answer is out of date.",
    remedy: "Nothing to do: Lookout asks the check. If it stays so: lookout doctor.",
  },
  "check-refused": {
    short: "a check refuses",
    retry: "check",
    end: "asked again",
    isDetailLong: true,
    sentence: "A check of lookout.yaml refuses this update.",
    remedy: "Remove what the check names. Continue now: lookout release --past checks --why REASON WORKLOAD.",
  },
  "check-unanswered": {
    short: "a check gives no answer",
    retry: "check",
    end: "asked again",
    isDetailLong: true,
    sentence: "A check of lookout.yaml could not be asked, or gave no answer that Lookout understands.",
    remedy:
      "Repair the named check. Continue now: lookout release --past checks --why REASON WORKLOAD. After a bake without an answer: lookout unblock WORKLOAD.",
  },
  "check-unknown": {
    short: "a check is unknown",
    sentence: "The annotation lookout.dev/checks names a check that lookout.yaml does not have.",
    remedy: "Correct the annotation, or add the check to lookout.yaml (on AWS, deploy again).",
  },
  "rollout-in-progress": {
    short: "an earlier update is rolling out",
    sentence: "An earlier update of this workload is still rolling out.",
    remedy: "Wait: this update continues when the earlier update ends.",
  },
  "cluster-budget": {
    short: "other updates go first",
    sentence: "The cluster's budget of concurrent rollouts is used up.",
    remedy: "Wait until another rollout ends, or raise limits.maxConcurrentRollouts in lookout.yaml.",
  },
  observe: {
    short: "observe",
    retry: "wake",
    sentence: "Lookout observes: it decided this update, and applies nothing.",
    remedy: "Stop observing this workload, then release the update: lookout release --past observe WORKLOAD.",
  },
  "cluster-unreachable": {
    short: "cluster can't be reached",
    retry: "cluster",
    sentence: "The cluster can't be reached.",
    remedy: "Check the cluster's address and network. Lookout retries by itself.",
  },
  "cluster-denied": {
    short: "cluster rejects the credential",
    retry: "cluster",
    sentence: "The cluster denies access to Lookout.",
    remedy: "Renew the credential or grant the rights. Lookout retries by itself.",
  },
  "denied-by-admission": {
    short: "an admission policy denies the patch",
    retry: "pause",
    sentence: "An admission policy of the cluster denies the patch.",
    remedy: "Check the named policy. Lookout retries every hour.",
  },
  "patch-invalid": {
    short: "the API server rejects the patch",
    retry: "pause",
    sentence: "The API server rejects the patched object as invalid.",
    remedy: "Check the named fields. Lookout retries every hour.",
  },
  "other-repository": {
    short: "the stored update names another repository",
    retry: "pause",
    sentence: "The stored update and the running image name different repositories.",
    remedy: "Find out who changed the stored record. Lookout itself only changes tags and digests.",
  },
  "settings-changed": {
    short: "settings changed meanwhile",
    sentence: "The workload's annotations changed during the update.",
    remedy: "Lookout evaluates the workload again.",
  },
  "internal-error": {
    short: "Lookout failed",
    retry: "pause",
    sentence: "Lookout had an internal error during this update.",
    remedy: "Check the log. Lookout retries by itself.",
  },
  "superseded-by-a-newer-push": {
    short: "superseded by a newer push",
    sentence: "A newer image replaced this image before its update was released.",
    remedy: "Nothing to do.",
  },
  "rollback-requested": {
    short: "rolled back by a person",
    isDetailLong: true,
    sentence: "A person requested a rollback from this image.",
    remedy: "Push a corrected image, or unblock the digest: lookout unblock WORKLOAD --digest DIGEST.",
  },
  "version-requested": {
    short: "a person requested another version",
    sentence: "A person requested another version before this update was released.",
    remedy: "Nothing to do.",
  },
  "tag-skipped": {
    short: "a person skips this tag",
    isDetailLong: true,
    sentence: "A person lets this workload skip the selected tag.",
    remedy: "Wait for another tag, or end the skip: lookout skip WORKLOAD TAG --end.",
  },
  "changed-by-hand": {
    short: "changed by hand",
    sentence: "A user set another image, and Lookout keeps that image.",
    remedy: "Nothing to do.",
  },
  "unknown-update": {
    short: "Lookout's state is older than the object",
    sentence:
      "The object has an update of this Lookout that its state does not know, such as after a restore from a backup.",
    remedy: "Nothing to do: Lookout evaluates the workload again.",
  },
  "already-runs": {
    short: "already runs",
    sentence: "The workload already runs the desired image.",
    remedy: "Nothing to do.",
  },
  "no-longer-wanted": {
    short: "no longer wanted",
    sentence: "The policy no longer selects this image.",
    remedy: "Nothing to do.",
  },
  "workload-gone": {
    short: "workload gone",
    sentence: "The workload was deleted.",
    remedy: "Nothing to do.",
  },
  "object-recreated": {
    short: "the object was created anew",
    sentence: "The object of this update was deleted, and another object has its name.",
    remedy: "Nothing to do: Lookout evaluates the new object.",
  },
  "container-gone": {
    short: "a container is gone",
    sentence: "A container of this update was renamed or removed.",
    remedy: "Nothing to do: Lookout evaluates the present containers.",
  },
  "cluster-removed": {
    short: "cluster no longer configured",
    sentence: "The workload's cluster is no longer configured.",
    remedy: "To track its workloads again, add the cluster to lookout.yaml.",
  },
  "not-tracked": {
    short: "no longer tracked",
    sentence: "The workload is no longer tracked.",
    remedy: "To track the workload again, set lookout.dev/enabled to true.",
  },
  "rollout-failed": {
    short: "rollout failed",
    sentence: "The new image did not run.",
    remedy: "Push a corrected image, or unblock the digest: lookout unblock WORKLOAD.",
  },
  "check-failed": {
    short: "a check failed the bake",
    isDetailLong: true,
    sentence: "The new pods run, and a check of lookout.yaml refuses them.",
    remedy: "Push a corrected image, or unblock the digest: lookout unblock WORKLOAD.",
  },
  "pods-denied": {
    short: "the cluster denies the pods",
    sentence: "A policy or an admission webhook of the cluster denies the new pods.",
    remedy:
      "Correct the image, the pod template or the named policy. Then unblock the digest: lookout unblock WORKLOAD.",
  },
  "rollout-timed-out": {
    short: "rollout timed out",
    sentence: "The new image did not become ready in time.",
    remedy: "Push a corrected image, or raise lookout.dev/rollback-timeout.",
  },
  "pods-run-another-digest": {
    short: "the pods run another digest",
    sentence:
      "The restarted pods run another digest. Nodes ask the registry for a moved tag only with imagePullPolicy: Always.",
    remedy: "Set imagePullPolicy: Always for the container, then unblock the digest: lookout unblock WORKLOAD.",
    isDetailLong: true,
  },
  "rollback-not-recovered": {
    short: "rolled back, and the previous image fails too",
    sentence: "Lookout restored the previous image, which does not run either.",
    remedy: "Check the workload's pods.",
  },
  "digest-blocked": {
    short: "digest blocked",
    sentence: "This digest is blocked: it failed on this workload before.",
    remedy: "Push a corrected image, or unblock the digest: lookout unblock WORKLOAD --digest DIGEST.",
  },
  "digest-replaced": {
    short: "digest replaced",
    sentence: "This digest is blocked: somebody replaced it on this workload.",
    remedy: "Unblock the digest: lookout unblock WORKLOAD --digest DIGEST.",
  },
  "digest-rolled-back": {
    short: "rolled back by a person",
    sentence: "This digest is blocked: a person rolled this workload back from it.",
    remedy: "Push a corrected image, or unblock the digest: lookout unblock WORKLOAD --digest DIGEST.",
  },
  "digest-rejected": {
    short: "digest rejected",
    sentence: "This digest is blocked: somebody rejected it for this workload.",
    remedy: "Unblock the digest as an approver: lookout unblock WORKLOAD --digest DIGEST.",
  },
  "no-tag-fits": {
    short: "no tag fits",
    sentence: "No tag matches the policy.",
    remedy: "Push a tag that fits, or change the policy, its range or its filters.",
  },
  "no-common-tag": {
    short: "no tag for all containers",
    retry: "registry",
    sentence: "The containers of this workload update together, and their repositories have no common new tag.",
    remedy: "Push the tag to every repository, change the policies, or remove lookout.dev/together.",
  },
  "pattern-too-slow": {
    short: "the pattern takes too long",
    sentence: "The pattern and globs take too long for the tags of this repository.",
    remedy: "Shorten lookout.dev/tag-pattern, or write fewer globs in include-tags and exclude-tags.",
  },
  "would-downgrade": {
    short: "only older tags fit",
    sentence: "Every matching tag is older than the running tag.",
    remedy: "To allow downgrades, set lookout.dev/allow-downgrade to true.",
  },
  "current-tag-not-a-version": {
    short: "the running tag is not a version",
    sentence: "The running tag is not a version, and the policy has no range.",
    remedy: "Write a version into the manifest, or set lookout.dev/semver-range or another lookout.dev/policy.",
  },
  "current-tag-not-comparable": {
    short: "the running tag can't be compared",
    sentence: "The policy can't compare the running tag with other tags, so other tags may be older.",
    remedy: "Write a matching tag into the manifest, or set lookout.dev/filter-extract or lookout.dev/allow-downgrade.",
  },
  "no-tag-to-follow": {
    short: "no tag to follow",
    sentence: "The image has no tag to follow.",
    remedy: "Add a tag to the image, or set another policy.",
  },
  "not-an-image": {
    short: "the tag is no image",
    sentence: "The selected tag holds no image that a container can run.",
    remedy:
      "Push an image under a higher tag, or leave the other tags out with lookout.dev/include-tags or lookout.dev/exclude-tags.",
  },
  "platform-missing": {
    short: "the image lacks a platform",
    retry: "nodes",
    sentence: "The selected image lacks a platform that this workload needs.",
    remedy:
      "Push an image index with the platform. If the pods don't need it, correct lookout.dev/platforms or the nodeSelector of the pods.",
  },
  "platform-unknown": {
    short: "the image's platforms are not known",
    retry: "registry",
    sentence: "Lookout has not read the platforms of the selected image yet.",
    remedy: "Nothing to do: Lookout asks the registry again.",
  },
  "nodes-unknown": {
    short: "the nodes are not known",
    retry: "nodes",
    sentence: "Lookout knows no node on which the pods may land, so the needed platforms are unknown.",
    remedy:
      "Let Lookout list nodes: lookout cluster manifests --read-nodes. Or set the cluster's nodePlatforms in lookout.yaml to prefer, or to ignore if the running image's platforms are unknown too.",
  },
  "rollback-target-missing": {
    short: "the target of a rollback is missing",
    retry: "registry",
    isDetailLong: true,
    sentence: "A failed update could not return to the tag of lookout.dev/rollback-to, so none starts.",
    remedy: "Push the tag, lift its block or quarantine, or set lookout.dev/rollback-to to previous.",
  },
  "digest-drift": {
    short: "the pods run different digests",
    sentence: "The pods of this workload run different digests of one tag, because the tag moved between two pulls.",
    remedy:
      "Run one digest everywhere: set lookout.dev/policy to digest, or restart the pods with imagePullPolicy: Always.",
    isDetailLong: true,
  },
  "tag-not-found": {
    short: "tag not found",
    retry: "registry",
    sentence: "The registry does not have the tag.",
    remedy: "Push the tag, or correct the manifest.",
  },
  "repository-not-found": {
    short: "repository not found",
    retry: "registry",
    sentence: "The registry does not have this repository.",
    remedy: "Correct the image's name, or grant access.",
  },
  "other-registry": {
    short: "the annotation names another registry",
    retry: "registry",
    sentence: "The annotation lookout.dev/registry does not name the registry of this image.",
    remedy: "Correct the annotation, or give the registry this name in lookout.yaml (on AWS, deploy again).",
  },
  "registry-not-allowed": {
    short: "lookout.yaml does not allow the registry",
    retry: "registry",
    sentence: "lookout.yaml does not let this workload use the image's registry.",
    remedy: "The owner of lookout.yaml can allow the registry: change the named key (on AWS, deploy again).",
  },
  "registry-unreachable": {
    short: "registry can't be reached",
    retry: "registry-outage",
    sentence: "The registry can't be reached.",
    remedy:
      "Check the named cause: the registry's address and network, or the credential helper. Lookout retries by itself.",
  },
  "registry-not-trusted": {
    short: "registry's certificate not trusted",
    retry: "registry-outage",
    sentence: "The registry's certificate can't be trusted.",
    remedy:
      "The owner of lookout.yaml names the certificate authority (caFile or caParameter), or the registry's administrator replaces the certificate.",
  },
  "registry-clock-differs": {
    short: "registry's clock differs",
    sentence: "The clocks of the registry and of Lookout differ.",
    remedy:
      "The administrator of the machine with the wrong clock corrects the clock. Logins and tokens expire by both clocks.",
  },
  "registry-throttled": {
    short: "registry allows no more requests",
    retry: "registry-outage",
    sentence: "The registry allows no more requests for now.",
    remedy:
      "Lookout retries by itself. Retry now: lookout registry resume REGISTRY. If the limit is Lookout's own, raise rateLimiting of this registry in lookout.yaml.",
  },
  "registry-circuit-open": {
    short: "requests to the registry are paused",
    retry: "registry-outage",
    sentence: "The registry failed several times in a row, so Lookout pauses requests to it.",
    remedy: "Correct the named cause. Lookout tries the registry again by itself.",
  },
  "over-budget": {
    short: "over its budget",
    retry: "registry-outage",
    isDetailLong: true,
    sentence: "The workload's namespace has used its share of Lookout.",
    remedy:
      "Lookout continues by itself. To need less, use repositories with fewer tags or fewer workloads on slow registries. The owner of lookout.yaml can change budgets.",
  },
  "registry-not-asked": {
    short: "Lookout can't ask the registry",
    retry: "registry-outage",
    sentence: "Lookout can't send a request to the image's registry.",
    remedy:
      "Correct the named cause: the image in the manifest, or the registry's entry in lookout.yaml. Lookout retries by itself.",
  },
  "evaluation-failed": {
    short: "Lookout failed",
    retry: "registry-outage",
    sentence: "Lookout failed before it knew whether there is an update.",
    remedy: "Check the named cause and the log of Lookout. Lookout retries by itself.",
  },
  imported: {
    short: "imported",
    sentence:
      "An import brought this update, and an import proves nothing: Lookout holds it, or no longer watches its rollout.",
    remedy:
      "Wait: Lookout checks the update again by itself. If the workload does not run, correct its images in the manifest.",
  },
  "rollback-unproved": {
    short: "not in the history",
    sentence: "The history of the workload does not show that this update replaced the images of the rollback.",
    remedy: "Check the images of the workload, and correct them in the manifest.",
  },
  "newer-reason": {
    short: "reason of a newer Lookout",
    sentence: "A newer Lookout stored a reason that this Lookout does not know.",
    remedy: "Upgrade Lookout to see the reason.",
  },
  "registry-denied": {
    short: "registry rejects the credential",
    retry: "registry-outage",
    sentence: "The registry denies access to Lookout.",
    remedy: "Correct the named credential in lookout.yaml, or Docker's login (config.json or the credential helper).",
  },
} as const satisfies Readonly<Record<string, ReasonRow>>;

/** One of {@link reasons}. */
export type Reason = keyof typeof reasons;

/** The reasons of the gate `tier`. */
export type TierReason = Extract<Reason, `tier-${string}`>;

/** Returns whether an update waits for an earlier tier. */
export function isOfTier(reason: Reason): reason is TierReason {
  return reason.startsWith("tier-");
}

/** All reasons why a policy rejects a tag. `says` follows the tag's name in a sentence. */
export const tagRejections = {
  "not-a-tag": { says: "is not a tag", remedy: "No image can have this tag." },
  "skipped-by-person": { says: "is skipped", remedy: "End the skip: lookout skip WORKLOAD TAG --end." },
  "left-by-person": { says: "was left for a requested version", remedy: "Allow it again: lookout resume WORKLOAD." },
  "not-a-digest": {
    says: "has an invalid digest",
    remedy: "Correct the given digest.",
  },
  "describes-another-image": {
    says: "is a signature or attestation of another image",
    remedy: "Nothing to do: the tag names no image.",
  },
  "not-included": {
    says: "matches no glob of include-tags",
    remedy: "To allow the tag, add a glob to lookout.dev/include-tags.",
  },
  excluded: {
    says: "matches a glob of exclude-tags",
    remedy: "To allow the tag, remove the glob from lookout.dev/exclude-tags.",
  },
  "pattern-does-not-match": {
    says: "does not match the pattern",
    remedy: "To allow the tag, change lookout.dev/tag-pattern.",
  },
  "nothing-extracted": {
    says: "has no value for the template",
    remedy: "Change lookout.dev/filter-extract, or narrow lookout.dev/tag-pattern.",
  },
  "not-a-version": {
    says: "is not a version",
    remedy:
      "To follow such tags, set lookout.dev/policy to regex or numerical, or extract a version with lookout.dev/tag-pattern and lookout.dev/filter-extract.",
  },
  "not-a-number": {
    says: "is not a number",
    remedy: "Extract a number with lookout.dev/tag-pattern and lookout.dev/filter-extract, or set another policy.",
  },
  "other-flavour": {
    says: "has another flavour than the running tag",
    remedy:
      "To change the flavour (alpine, slim), write a tag of the new flavour into the manifest. To compare build numbers or revisions, set lookout.dev/suffixes.",
  },
  "other-precision": {
    says: "has more or fewer numbers than the running tag",
    remedy: "To change the number of parts, write a tag with that number into the manifest.",
  },
  "pre-release": {
    says: "is a pre-release",
    remedy: "To allow the tag, set lookout.dev/allow-prerelease to true, or name a pre-release in the range.",
  },
  "outside-range": {
    says: "is outside the range",
    remedy: "To allow the tag, set a wider lookout.dev/semver-range.",
  },
  "push-time-unknown": {
    says: "has no known push time",
    remedy: "Push the tag again, or write it into the manifest: the tag is older than Lookout's first listing.",
  },
  "older-than-current": {
    says: "is older than the running tag",
    remedy: "To allow downgrades, set lookout.dev/allow-downgrade to true.",
  },
  "not-an-image": {
    says: "holds no image that a container can run",
    remedy: "Nothing to do: Lookout selects the next tag.",
  },
  "too-new": {
    says: "is younger than the minimum age",
    remedy: "Wait until the tag is old enough, or lower lookout.dev/min-age.",
  },
  "waits-for-tier": {
    says: "waits for an earlier tier",
    remedy: "See what the earlier tiers run: lookout tiers.",
  },
  "passed-over": {
    says: "can't run in this workload now",
    remedy:
      "See whether its digest is blocked (lookout status WORKLOAD) or in quarantine (lookout quarantine list). With lookout.dev/min-age, the tag waits for a higher tag. With lookout.dev/together, each repository must have the tag.",
  },
  "not-the-running-tag": {
    says: "is not the running tag",
    remedy: "Set another policy, or write the tag into the manifest: the policy digest follows only the running tag.",
  },
} as const satisfies Readonly<Record<string, { readonly says: string; readonly remedy: string }>>;

/** One of {@link tagRejections}. */
export type TagRejection = keyof typeof tagRejections;

/**
 * All reasons why a policy skips a newer tag that users may want. `short` follows a count: `3 newer
 * tags skipped: another flavour`.
 */
export const skipReasons = {
  "other-flavour": {
    short: "another flavour",
    remedy: "To follow another flavour (alpine, slim), write one of its tags into the manifest.",
  },
  "other-precision": {
    short: "more or fewer numbers",
    remedy: "To follow tags with another count of numbers, write one of them into the manifest.",
  },
  "pre-release": { short: "pre-releases", remedy: "To follow pre-releases, set lookout.dev/allow-prerelease to true." },
  "other-commit": {
    short: "another commit of the same version",
    remedy: "To follow the tag that is pushed last, set lookout.dev/policy to regex, with lookout.dev/tag-pattern.",
  },
  "by-person": { short: "a person skips them", remedy: "End the skip: lookout skip WORKLOAD TAG --end." },
  "left-by-person": { short: "left for a requested version", remedy: "Allow them again: lookout resume WORKLOAD." },
  "newer-reason": { short: "a reason of a newer Lookout", remedy: "Upgrade Lookout to see the reason." },
} as const satisfies Readonly<Record<string, { readonly short: string; readonly remedy: string }>>;

/** One of {@link skipReasons}. */
export type SkipReason = keyof typeof skipReasons;

/** The reasons why a blocked digest is not written. */
const blockReasons = [
  "digest-blocked",
  "digest-replaced",
  "digest-rejected",
  "digest-rolled-back",
] as const satisfies readonly Reason[];
/** One of the reasons why a blocked digest is not written. */
export type BlockReason = (typeof blockReasons)[number];

/** Returns whether a reason is that of a blocked digest. */
export function isBlockReason(reason: Reason): reason is BlockReason {
  return (blockReasons as readonly Reason[]).includes(reason);
}

/** A reason that ends when the cluster answers. */
export type AwayReason = {
  [Name in Reason]: (typeof reasons)[Name] extends { readonly retry: "cluster" } ? Name : never;
}[Reason];

/** Returns how a reason is retried. */
export function retryOf(reason: Reason): RetryClass | undefined {
  const row: ReasonRow = reasons[reason];
  return row.retry;
}

/** Returns whether a reason is an {@link AwayReason}. */
export function isAway(reason: Reason): reason is AwayReason {
  return retryOf(reason) === "cluster";
}
