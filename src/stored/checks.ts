import * as z from "zod/mini";
import { type CheckAnswer, checkOutcomes, type CheckSubject } from "#domain/checks/answer";
import { hours, plus } from "#domain/shared/time";
import type { CheckAnswers } from "#ports/check-answers";
import type { Item, ItemKey } from "#ports/items";
import { isSameKey } from "./keys.ts";
import { itemOf, type Kind, type Storage, valuesOf } from "./kind.ts";
import { anyText, count, instant, keyText, type Members } from "./shape.ts";
import { putIf } from "./writes.ts";

/** The kind of the answers of checks. */
export const checkAnswerKind: Kind<CheckAnswer> = {
  name: "answer of a check",
  form: 1,
  shape: z.object({
    check: keyText(63),
    subject: keyText(64),
    outcome: z.enum(checkOutcomes),
    reason: anyText,
    askedAt: instant,
    until: instant,
    failures: count,
  } satisfies Members<CheckAnswer>),
  isAt: (answer, key) => isSameKey(keyOf(answer), key),
};

/** An answer is kept longer than it counts: a bake reads it at its next look, and a failure counts the ones before. */
const keptFor = hours(24);

/** All answers share a partition, so that a survey finds them. They are few, because old ones expire. */
const pk = "CHECKS";

function keyOf({ check, subject }: CheckSubject): ItemKey {
  return { pk, sk: `${check}#${subject}` };
}

/** Returns the store of the answers of checks. */
export function storedCheckAnswers(storage: Storage): CheckAnswers {
  const { items } = storage;
  return {
    among: async (subjects) =>
      valuesOf(checkAnswerKind, await items.getMany(subjects.map(keyOf), "reading the answers of checks"), storage),
    claim: (claim, now) =>
      putIf(
        items,
        itemOfAnswer(claim),
        { kind: "any", of: [{ kind: "absent" }, { kind: "at-most", mark: "until", value: now }] },
        `claiming a question to the check ${claim.check}`,
      ),
    answer: (answer, claim) =>
      putIf(
        items,
        itemOfAnswer(answer),
        // No two claims of a question end at the same instant, because the second begins after the first ended.
        { kind: "equals", mark: "until", value: claim.until },
        `storing the answer of the check ${answer.check}`,
      ),
  };
}

function itemOfAnswer(answer: CheckAnswer): Item {
  const { until } = answer;
  return itemOf(checkAnswerKind, keyOf(answer), answer, { marks: { until }, expiresAt: plus(until, keptFor) });
}
