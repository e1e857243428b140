import { describe, expect, it } from "vitest";
import { memoize } from "#domain/shared/memoize";

describe("a memoized answer", () => {
  it("is computed once, until newer answers displace it", () => {
    const asked: string[] = [];
    const ask = memoize(2, (question) => {
      asked.push(question);
      return { answer: question.toUpperCase() };
    });

    expect(["a", "b", "a", "c", "b", "c", "a", "b"].map((question) => ask(question).answer).join("")).toBe("ABACBCAB");
    expect(asked.join("")).toBe("abcab");
  });

  it("is computed again after an error", () => {
    let left = 1;
    const ask = memoize(2, (question) => {
      if (left-- > 0) throw new Error(`no answer to ${question}`);
      return { answer: question };
    });

    expect(() => ask("a")).toThrow("no answer to a");
    expect(ask("a")).toEqual({ answer: "a" });
  });
});
