import { describe, expect, it } from "vitest";
import {
  containerSettings,
  keysOfOtherVersions,
  noticeOnly,
  suggestionFor,
  workloadKeys,
} from "#domain/settings/setting-keys";

describe("the suggestion for an unknown setting", () => {
  it.each([
    ["polcy", "; did you mean policy?"],
    ["semver_range", "; did you mean semver-range?"],
    ["applt", "; did you mean apply?"],
    ["something-else-entirely", ""],
  ])('%s is "%s"', (key, suggestion) => {
    expect(suggestionFor(key)).toBe(suggestion);
  });
});

describe("the known settings", () => {
  it("are in one of three lists, and every container's setting is a workload's as well", () => {
    const all = [...workloadKeys, ...keysOfOtherVersions, ...noticeOnly.keys()];

    expect(new Set(all).size).toBe(all.length);
    expect([...containerSettings].filter((key) => !workloadKeys.has(key) && !keysOfOtherVersions.has(key))).toEqual([]);
  });
});
