import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearest } from "#domain/shared/nearest";

const known = ["name", "kubeconfig", "context", "secretEnv", "secretFile"];

describe("the nearest known word", () => {
  it.each([
    { because: "a letter is missing", word: "kubconfig", meant: "kubeconfig" },
    { because: "a letter is too many", word: "contextt", meant: "context" },
    { because: "two letters are swapped", word: "secretEvn", meant: "secretEnv" },
    { because: "two letters of a short word are swapped", word: "naem", meant: "name" },
    { because: "the case is another", word: "KubeConfig", meant: "kubeconfig" },
    { because: "it is the word itself", word: "name", meant: "name" },
  ])("is found because $because", ({ word, meant }) => {
    expect(nearest(word, known)).toBe(meant);
  });

  it.each(["", "replicas", "password", "n".repeat(10_000)])("is missing for %.20s", (word) => {
    expect(nearest(word, known)).toBeUndefined();
  });

  it("has the fewest changes, at any position in the list", () => {
    expect(nearest("context", ["contexts", "context", "content"])).toBe("context");
    expect(nearest("contex", ["contents", "context"])).toBe("context");
  });

  it("differs in at most a third of its letters, or in one letter", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });

    fc.assert(
      fc.property(word, word, (written, meant) => {
        const isNear = changesBetween(written, meant) <= Math.max(1, Math.floor(meant.length / 3));

        expect(nearest(written, [meant])).toBe(isNear ? meant : undefined);
      }),
    );
  });

  it("is not searched in more than 64 letters", () => {
    const long = "n".repeat(64);

    expect([nearest(long, [long]), nearest(`${long}n`, [`${long}n`])]).toEqual([long, undefined]);
  });

  it("is missing without known words", () => {
    expect(nearest("name", [])).toBeUndefined();
  });
});

/** The fewest letters to replace, add, drop or swap, letter by letter, trying every way. */
function changesBetween(one: string, other: string): number {
  if (one === "" || other === "") return one.length + other.length;
  const [ones, others] = [one.slice(1), other.slice(1)];
  const isSwapped = one.length > 1 && one[0] === other[1] && one[1] === other[0];
  return Math.min(
    changesBetween(ones, others) + (one[0] === other[0] ? 0 : 1),
    changesBetween(ones, other) + 1,
    changesBetween(one, others) + 1,
    isSwapped ? changesBetween(ones.slice(1), others.slice(1)) + 1 : Number.POSITIVE_INFINITY,
  );
}
