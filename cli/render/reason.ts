import type { ReasonView } from "#contracts/api/schema";
import type { Reason } from "#domain/shared/reasons";
import { digestText, withShortDigests } from "./image.ts";
import type { Style } from "./style.ts";
import { clock, relative } from "./time.ts";

/** Short forms of the reasons' sentences, for tables. */
const shortWords = {
  suspended: "suspended",
  frozen: "frozen",
  "planned-freeze": "planned freeze",
  "problem-in-settings": "invalid setting",
  quarantined: "digest in quarantine",
  "reverted-by-user": "reverted by a user",
  "declared-source-owns-the-image": "another program owns the image",
  "owned-by-a-controller": "owned by a controller",
  "workload-paused": "the Deployment is paused",
  "lower-version": "a lower version",
  "image-too-new": "the image is too new",
  "needs-approval": "needs approval",
  "approval-expired": "approval expired",
  "approval-rejected": "rejected",
  "approval-asked-again": "approval was asked for again",
  "approval-needs-a-digest": "approval needs the digest in the image",
  "window-closed": "window closed",
  "blackout-active": "blackout",
  "rollout-in-progress": "an earlier update is rolling out",
  "cluster-budget": "other updates go first",
  "cluster-unreachable": "cluster can't be reached",
  "cluster-denied": "cluster rejects the credential",
  "denied-by-admission": "an admission policy denies the patch",
  "patch-invalid": "the API server rejects the patch",
  "other-repository": "the stored update names another repository",
  "settings-changed": "settings changed meanwhile",
  "internal-error": "Lookout failed",
  "superseded-by-a-newer-push": "superseded by a newer push",
  "changed-by-hand": "changed by hand",
  "already-runs": "already runs",
  "no-longer-wanted": "no longer wanted",
  "workload-gone": "workload gone",
  "cluster-removed": "cluster no longer configured",
  "rollout-failed": "rollout failed",
  "rollout-timed-out": "rollout timed out",
  "rollback-not-recovered": "rolled back, and the previous image fails too",
  "not-tracked": "no longer tracked",
  "digest-blocked": "digest blocked",
  "no-tag-fits": "no tag fits",
  "pattern-too-slow": "the pattern takes too long",
  "would-downgrade": "only older tags fit",
  "current-tag-not-a-version": "the running tag is not a version",
  "current-tag-not-comparable": "the running tag can't be compared",
  "no-tag-to-follow": "no tag to follow",
  "tag-not-found": "tag not found",
  "repository-not-found": "repository not found",
  "other-registry": "the annotation names another registry",
  "registry-not-allowed": "lookout.yaml does not allow the registry",
  "registry-unreachable": "registry can't be reached",
  "registry-not-trusted": "registry's certificate not trusted",
  "registry-clock-differs": "registry's clock differs",
  "registry-throttled": "registry allows no more requests",
  "registry-circuit-open": "requests to the registry are paused",
  "registry-denied": "registry rejects the credential",
} as const satisfies Readonly<Record<Reason, string>>;

/** Reasons whose details are too long for a table. `lookout explain` shows them. */
const withoutDetail: ReadonlySet<Reason> = new Set<Reason>([
  "window-closed",
  "blackout-active",
  "quarantined",
  "reverted-by-user",
]);
const ofWindows: ReadonlySet<string> = new Set<Reason>(["window-closed", "blackout-active"]);
const ofFreezes: ReadonlySet<string> = new Set<Reason>(["frozen", "planned-freeze"]);

/** Returns a reason for a table: `window opens in 2 h 14 m`. */
export function shortReason(view: ReasonView, style: Style): string {
  const { reason, detail, until } = view;
  if (reason === "window-closed" && until !== undefined) return `window opens ${relative(until, style)}`;
  const text = detail === undefined || withoutDetail.has(reason) ? wordsOf(view) : `${wordsOf(view)}: ${detail}`;
  return withShortDigests(until === undefined ? text : `${text}, again ${relative(until, style)}`, style);
}

/** Returns a reason as it was recorded, with the time of its end. */
export function recordedReason(view: ReasonView, style: Style): string {
  const text = view.detail === undefined ? wordsOf(view) : `${wordsOf(view)}: ${view.detail}`;
  const until = view.until === undefined ? "" : `, until ${clock(view.until, style)}`;
  return withShortDigests(text + until, style);
}

/** A newer server may have reasons that this command does not know. */
function wordsOf({ reason, sentence }: ReasonView): string {
  const known: Readonly<Record<string, string>> = shortWords;
  return known[reason] ?? sentence.replace(/\.$/, "");
}

/** Returns a reason in full: its sentence, details and end. */
export function longReason({ reason, sentence, detail, until }: ReasonView, style: Style): string {
  const parts = [sentence, ...(detail === undefined ? [] : [`${detail.replace(/\.$/, "")}.`])];
  if (until !== undefined) {
    const what = ofWindows.has(reason) ? "Opens" : ofFreezes.has(reason) ? "Ends" : "Tried again";
    parts.push(`${what} ${relative(until, style)}, ${clock(until, style)}.`);
  }
  return withShortDigests(parts.join(" "), style);
}

/** Returns the commands that help, with the workload and the digest; undefined when there is nothing to do. */
export function remedyOf(
  { reason, remedy, detail, until }: ReasonView,
  workload: string,
  style: Pick<Style, "wide">,
): string | undefined {
  if (remedy === "Nothing to do." || (ofWindows.has(reason) && until !== undefined)) return undefined;
  const digest = /\bsha(?:256|384|512):[0-9a-f]+/.exec(detail ?? "")?.[0];
  const named = remedy.replace(/\bWORKLOAD\b/, workload).replace(/ SCOPE\b/, scopeOf(detail));
  return digest === undefined ? named : named.replace(/\bDIGEST\b/, digestText(digest, style));
}

/** The detail of a freeze begins with its scope. `lookout unfreeze` without a scope is for the whole fleet. */
function scopeOf(detail = ""): string {
  const [scope = ""] = /^[a-z0-9-]+(?:\/[a-z0-9-]+)?(?=: )/.exec(detail) ?? [];
  return scope === "" ? "" : ` ${scope}`;
}
