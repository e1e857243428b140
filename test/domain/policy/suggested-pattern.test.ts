import { describe, expect, it } from "vitest";
import { alikeTags, hasMachine, isUnordered, patternOfTag, patternOfVersion } from "#domain/policy/suggested-pattern";
import { emptyScan, scanNumbers } from "#domain/version/scan";

describe("tags in the form of a tag", () => {
  it.each([
    ["build-511", ["build-514", "build-51", "build-x14", "xbuild-514", "build-514x"], ["build-514"]],
    [
      "main-abc1234",
      ["main-0def567", "main-abcdefg", "main-0123456789abcdef", "dev-abc1234"],
      ["main-0def567", "main-0123456789abcdef"],
    ],
    ["main-gabc1234", ["main-gdef5678", "main-def5678"], ["main-gdef5678"]],
    ["1-abc1234-x2", ["3-def5678-x9", "3-def5678-y9", "3-def5678-x99"], ["3-def5678-x9"]],
    ["a.b-1", ["axb-1", "a.b-2"], ["a.b-2"]],
    ["arm32v6-3.14", ["arm32v7-3.14", "arm32v6-3.15"], ["arm32v6-3.15"]],
    ["ubuntu-22.04-57", ["ubuntu-24.04-58", "ubuntu-22.04-58"], ["ubuntu-22.04-58"]],
    ["ubuntu-22.04-abc1234", ["ubuntu-24.04-def5678", "ubuntu-22.04-def5678"], ["ubuntu-22.04-def5678"]],
  ] as const)("of %s among %j are %j", (tag, tags, alike) => {
    expect(alikeTags(tag, tags, (one) => one)).toEqual(alike);
  });
});

describe("the pattern of a tag that is no version", () => {
  it.each([
    ["main-20240115-1200", "^main-(\\d{8})-(\\d+)$", 2],
    ["v2026-1-30", "^v(\\d+)-(\\d+)-(\\d+)$", 3],
    ["r12", "^r(\\d+)$", 1],
    ["alpine3-5", "^alpine3-(\\d+)$", 1],
    ["20260105T120000-x", "^(\\d{8})T(\\d+)-x$", 2],
    ["1234567890-123456789012-12345678901234", "^(\\d{10})-(\\d{12})-(\\d{14})$", 3],
    ["main-gabc1234.5", "^main-g[0-9a-f]{7,40}\\.(\\d+)$", 1],
    ["Python3.11_7", "^Python3\\.11_(\\d+)$", 1],
    ["node-20-9", "^node-20-(\\d+)$", 1],
    ["nodes-20-9", "^nodes-(\\d+)-(\\d+)$", 2],
    ["windows-2019-7", "^windows-2019-(\\d+)$", 1],
    ["x86-64-v2-7", "^x86-64-v2-(\\d+)$", 1],
    ["linux-arm-v6-7", "^linux-arm-v6-(\\d+)$", 1],
    ["win64-7", "^win64-(\\d+)$", 1],
    ["charm-7-2", "^charm-(\\d+)-(\\d+)$", 2],
  ])("%s is %s", (tag, text, groups) => {
    expect(patternOfTag(tag, () => true)).toEqual({ text, groups });
  });

  it("keeps numbers that do not vary", () => {
    expect(patternOfTag("build-7-12345", (digits) => digits.length > 4)).toEqual({
      text: "^build-7-(\\d+)$",
      groups: 1,
    });
  });
});

describe("the pattern of a version", () => {
  it.each([
    ["1.2.3-alpine3.19", "^v?(\\d+(?:\\.\\d+){2})-alpine(\\d+(?:\\.\\d+)*)$", 2],
    ["v1.2-debian-12-r3", "^v?(\\d+(?:\\.\\d+){1})-debian-(\\d+(?:\\.\\d+)*)-r(\\d+(?:\\.\\d+)*)$", 3],
    ["release-1.2.3_4", "^release-(\\d+(?:\\.\\d+){2})_(\\d+(?:\\.\\d+)*)$", 2],
    ["1.2.3-arm64v8-7", "^v?(\\d+(?:\\.\\d+){2})-arm64v8-(\\d+(?:\\.\\d+)*)$", 2],
    ["1.2.3-cuda11.8-py3.10", "^v?(\\d+(?:\\.\\d+){2})-cuda11\\.8-py(\\d+(?:\\.\\d+)*)$", 2],
    ["1.2.3-abc1234", "^v?1\\.2(?:\\.\\d+){1}-[0-9a-f]{7,40}$", 0],
    ["v1.02.3.4-5-gabc1234", "^v?1\\.02(?:\\.\\d+){2}-\\d+(?:\\.\\d+)*-g[0-9a-f]{7,40}$", 0],
    ["1.2-abc1234", "^v?1\\.2-[0-9a-f]{7,40}$", 0],
  ])("%s is %s", (tag, text, groups) => {
    const scan = emptyScan();
    scanNumbers(tag, scan);

    expect(patternOfVersion(scan)).toEqual({ text, groups });
    expect(tag).toMatch(new RegExp(text));
  });
});

it.each([
  ["15-01-2024", true],
  ["main-1.2.2024", true],
  ["15_1_1999-x", true],
  ["2024-01-15", false],
  ["115-01-2024", false],
  ["15-01-20245", false],
  ["15-01.2024", false],
  ["3283.v92c105e0f819-1", true],
  ["v1234567", false],
  ["main-rev92c105e0", false],
])("%s has no order in a pattern: %s", (tag, expected) => {
  expect(isUnordered(tag)).toBe(expected);
});

it.each([
  ["1.2.3-amd64", true],
  ["arm64v8-1", true],
  ["linux-x86_64", true],
  ["1.2.3-nanoserver", true],
  ["1.2.3-ltsc2019", true],
  ["1.2.3-sm80", true],
  ["1.2.3-rocm6.0", true],
  ["1.2.3-sp5", true],
  ["1.2.3-alpine", false],
  ["1.2.3-charm", false],
  ["1.2.3-swarm7", false],
  ["1.2.3-armory", true],
  ["1.2.3", false],
])("%s names a machine: %s", (tag, expected) => {
  expect(hasMachine(tag)).toBe(expected);
});
