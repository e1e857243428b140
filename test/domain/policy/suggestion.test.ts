import { describe, expect, it } from "vitest";
import { readRule, type WrittenFilter } from "#domain/policy/rule-text";
import { type Advice, adviseOn, suggestAnnotations } from "#domain/policy/suggestion";
import type { SuffixRule } from "#domain/version/suffix";
import { compile, read } from "./matchers.ts";

interface Row {
  readonly runs: string;
  readonly tags: readonly string[];
  readonly range?: string;
  readonly suffixes?: SuffixRule;
  readonly allowPrerelease?: boolean;
  readonly filter?: WrittenFilter;
  readonly advice: Advice | undefined;
  readonly because: string;
}

/** What is said of one skipped tag. */
const skipping = (tag: string, reason: "other-flavour" | "other-precision" | "other-commit" | "pre-release") => {
  return { skipped: { count: 1, reason, tags: [tag] } } as const;
};
const extracting = (pattern: string, extract: string) => {
  return { annotations: { "tag-pattern": pattern, "filter-extract": extract } };
};
const numbering = (pattern: string) => {
  return { annotations: { policy: "numerical", "tag-pattern": pattern, "filter-extract": "$1" } };
};
const newest = (pattern: string) => ({ annotations: { policy: "regex", "tag-pattern": pattern } });
const suffixes = (rule: SuffixRule) => ({ annotations: { suffixes: rule } });

/** Tests each row with the running tag among the listed tags. */
function holds(rows: readonly Row[]): void {
  it.each(rows)("$runs, $tags: $because", ({ runs, tags, range, suffixes: rule, allowPrerelease, filter, advice }) => {
    const policy = { kind: "semver", range, suffixes: rule, allowPrerelease } as const;
    const selection = read(readRule({ policy, filter }, compile));

    expect(adviseOn(selection, { tag: runs }, [runs, ...tags])).toEqual(advice);
    expect(suggestAnnotations(selection, { tag: runs }, [runs, ...tags])).toEqual(advice?.annotations);
  });
}

describe("where the running tag can't be compared, annotations are suggested", () => {
  holds([
    {
      runs: "main-20260105-abc1234",
      tags: ["main-20260106-def5678"],
      advice: numbering("^main-(\\d{8})-[0-9a-f]{7,40}$"),
      because: "the date between a branch and a commit is compared",
    },
    {
      runs: "v20240101-abc1234",
      tags: ["v20240102-abc1235"],
      advice: numbering("^v(\\d{8})-[0-9a-f]{7,40}$"),
      because: "a prefix changes nothing",
    },
    {
      runs: "sha-abc1234",
      tags: ["sha-def5678"],
      advice: newest("^sha-[0-9a-f]{7,40}$"),
      because: "commits have no order, so the tag that is pushed last is followed",
    },
    {
      runs: "2026-01-30",
      tags: ["2026-02-01"],
      advice: extracting("^(\\d+)-(\\d+)-(\\d+)$", "$1.$2.$3"),
      because: "a date with dashes is compared as three numbers",
    },
    {
      runs: "v2026-1-30",
      tags: ["v2026-2-1"],
      advice: extracting("^v(\\d+)-(\\d+)-(\\d+)$", "$1.$2.$3"),
      because: "its numbers need no zeros",
    },
    { runs: "build-511", tags: ["build-514"], advice: numbering("^build-(\\d+)$"), because: "a build is a number" },
    { runs: "20240101", tags: ["20240202"], advice: numbering("^(\\d{8})$"), because: "so is a date" },
    { runs: "7.x", tags: ["8.x"], advice: numbering("^(\\d+)\\.x$"), because: "so is a major number before an x" },
    {
      runs: "stable",
      tags: ["1.2.3"],
      advice: { annotations: { policy: "digest" } },
      because: "a tag without a number moves itself",
    },
    {
      runs: "1.2.3-rc.",
      tags: ["1.3.0"],
      range: ">=1",
      advice: extracting("^(\\d+)\\.(\\d+)\\.(\\d+)-rc\\.$", "$1.$2.$3"),
      because: "a range goes on to limit what is extracted",
    },
    {
      runs: "build7-12345-x",
      tags: ["build7-12346-x", "build8-1-x"],
      advice: numbering("^build7-(\\d+)-x$"),
      because: "of a long number and short ones, only the long one varies",
    },
    {
      runs: "branch-1-2-3-4-5-6",
      tags: ["branch-1-2-3-4-5-7"],
      advice: extracting("^branch-(\\d+)-(\\d+)-(\\d+)-(\\d+)-(\\d+)-(\\d+)$", "$1.$2.$3.$4.$5.$6"),
      because: "six numbers are a version",
    },
    {
      runs: "branch-1-2-3-4-5-6-7",
      tags: ["branch-1-2-3-4-5-6-8"],
      advice: undefined,
      because: "no version has seven numbers",
    },
    {
      runs: "main-gabc1234",
      tags: ["main-gdef5678", "main-abc1234"],
      advice: newest("^main-g[0-9a-f]{7,40}$"),
      because: "git describe writes g before a commit",
    },
    {
      runs: "main-20240115-1200",
      tags: [...Array.from({ length: 1_200 }, (_, index) => `dev-${index}`), "main-20240116-1315"],
      advice: extracting("^main-(\\d{8})-(\\d+)$", "$1.$2"),
      because: "each tag in its form is tried, also behind many others",
    },
    {
      runs: "main-20240115-1200",
      tags: [],
      advice: extracting("^main-(\\d{8})-(\\d+)$", "$1.$2"),
      because: "without another tag, all numbers vary",
    },
    {
      runs: "windows-2019-2.2.0",
      tags: ["windows-2019-2.2.1", "windows-2022-2.2.0"],
      advice: extracting("^windows-2019-(\\d+)\\.(\\d+)\\.(\\d+)$", "$1.$2.$3"),
      because: "the build of Windows stays",
    },
    {
      runs: "arm32v6-3.14",
      tags: ["arm32v6-3.15", "arm32v7-3.14"],
      advice: extracting("^arm32v6-(\\d+)\\.(\\d+)$", "$1.$2"),
      because: "the architecture stays",
    },
    {
      runs: "python3.11-2023-11-20",
      tags: ["python3.11-2023-11-21", "python3.12-2023-11-21"],
      advice: extracting("^python3\\.11-(\\d+)-(\\d+)-(\\d+)$", "$1.$2.$3"),
      because: "the version of the language stays",
    },
    {
      runs: "ubuntu-22.04-57",
      tags: ["ubuntu-22.04-58"],
      advice: numbering("^ubuntu-22\\.04-(\\d+)$"),
      because: "so does the version of the system",
    },
    {
      runs: "15-01-2024",
      tags: ["31-12-2023", "16-01-2024"],
      advice: undefined,
      because: "of a date that begins with the day, no pattern shows the order",
    },
    { runs: "main-15-01-2024", tags: ["main-31-12-2023"], advice: undefined, because: "nor of one behind a word" },
    {
      runs: "1234b56",
      tags: ["98765b4", "abc1234"],
      advice: newest("^[0-9a-f]{7,40}$"),
      because: "a commit is no beta of Python",
    },
    { runs: "7.x", tags: ["8.x"], range: ">=1", advice: undefined, because: "a range is invalid beside numerical" },
    { runs: "main", tags: ["0.9"], range: ">=1", advice: undefined, because: "a range replaces what is no version" },
  ]);
});

describe("where newer tags were skipped, annotations are suggested", () => {
  holds([
    {
      runs: "1.24.0",
      tags: ["1.24.0-1"],
      advice: { ...skipping("1.24.0-1", "other-flavour"), ...suffixes("revision") },
      because: "a rebuilt image has a revision",
    },
    {
      runs: "1.24.0-1",
      tags: ["1.25.0"],
      advice: { ...skipping("1.25.0", "other-flavour"), ...suffixes("revision") },
      because: "the next release may have none yet",
    },
    {
      runs: "1.2.3-r1",
      tags: ["1.2.4-r0"],
      suffixes: "exact",
      advice: { ...skipping("1.2.4-r0", "other-flavour"), ...suffixes("flavour") },
      because: "the written rule counts nothing",
    },
    {
      runs: "1.0.0",
      tags: ["1.0.1-main.5"],
      advice: { ...skipping("1.0.1-main.5", "other-flavour"), ...suffixes("semver") },
      because: "a build of a branch is a pre-release, no revision",
    },
    {
      runs: "1.2.3-main.5",
      tags: ["1.2.4-develop.6"],
      advice: { ...skipping("1.2.4-develop.6", "other-flavour"), ...suffixes("semver") },
      because: "only semver compares two branches",
    },
    {
      runs: "16.1.0-alpine",
      tags: ["16.3.0-bookworm"],
      range: ">=16.0.0-0",
      advice: { ...skipping("16.3.0-bookworm", "other-flavour"), ...suffixes("semver") },
      because: "-0 did not mean semver, because the running tag has a flavour",
    },
    {
      runs: "1.0.0-rc.1",
      tags: ["1.0.0-rc.2"],
      advice: { ...skipping("1.0.0-rc.2", "pre-release"), annotations: { "allow-prerelease": "true" } },
      because: "a pre-release runs",
    },
    {
      runs: "1.2.3-alpine3.19",
      tags: ["1.2.4-alpine3.20"],
      advice: {
        ...skipping("1.2.4-alpine3.20", "other-flavour"),
        ...extracting("^v?(\\d+(?:\\.\\d+){2})-alpine(\\d+(?:\\.\\d+)*)$", "$1-$2"),
      },
      because: "the numbers of the flavour change",
    },
    {
      runs: "3.4.6-debian-11-r1",
      tags: ["3.4.7-debian-12-r0"],
      advice: {
        ...skipping("3.4.7-debian-12-r0", "other-flavour"),
        ...extracting("^v?(\\d+(?:\\.\\d+){2})-debian-(\\d+(?:\\.\\d+)*)-r(\\d+(?:\\.\\d+)*)$", "$1-$2-$3"),
      },
      because: "and the counter is compared on",
    },
    {
      runs: "1.28",
      tags: ["1.29.1"],
      advice: skipping("1.29.1", "other-precision"),
      because: "no annotation orders tags with more numbers",
    },
    {
      runs: "1.9.7.4460-abc1234",
      tags: ["1.9.7.4460-def5678"],
      advice: {
        ...skipping("1.9.7.4460-def5678", "other-commit"),
        ...newest("^v?1\\.9(?:\\.\\d+){2}-[0-9a-f]{7,40}$"),
      },
      because: "commits have no order, so only commits of 1.9 are followed",
    },
    {
      runs: "1.2.3-abc1234",
      tags: ["1.2.3-def5678"],
      range: "^1",
      advice: skipping("1.2.3-def5678", "other-commit"),
      because: "a range is invalid beside regex",
    },
    {
      runs: "1.2.3-alpine3.19",
      tags: ["1.2.4-alpine3.20"],
      filter: { pattern: "^1[.]" },
      advice: skipping("1.2.4-alpine3.20", "other-flavour"),
      because: "another pattern would end the limit of the written one",
    },
    {
      runs: "1.2.3",
      tags: ["1.2.4-alpine"],
      advice: skipping("1.2.4-alpine", "other-flavour"),
      because: "to another flavour, only a person changes",
    },
    ...[".post1", "-security-01", "-patch.2", ".1"].map((suffix) => ({
      runs: "11.6.1",
      tags: [`11.6.1${suffix}`],
      advice: {
        ...skipping(`11.6.1${suffix}`, suffix === ".1" ? "other-precision" : "other-flavour"),
        ...(suffix === ".1" ? {} : suffixes("revision")),
      },
      because: "a later build of one version is newer",
    })),
    {
      runs: "3206.vb_15dcf73f6a_9-2",
      tags: ["3283.v92c105e0f819-1"],
      advice: skipping("3283.v92c105e0f819-1", "other-flavour"),
      because: "a commit follows the dot",
    },
    {
      runs: "1.2.3-amd64",
      tags: ["1.3.0-arm64"],
      range: ">=1.0.0-0",
      advice: skipping("1.3.0-arm64", "other-flavour"),
      because: "semver would select another architecture",
    },
    {
      runs: "1.24.0",
      tags: ["1.25.0-pr.7"],
      allowPrerelease: true,
      advice: skipping("1.25.0-pr.7", "other-flavour"),
      because: "the build of a pull request is no pre-release",
    },
    {
      runs: "1.24.0-main.5",
      tags: ["1.25.0", "1.23.0-pr.2"],
      advice: skipping("1.25.0", "other-flavour"),
      because: "pull requests are built, and semver would select a later one",
    },
    ...["arm-v6", "32bit", "x86-64-v2", "windows-servercore-1809", "rpi3", "sm80", "cuda11.8"].map((machine) => ({
      runs: `1.2.3-${machine}`,
      tags: [`1.2.4-${machine.replace(/[0-9.]+$|\d+(?=bit)/, "99")}`],
      advice: skipping(`1.2.4-${machine.replace(/[0-9.]+$|\d+(?=bit)/, "99")}`, "other-flavour"),
      because: "another machine is not suggested",
    })),
    {
      runs: "1.2.3-windowsservercore-ltsc2019",
      tags: ["1.2.4-windowsservercore-ltsc2022"],
      advice: skipping("1.2.4-windowsservercore-ltsc2022", "other-flavour"),
      because: "another build of Windows may not run",
    },
    {
      runs: "1.2.3-nanoserver-1809",
      tags: ["1.2.4-nanoserver-2009"],
      advice: skipping("1.2.4-nanoserver-2009", "other-flavour"),
      because: "nor may one in the next part",
    },
    {
      runs: "1.2.3-arm32v7-alpine3.19",
      tags: ["1.2.4-arm32v7-alpine3.20", "1.2.5-arm64v8-alpine3.20"],
      advice: {
        skipped: {
          count: 2,
          reason: "other-flavour",
          tags: ["1.2.5-arm64v8-alpine3.20", "1.2.4-arm32v7-alpine3.20"],
        },
        ...extracting("^v?(\\d+(?:\\.\\d+){2})-arm32v7-alpine(\\d+(?:\\.\\d+)*)$", "$1-$2"),
      },
      because: "the architecture stays, and the numbers of other parts change",
    },
    {
      runs: "1.25.0",
      tags: ["1.26.0-main.7", "1.26.0-pr.7"],
      advice: { skipped: { count: 2, reason: "other-flavour", tags: ["1.26.0-pr.7", "1.26.0-main.7"] } },
      because: "semver would also select the build of a pull request",
    },
    {
      runs: "1.25.0-main.6",
      tags: ["1.26.0"],
      advice: { ...skipping("1.26.0", "other-flavour"), ...suffixes("semver") },
      because: "the release follows the builds of its branch",
    },
    {
      runs: "1.2.3",
      tags: ["1.3.0-1"],
      suffixes: "exact",
      advice: { ...skipping("1.3.0-1", "other-flavour"), ...suffixes("revision") },
      because: "a revision is missing under the written rule too",
    },
    {
      runs: "1.2.3-alpine3.19",
      tags: ["1.2.4-alpine3.20", "1.2.5-alpine3.21"],
      filter: { exclude: ["1.2.5*"] },
      advice: {
        ...skipping("1.2.4-alpine3.20", "other-flavour"),
        ...extracting("^v?(\\d+(?:\\.\\d+){2})-alpine(\\d+(?:\\.\\d+)*)$", "$1-$2"),
      },
      because: "an excluded tag stays excluded",
    },
    {
      runs: "7-alpine3.19",
      tags: ["8-alpine3.20"],
      advice: skipping("8-alpine3.20", "other-flavour"),
      because: "a single number may be a build",
    },
    {
      runs: "1.2-a1-b2-c3-d4-e5-f6-g7",
      tags: ["1.3-a1-b2-c3-d4-e5-f6-g8"],
      advice: skipping("1.3-a1-b2-c3-d4-e5-f6-g8", "other-flavour"),
      because: "more numbers than a version has are not compared",
    },
    {
      runs: "17-jre",
      tags: ["21-jdk"],
      advice: skipping("21-jdk", "other-flavour"),
      because: "nor is the flavour of one number changed",
    },
  ]);
});

describe("where nothing was skipped, nothing is said", () => {
  holds([
    { runs: "1.0.0", tags: ["1.1.0-rc.1"], advice: undefined, because: "a release does not want pre-releases" },
    { runs: "1.28", tags: ["1.28.1"], advice: undefined, because: "1.28 may be the same image" },
    { runs: "1.2.3", tags: ["1.3.0-1"], range: "<1.3", advice: undefined, because: "the tag is outside the range" },
    { runs: "1.24.0", tags: ["1.24.0-1"], suffixes: "revision", advice: undefined, because: "it is followed" },
    { runs: "1.2.3-abc1234", tags: ["1.2.4-def5678"], advice: undefined, because: "the newer version is selected" },
    {
      runs: "1.2.3-alpine",
      tags: ["1.3.0-slim"],
      filter: { exclude: ["*-slim"] },
      advice: undefined,
      because: "an excluded tag is not wanted",
    },
  ]);
});

describe("without a running tag", () => {
  it("nothing is suggested", () => {
    const rule = read(readRule({ policy: { kind: "semver", range: ">=1" } }, compile));

    expect([adviseOn(rule, undefined, ["1.24.0", "1.25.0-1"]), adviseOn(rule, {}, ["1.24.0"])]).toEqual([
      undefined,
      undefined,
    ]);
    expect(suggestAnnotations(rule, undefined, ["1.24.0", "1.25.0-1"])).toBeUndefined();
  });
});

describe("another policy than semver", () => {
  it.each(["latest", "digest", "alphabetical", "numerical", "pinned"] as const)("%s has no advice", (kind) => {
    const rule = read(readRule({ policy: { kind } }, compile));

    expect(adviseOn(rule, { tag: "1.24.0" }, ["1.24.0", "1.24.0-1", "1.25.0-alpine"])).toBeUndefined();
    expect(adviseOn(rule, { tag: "sha-abc1234" }, ["sha-abc1234", "sha-def5678"])).toBeUndefined();
  });

  it("regex has no advice", () => {
    const rule = read(readRule({ policy: { kind: "regex", pattern: "^1[.]" } }, compile));

    expect(adviseOn(rule, { tag: "1.24.0" }, ["1.24.0", "1.24.0-1", "1.25.0-alpine"])).toBeUndefined();
  });
});
