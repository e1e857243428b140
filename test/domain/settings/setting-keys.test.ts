import { describe, expect, it } from "vitest";
import { noticeOnly } from "#domain/annotations/notices";
import { containerSettings, keysOfOtherVersions, workloadKeys } from "#domain/settings/setting-keys";
import { parseSettings } from "#domain/settings/settings";
import { annotated } from "../builders.ts";

describe("the known settings", () => {
  it("are in one of three lists, and each container setting is a workload setting too", () => {
    const all = [...workloadKeys, ...keysOfOtherVersions, ...noticeOnly.keys()];

    expect(new Set(all).size).toBe(all.length);
    expect([...containerSettings].filter((key) => !workloadKeys.has(key) && !keysOfOtherVersions.has(key))).toEqual([]);
  });
});

describe("settings that may be incomplete", () => {
  const app = { list: "containers", name: "app", image: "nginx:1.27.0" } as const;

  it.each([
    { written: { "tag-patern": "^1" }, isWhole: false, because: "the key is not known" },
    { written: { "container.ap.policy": "digest" }, isWhole: false, because: "it names no container" },
    { written: { "container.app.suspend": "true" }, isWhole: false, because: "no container has that" },
    { written: { enabled: "maybe" }, isWhole: false, because: "it can't be read whether it is tracked" },
    { written: { containers: "[]" }, isWhole: false, because: "no container's settings can be read" },
    { written: { policy: "newest" }, isWhole: true, because: "it is known what can't be read" },
    { written: { tier: "1", interval: "soon" }, isWhole: true, because: "another version knows them" },
  ])("are detected: $written, because $because", ({ written, isWhole }) => {
    expect(parseSettings(annotated(written as unknown as Record<string, string>), [app]).isWhole).toBe(isWhole);
  });
});
