import { sha256 } from "../shared/sha256.ts";
import { compareTexts } from "../shared/text-order.ts";
import { type DurationMs, durationMs, type EpochMs, minutes, plus, seconds, toIso } from "../shared/time.ts";
import type { ImageChange } from "../workload/patch.ts";
import { workloadKey, type WorkloadName } from "../workload/workload.ts";

/** What became of a question. `asking`: a run asks, and its claim ends at `until`. */
export const checkOutcomes = ["asking", "allowed", "refused", "unanswered"] as const;

/** What a check is asked about. */
export interface CheckSubject {
  readonly check: string;
  /** A text that is equal for equal questions: {@link subjectOf}. */
  readonly subject: string;
}

/** The stored answer of a check. */
export interface CheckAnswer extends CheckSubject {
  readonly outcome: (typeof checkOutcomes)[number];
  /** Why the check refuses, or why there is no answer. Empty if the check gave no reason. */
  readonly reason: string;
  readonly askedAt: EpochMs;
  /** The instant from which the check is asked again. */
  readonly until: EpochMs;
  /** The number of tries in a row without an answer. */
  readonly failures: number;
}

/** What a check answered, or why it gave no answer. */
export type CheckReply =
  | { readonly kind: "answered"; readonly allow: boolean; readonly reason: string; readonly validFor: DurationMs }
  | { readonly kind: "unanswered"; readonly why: string };

/** The update whose pods a bake judges. */
export interface Baking {
  readonly workload: WorkloadName;
  readonly uid: string;
  readonly seq: number;
}

/**
 * Returns the subject of a question: the digests of the update. So the answer before a release counts
 * for every workload that gets the same digests. A bake judges the pods of one update.
 */
export function subjectOf(changes: readonly Pick<ImageChange, "digest">[], baking?: Baking): string {
  const digests = [...new Set(changes.map(({ digest }) => digest))].sort(compareTexts);
  const update = baking === undefined ? [] : [workloadKey(baking.workload), baking.uid, String(baking.seq)];
  return sha256([...digests, ...update].join("\n"));
}

/**
 * Returns whether an answer still counts, so that nobody asks.
 *
 * @param isLasting - true in a bake: an answer about the pods of one update counts to its end.
 */
export function isValid(answer: CheckAnswer, now: EpochMs, isLasting: boolean): boolean {
  const { until, outcome } = answer;
  return until > now || (isLasting && (outcome === "allowed" || outcome === "refused"));
}

/** The time after which a claim ends whose run was interrupted. The longest question takes 25 s. */
const claimFor = seconds(40);

/** Returns the claim of a question. */
export function claimOf(subject: CheckSubject, earlier: CheckAnswer | undefined, now: EpochMs): CheckAnswer {
  const { check, subject: of } = subject;
  const claim = { outcome: "asking", reason: "", askedAt: now, until: plus(now, claimFor) } as const;
  return { check, subject: of, ...claim, failures: earlier?.failures ?? 0 };
}

/** Returns the answer to a claimed question. */
export function answerTo(claim: CheckAnswer, reply: CheckReply, now: EpochMs): CheckAnswer {
  if (reply.kind === "unanswered") {
    const failures = claim.failures + 1;
    return { ...claim, outcome: "unanswered", reason: reply.why, until: plus(now, pauseAfter(failures)), failures };
  }
  const outcome = reply.allow ? "allowed" : "refused";
  return { ...claim, outcome, reason: reply.reason, until: plus(now, reply.validFor), failures: 0 };
}

const firstPause = seconds(30);
const longestPause = minutes(10);

function pauseAfter(failures: number): DurationMs {
  return durationMs(Math.min(longestPause, firstPause * 2 ** Math.min(failures - 1, 10)));
}

/** Returns an answer as text: `image-scan: 2 critical findings`. */
export function answerText({ check, outcome, reason }: Pick<CheckAnswer, "check" | "outcome" | "reason">): string {
  if (outcome === "allowed") return reason === "" ? `${check} allows it` : `${check} allows it: ${reason}`;
  return `${check}: ${reason === "" ? "no reason given" : reason}`;
}

/** Returns an answer that allows an update, with the instant of the next question. */
export function allowedText(answer: CheckAnswer): string {
  return `${answerText(answer)}, until ${toIso(answer.until)}`;
}
