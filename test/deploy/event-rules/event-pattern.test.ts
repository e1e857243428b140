import { beforeAll, describe, expect, it } from "vitest";
import { matchesPattern, parseEventPattern } from "#domain/event-pattern";
import { noPatterns, patternCases } from "#test/domain/event-pattern-cases";
import { type Question, type Verdict, verdicts } from "./event-ruler.ts";
import { generatedQuestions } from "./generated-patterns.ts";

function ours({ pattern, events }: Question): Verdict {
  const rule = parseEventPattern(pattern);
  return rule.ok ? events.map((event) => matchesPattern(rule.value, { ...(event as object) })) : rule.problem.message;
}

const byHand: readonly Question[] = [
  ...patternCases.map(({ pattern, matches, others }) => ({ pattern, events: [...matches, ...others] })),
  ...noPatterns.map(([, pattern]) => ({ pattern, events: [] })),
];
const generated = generatedQuestions(3_000);

/** Where the reference implementation does not do what it is documented to do. */
const faults = [
  ["an address of one version is in no range of the other", { a: [{ cidr: "32.1.0.0/16" }] }, "2001:db8::1", false],
  ["a quote is a character like others", { a: [{ prefix: 'abc"' }] }, "abc", false],
  ["a character beyond the first plane is itself in any case", { a: [{ "equals-ignore-case": "😀" }] }, "😀", true],
] as const;

describe("the matcher of the local bus, by EventBridge's own", () => {
  let theirs: readonly Verdict[];
  beforeAll(async () => {
    theirs = await verdicts([
      ...byHand,
      ...generated,
      ...faults.map(([, pattern, a]) => ({ pattern, events: [{ a }] })),
    ]);
  });

  /** Where the two differ: in whether it is a pattern at all, or in an event. */
  const differences = (questions: readonly Question[], from: number): readonly unknown[] =>
    questions.flatMap((question, index) => {
      const [mine, other = ""] = [ours(question), theirs[from + index]];
      if (typeof mine === "string" && typeof other === "string") return [];
      return JSON.stringify(mine) === JSON.stringify(other) ? [] : [{ ...question, ours: mine, theirs: other }];
    });

  it("says the same of every pattern that is written by hand", () => {
    expect(differences(byHand, 0)).toEqual([]);
  });

  it("says the same of thousands of generated pairs of a pattern and an event, whether they match or are none", () => {
    const answers = theirs.slice(byHand.length, byHand.length + generated.length);
    const pairs = answers.flatMap((answer) => (typeof answer === "string" ? [] : answer));
    const [matching, none] = [pairs.filter(Boolean).length, answers.length - pairs.length / 5];
    console.log(`${pairs.length} pairs, ${matching} match; ${none} are no pattern`);

    expect(differences(generated, byHand.length)).toEqual([]);
    expect(pairs.length).toBeGreaterThan(5_000);
    expect(matching).toBeGreaterThan(1_000);
    expect(none).toBeGreaterThan(100);
  });

  it.each(faults.map((fault, index) => [...fault, index] as const))(
    "differs where the other has a fault: %s",
    (_, pattern, a, isMeant, index) => {
      expect(ours({ pattern, events: [{ a }] })).toEqual([isMeant]);
      expect(theirs[byHand.length + generated.length + index]).toEqual([!isMeant]);
    },
  );
});
