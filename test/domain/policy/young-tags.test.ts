import { describe, expect, it } from "vitest";
import { inTurn, isPreferred, mayReplace } from "#domain/policy/young-tags";
import type { SelectionRule } from "#domain/policy/policy";
import { minutes, plus } from "#domain/shared/time";
import { digest, noon } from "../builders.ts";

const rule: SelectionRule = { policy: { kind: "semver", allowPrerelease: false }, allowDowngrade: false };
const current = { tag: "1.0.0" };
const young = (tag: string, after: number) => ({ tag, digest: digest("1"), until: plus(noon, minutes(after)) });

describe("young candidates", () => {
  it("come in the order in which they are old enough, the highest first at one instant", () => {
    const all = [young("1.9.0", 9), young("1.1.0", 2), young("1.3.0", 2), young("1.2.0", 2), young("1.5.0", 1)];

    expect(inTurn(rule, current, all).map(({ tag }) => tag)).toEqual(["1.5.0", "1.3.0", "1.2.0", "1.1.0", "1.9.0"]);
  });

  it("are higher than the running tag, and preferred to lower ones", () => {
    expect(["1.1.0", "1.0.0", "0.9.0", "main"].map((tag) => mayReplace(rule, current, tag))).toEqual([
      ...[true, false, false, false],
    ]);
    expect(isPreferred(rule, current, "1.2.0", "1.1.0")).toBe(true);
    expect(isPreferred(rule, current, "1.1.0", "1.2.0")).toBe(false);
    expect(isPreferred(rule, current, "1.1.0", "1.1.0")).toBe(false);
  });
});
