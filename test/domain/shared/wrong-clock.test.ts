import { describe, expect, it } from "vitest";
import { minutes, plus } from "#domain/shared/time";
import { atMostNow, isAhead, isFarAhead } from "#domain/shared/wrong-clock";
import { noon } from "../builders.ts";

describe("a stored instant", () => {
  it.each([
    { later: minutes(-1), ahead: false, far: false },
    { later: minutes(0), ahead: false, far: false },
    { later: minutes(5), ahead: false, far: false },
    { later: minutes(5.001), ahead: true, far: false },
    { later: minutes(24 * 60 + 5), ahead: true, far: false },
    { later: minutes(24 * 60 + 5.001), ahead: true, far: true },
  ])("that is $later ms in the future: ahead $ahead, far ahead $far", ({ later, ahead, far }) => {
    const at = plus(noon, later);

    expect(isAhead(at, noon)).toBe(ahead);
    expect(isFarAhead(at, noon)).toBe(far);
    expect(atMostNow(at, noon)).toBe(ahead ? noon : at);
  });
});
