import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isHost } from "#domain/image/grammar";
import { familiarImage, formatImageReference, parseImageReference } from "#domain/image/reference";
import { nearReferences, refused, understood } from "#test/domain/image/references";
import { distributionAnswers, type DistributionAnswer } from "./distribution-reference.ts";

function ownAnswer(text: string): DistributionAnswer {
  const parsed = parseImageReference(text);
  const none = { registry: "", repository: "", tag: "", digest: "", familiar: "", canonical: "", problem: "" };
  if (!parsed.ok) return { ...none, problem: parsed.problem.code };
  const { value } = parsed;
  return { ...none, ...value, familiar: familiarImage(value), canonical: formatImageReference(value) };
}

/**
 * Returns an answer with our own code for an empty text, because distribution/reference has none.
 */
function named(text: string, answer: DistributionAnswer): DistributionAnswer {
  return text === "" ? { ...answer, problem: "empty" } : answer;
}

/**
 * Returns a text with its host in lower case, as Lookout writes hosts. Distribution/reference keeps
 * their case.
 */
function withLowerHost(text: string): string {
  const [first = ""] = text.split("/", 1);
  const isHostInAnyCase = first.length < text.length && (/[.:]/.test(first) || first.toLowerCase() === "localhost");
  return isHostInAnyCase && isHost(first) ? first.toLowerCase() + text.slice(first.length) : text;
}

async function expectAgreement(texts: readonly string[]): Promise<void> {
  const theirs = await distributionAnswers(texts.map(withLowerHost));
  const pairs = texts.map((text, index) => ({ text, ours: ownAnswer(text), theirs: theirs[index] }));
  const different = pairs.filter(
    ({ text, ours, theirs: other }) => other === undefined || !isDeepStrictEqual(ours, named(text, other)),
  );
  expect(different.slice(0, 20)).toEqual([]);
  expect(theirs).toHaveLength(texts.length);
}

describe("image references, by distribution/reference", () => {
  it("are parsed as in every row of the tables", async () => {
    await expectAgreement([...understood, ...refused].map(({ text }) => text));
  });

  it("are parsed as Lookout parses them: tens of thousands of valid and invalid texts", async () => {
    const texts = fc.sample(nearReferences(), { numRuns: 50_000 });
    const kinds = Map.groupBy(texts, (text) => ownAnswer(text).problem);
    console.log([...kinds].map(([kind, some]) => `${kind === "" ? "references" : kind}: ${some.length}`).join(", "));

    expect(
      ["", "invalid-format", "uppercase", "name-too-long", "digest-invalid"].filter(
        (kind) => (kinds.get(kind) ?? []).length < 100,
      ),
    ).toEqual([]);
    await expectAgreement(texts);
  });
});
