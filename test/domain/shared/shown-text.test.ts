import { describe, expect, it } from "vitest";
import { characterNumber, hasControls, printableJson, printableText, shortened } from "#domain/shared/shown-text";

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

describe("a text on a terminal", () => {
  it.each([
    { what: "a zero-width space", text: "1.\u200b0", shown: "1.\\u{200b}0" },
    { what: "a zero-width joiner in an emoji", text: "👩\u200d💻", shown: "👩\\u{200d}💻" },
    { what: "a soft hyphen", text: "a\u00adb", shown: "a\\u{ad}b" },
    { what: "a word joiner", text: "a\u2060b", shown: "a\\u{2060}b" },
    { what: "a byte order mark", text: "\ufeffa", shown: "\\u{feff}a" },
    { what: "a tag character", text: "a\u{e0041}", shown: "a\\u{e0041}" },
    { what: "a variation selector", text: "✔\ufe0f", shown: "✔\\u{fe0f}" },
    { what: "a variation selector of another plane", text: "a\u{e0100}", shown: "a\\u{e0100}" },
    { what: "a Mongolian variation selector", text: "a\u180b", shown: "a\\u{180b}" },
    { what: "a combining grapheme joiner", text: "a\u034f", shown: "a\\u{34f}" },
    { what: "a Hangul filler", text: "a\u3164\u115f\uffa0", shown: "a\\u{3164}\\u{115f}\\u{ffa0}" },
    { what: "a blank Braille pattern", text: "a\u2800", shown: "a\\u{2800}" },
    { what: "an override of the text direction", text: "a\u202egnp", shown: "a\\u{202e}gnp" },
    { what: "an isolate", text: "a\u2066b\u2069", shown: "a\\u{2066}b\\u{2069}" },
    { what: "an Arabic letter mark", text: "\u061ca", shown: "\\u{61c}a" },
    { what: "an interlinear annotation", text: "\ufff9a", shown: "\\u{fff9}a" },
    { what: "a private character", text: "\ue000\u{f0000}", shown: "\\u{e000}\\u{f0000}" },
    { what: "half a surrogate pair", text: "a\ud800", shown: "a\\u{d800}" },
    { what: "a code point without a character", text: "a\ufdd0\u{10ffff}", shown: "a\\u{fdd0}\\u{10ffff}" },
    { what: "a control character", text: "a\u001b[2J\u009b", shown: "a\ufffd[2J\ufffd" },
    { what: "line breaks", text: "a\r\n\u2028\u2029\tb", shown: "a b" },
    { what: "visible text", text: "é ü 漢字 عربى 😀 – \u00a0…", shown: "é ü 漢字 عربى 😀 – \u00a0…" },
  ])("shows $what", ({ text, shown }) => {
    expect(printableText(text)).toBe(shown);
  });

  it("in JSON keeps the true text", () => {
    const values = { a: "\u200b\u{e0041}\u001b\u009b\u2028\ud800é😀" };

    expect(printableJson(values)).toBe(String.raw`{"a":"\u200b\udb40\udc41\u001b\u009b\u2028\ud800é😀"}`);
    expect(JSON.parse(printableJson(values))).toEqual(values);
  });

  it("has controls only if a terminal obeys it", () => {
    expect(["\u001b", "\u202e", "\u2028", "a\nb"].map(hasControls)).toEqual([true, true, true, true]);
    expect(["✔\ufe0f", "👩\u200d💻", "می\u200cخواهم", "é"].map(hasControls)).toEqual([false, false, false, false]);
  });
});
