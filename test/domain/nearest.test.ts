import { describe, expect, it } from "vitest";
import { nearest } from "#domain/nearest";

const known = ["name", "kubeconfig", "context", "secretEnv", "secretFile"];

describe("the nearest known word", () => {
  it.each([
    { because: "a letter is missing", word: "kubconfig", meant: "kubeconfig" },
    { because: "a letter is too many", word: "contextt", meant: "context" },
    { because: "two letters are swapped", word: "secretEvn", meant: "secretEnv" },
    { because: "two letters of a short word are swapped", word: "naem", meant: "name" },
    { because: "the case is another", word: "KubeConfig", meant: "kubeconfig" },
    { because: "it is the word itself", word: "name", meant: "name" },
  ])("is found when $because", ({ word, meant }) => {
    expect(nearest(word, known)).toBe(meant);
  });

  it.each(["", "replicas", "password", "n".repeat(10_000)])("is not made up for %.20s", (word) => {
    expect(nearest(word, known)).toBeUndefined();
  });

  it("is none of no words", () => {
    expect(nearest("name", [])).toBeUndefined();
  });
});
