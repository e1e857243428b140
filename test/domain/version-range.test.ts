import { describe, expect, it } from "vitest";
import { fitsRange, parseRange, parseVersion } from "#domain/version";
import { range } from "./policy/matchers.ts";

describe("a range", () => {
  it.each([
    { text: "<2.0.0", tag: "2.0.0", fits: false, because: "the bound itself is outside" },
    { text: "<2.0.0", tag: "1.9.9", fits: true, because: "it is below the bound" },
    { text: "<2.0.0", tag: "2.0.0-rc.1", fits: false, because: "the bound names no candidate of 2.0.0" },
    { text: "<2.0.0-rc.2", tag: "2.0.0-rc.1", fits: true, because: "the bound names a candidate of 2.0.0" },
    { text: "1.x", tag: "1.0.0-rc.1", fits: false, because: "the range names no candidate at all" },
    { text: "<2.0.0-rc.2 || <1.0.0", tag: "0.9.0", fits: true, because: "one of two is enough" },
  ])("$text and $tag: $because", ({ text, tag, fits }) => {
    const version = parseVersion(tag);
    if (version === undefined) throw new Error(`${tag} is not a version`);

    expect(fitsRange(range(text), version, false)).toBe(fits);
  });

  it.each([
    { text: "   ", why: "empty; * takes any version" },
    { text: "||1.x", why: "character 1" },
    { text: "1.x || ", why: "character 6" },
    { text: ">=12.3.4.5", why: "character 9" },
    { text: "1.2.34.5", why: "character 7" },
    { text: "1.2.3-rc.1_x", why: "character 11" },
  ])('"$text" is refused: $why', ({ text, why }) => {
    expect(parseRange(text)).toEqual({
      ok: false,
      problem: { code: "range-invalid", message: `"${text}": not a range (${why})` },
    });
  });

  it("may be as long as a thousand characters", () => {
    expect(parseRange("1".padEnd(1_000)).ok).toBe(true);
  });
});
