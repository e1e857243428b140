import { describe, expect, it } from "vitest";
import { characterNumber, shortened } from "#domain/shared/shown-text";

describe("a text in a message", () => {
  it.each([
    { text: "abcd", most: 4, shown: "abcd", because: "it fits" },
    { text: "abcde", most: 4, shown: "abcd…", because: "it is too long" },
    { text: "abc😀e", most: 4, shown: "abc…", because: "half of an emoji is no character" },
    { text: "ab😀de", most: 4, shown: "ab😀…", because: "a whole one is" },
  ])("is $shown: $because", ({ text, most, shown }) => {
    expect(shortened(text, most)).toBe(shown);
  });

  it.each([
    { text: "abc", index: 0, character: 1 },
    { text: "abc", index: 2, character: 3 },
    { text: "a😀c", index: 3, character: 3 },
    { text: "a😀", index: 3, character: 3 },
  ])("$text has its character $character at index $index", ({ text, index, character }) => {
    expect(characterNumber(text, index)).toBe(character);
  });
});
