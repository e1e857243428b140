import type { CheckAnswer, CheckSubject } from "#domain/checks/answer";
import type { EpochMs } from "#domain/shared/time";

/** The answers of the checks of `lookout.yaml`. */
export interface CheckAnswers {
  /** Returns the stored answers, in no order. Some may be out of date. */
  among(subjects: readonly CheckSubject[]): Promise<readonly CheckAnswer[]>;
  /** Stores the claim of a question, unless a stored answer or claim still counts. Returns whether it was stored. */
  claim(claim: CheckAnswer, now: EpochMs): Promise<boolean>;
  /** Stores the answer to a claimed question. Returns false if the claim has ended, and another run asks. */
  answer(answer: CheckAnswer, claim: CheckAnswer): Promise<boolean>;
}
