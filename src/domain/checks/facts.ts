import type { EpochMs } from "../shared/time.ts";
import type { WaitReason } from "../shared/wait-reason.ts";
import { allowedText, answerText, type CheckAnswer, isValid } from "./answer.ts";
import type { CheckRule } from "./rules.ts";

/** The checks of `lookout.yaml`, and what they answered. */
export interface CheckFacts {
  readonly rules: readonly CheckRule[];
  /** The stored answers about the update. An answer may be out of date. */
  readonly answers: readonly CheckAnswer[];
}

/** The facts of an installation without checks. */
export const noCheckFacts: CheckFacts = { rules: [], answers: [] };

/** What the answers to a question mean together. */
export type Standing =
  | { readonly kind: "allowed"; readonly detail: string }
  | { readonly kind: "refused" | "open"; readonly wait: WaitReason };

/**
 * Returns what the answers of some checks about a subject mean. All have to allow it.
 *
 * @param isLasting - true if an answer counts also after its `until`, as in a bake.
 */
export function standingOf(
  checks: readonly CheckRule[],
  subject: string,
  answers: readonly CheckAnswer[],
  now: EpochMs,
  isLasting = false,
): Standing {
  const asked = checks.map(({ name }) => {
    const answer = answers.find((one) => one.check === name && one.subject === subject);
    return { name, answer: answer !== undefined && isValid(answer, now, isLasting) ? answer : undefined };
  });
  const of = (outcome: CheckAnswer["outcome"]): readonly CheckAnswer[] =>
    asked.flatMap(({ answer }) => (answer?.outcome === outcome ? [answer] : []));
  const refused = of("refused");
  if (refused.length > 0) return { kind: "refused", wait: waitFor("check-refused", refused) };
  const unanswered = of("unanswered");
  if (unanswered.length > 0) return { kind: "open", wait: waitFor("check-unanswered", unanswered) };
  const open = asked.filter(({ answer }) => answer?.outcome !== "allowed").map(({ name }) => name);
  if (open.length > 0) return { kind: "open", wait: { reason: "check-not-asked", detail: open.join(", ") } };
  return {
    kind: "allowed",
    detail: of("allowed")
      .map(isLasting ? answerText : allowedText)
      .join("; "),
  };
}

/** Returns the wait for the answers that close a gate. Nothing opens before the last of them is asked again. */
function waitFor(reason: "check-refused" | "check-unanswered", answers: readonly CheckAnswer[]): WaitReason {
  const [last] = answers.toSorted((one, other) => other.until - one.until);
  const detail = answers.map(answerText).join("; ");
  return { reason, detail, ...(last === undefined ? {} : { until: last.until }) };
}
