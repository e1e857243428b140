import { beforeEach, expect, it } from "vitest";
import { answerTo, claimOf, type CheckAnswer, subjectOf } from "#domain/checks/answer";
import { minutes, plus, seconds } from "#domain/shared/time";
import type { CheckAnswers } from "#ports/check-answers";
import { start } from "./records.ts";

const about = (digit: string, check = "scan") => ({
  check,
  subject: subjectOf([{ digest: `sha256:${digit.repeat(64)}` }]),
});
const claimAt = (now = start, digit = "a") => claimOf(about(digit), undefined, now);
const allowed = (claim: CheckAnswer, now = start) =>
  answerTo(claim, { kind: "answered", allow: true, reason: "no findings", validFor: minutes(5) }, now);

/** What every adapter for {@link CheckAnswers} promises. */
export function checkAnswersContract(make: () => Promise<CheckAnswers>): void {
  let answers: CheckAnswers;
  beforeEach(async () => {
    answers = await make();
  });

  it("a check has no answer at first", async () => {
    expect(await answers.among([about("a"), about("b")])).toEqual([]);
    expect(await answers.among([])).toEqual([]);
  });

  it("an answer is kept for its check and its digests", async () => {
    const claim = claimAt();
    expect(await answers.claim(claim, start)).toBe(true);
    expect(await answers.among([about("a")])).toEqual([claim]);
    expect(await answers.answer(allowed(claim), claim)).toBe(true);

    expect(await answers.among([about("a"), about("b"), about("a", "other")])).toEqual([allowed(claim)]);
  });

  it("one of several runs claims a question, and the answer still counts for the others", async () => {
    const claims = Array.from({ length: 5 }, (_, index) => claimAt(plus(start, seconds(index))));
    const won = await Promise.all(claims.map((claim) => answers.claim(claim, claim.askedAt)));
    const claim = claims[won.indexOf(true)]!;
    expect(won.filter(Boolean)).toHaveLength(1);
    await answers.answer(allowed(claim), claim);

    expect(await answers.claim(claimAt(plus(start, minutes(4))), plus(start, minutes(4)))).toBe(false);
    expect(await answers.claim(claimAt(plus(start, minutes(5))), plus(start, minutes(5)))).toBe(true);
  });

  it("a run whose claim has ended stores no answer over that of the next run", async () => {
    const first = claimAt();
    await answers.claim(first, start);
    const later = plus(start, minutes(1));
    const second = claimAt(later);
    expect(await answers.claim(second, later)).toBe(true);

    expect(await answers.answer(allowed(first, later), first)).toBe(false);
    expect(await answers.answer(allowed(second, later), second)).toBe(true);
    expect(await answers.answer(allowed(first, later), first)).toBe(false);
    expect(await answers.among([about("a")])).toEqual([allowed(second, later)]);
  });
}
