import type { ReasonView } from "#contracts/api/schema";
import type { Reason } from "#domain/shared/reasons";
import { digestText, withShortDigests } from "./image.ts";
import type { Look } from "./look.ts";
import { clock, relative } from "./time.ts";

/** What a table has room for, where the sentence is too long. */
const shortWords = {
  suspended: "suspended",
  frozen: "frozen",
  "planned-freeze": "planned freeze",
  "problem-in-settings": "a setting can't be understood",
  quarantined: "digest in quarantine",
  "reverted-by-user": "reverted by a user",
  "declared-source-owns-the-image": "another program owns the image",
  "owned-by-a-controller": "owned by a controller",
  "window-closed": "window closed",
  "blackout-active": "blackout",
  "rollout-in-progress": "an earlier update rolls out",
  "cluster-budget": "other updates go first",
  "cluster-unreachable": "cluster can't be reached",
  "cluster-denied": "cluster refuses the credential",
  "denied-by-admission": "an admission policy refuses the patch",
  "patch-invalid": "the API server finds the patch invalid",
  "other-repository": "the stored update names another repository",
  "settings-changed": "settings changed meanwhile",
  "internal-error": "Lookout failed",
  "superseded-by-a-newer-push": "superseded by a newer push",
  "changed-by-hand": "changed by hand",
  "already-runs": "runs already",
  "no-longer-wanted": "no longer wanted",
  "workload-gone": "workload gone",
  "cluster-removed": "cluster no longer configured",
  "rollout-failed": "did not run",
  "rollout-timed-out": "not running in time",
  "rollback-not-recovered": "rolled back, and the previous image does not run either",
  "not-tracked": "is no longer tracked",
  "refused-before": "digest refused before",
  "no-tag-fits": "no tag fits",
  "would-downgrade": "only older tags fit",
  "current-tag-not-a-version": "the running tag is not a version",
  "current-tag-not-comparable": "the running tag can't be compared",
  "no-tag-to-follow": "no tag to follow",
  "tag-not-found": "tag not found",
  "repository-not-found": "repository not found",
  "registry-unreachable": "registry can't be asked",
  "registry-denied": "no credential that the registry accepts",
} as const satisfies Readonly<Record<Reason, string>>;

/** Reasons whose particulars are too long for a table, and are in `explain`. */
const withoutDetail: ReadonlySet<Reason> = new Set<Reason>([
  "window-closed",
  "blackout-active",
  "quarantined",
  "reverted-by-user",
]);
/** Reasons that end at an instant that a person chose: there is nothing to do but to wait. */
const ofWindows: ReadonlySet<string> = new Set<Reason>(["window-closed", "blackout-active"]);
const ofFreezes: ReadonlySet<string> = new Set<Reason>(["frozen", "planned-freeze"]);

/** Writes a reason for a table: `window opens in 2 h 14 m`. */
export function shortReason(view: ReasonView, look: Look): string {
  const { reason, detail, until } = view;
  if (reason === "window-closed" && until !== undefined) return `window opens ${relative(until, look)}`;
  const particulars = detail === undefined || withoutDetail.has(reason) ? wordsOf(view) : `${wordsOf(view)}: ${detail}`;
  return withShortDigests(until === undefined ? particulars : `${particulars}, again ${relative(until, look)}`, look);
}

/** Writes a reason as it stood when it was recorded: an end that is past by now is still named by its time. */
export function recordedReason(view: ReasonView, look: Look): string {
  const particulars = view.detail === undefined ? wordsOf(view) : `${wordsOf(view)}: ${view.detail}`;
  const until = view.until === undefined ? "" : `, until ${clock(view.until, look)}`;
  return withShortDigests(particulars + until, look);
}

/** A newer Lookout may have reasons that this command does not know: its sentence serves. */
function wordsOf({ reason, sentence }: ReasonView): string {
  const known: Readonly<Record<string, string>> = shortWords;
  return known[reason] ?? sentence.replace(/\.$/, "");
}

/** Writes a reason in full: the sentence, the particulars, and until when. */
export function longReason({ reason, sentence, detail, until }: ReasonView, look: Look): string {
  const parts = [sentence, ...(detail === undefined ? [] : [`${detail.replace(/\.$/, "")}.`])];
  if (until !== undefined) {
    const what = ofWindows.has(reason) ? "Opens" : ofFreezes.has(reason) ? "Ends" : "Tried again";
    parts.push(`${what} ${relative(until, look)}, ${clock(until, look)}.`);
  }
  return withShortDigests(parts.join(" "), look);
}

/** Writes what a person can do, with the workload and the digest named in the commands; undefined when there is nothing. */
export function remedyOf(
  { reason, remedy, detail, until }: ReasonView,
  workload: string,
  look: Pick<Look, "wide">,
): string | undefined {
  if (remedy === "Nothing to do." || (ofWindows.has(reason) && until !== undefined)) return undefined;
  const digest = /\bsha(?:256|384|512):[0-9a-f]+/.exec(detail ?? "")?.[0];
  const named = remedy.replace(/\bWORKLOAD\b/, workload).replace(/ SCOPE\b/, scopeOf(detail));
  return digest === undefined ? named : named.replace(/\bDIGEST\b/, digestText(digest, look));
}

/** A freeze's particulars begin with the scope that holds it longest; `unfreeze` without one is that of the whole fleet. */
function scopeOf(detail = ""): string {
  const [scope = ""] = /^[a-z0-9-]+(?:\/[a-z0-9-]+)?(?=: )/.exec(detail) ?? [];
  return scope === "" ? "" : ` ${scope}`;
}
