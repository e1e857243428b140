import { describe, expect, it } from "vitest";
import { noSuffix, type Suffix, type SuffixRule } from "#domain/version/suffix";
import { parseVersion } from "#domain/version/version";

const hex40 = "a39b0c1d2e3f405162738495a6b7c8d9e0f1a2b3";

interface Row extends Partial<Suffix> {
  readonly tag: string;
  readonly because: string;
}

/** Reads the suffix of a tag; undefined for a tag that is no version. */
function suffixOf(tag: string, rule?: SuffixRule): Suffix | undefined {
  const version = parseVersion(tag, rule);
  if (version === undefined) return undefined;
  const { prerelease, shape, flavour, forms, counters } = version;
  return { prerelease, shape, flavour, forms, counters };
}

/** Tests rows whose missing parts are empty. */
function holds(rows: readonly Row[], rule?: SuffixRule): void {
  it.each(rows)("$tag: $because", ({ tag, because: _, ...expected }) => {
    expect(suffixOf(tag, rule)).toEqual({ ...noSuffix, ...expected });
  });
}

/** A row for a suffix in which nothing counts. */
const flavour = (tag: string, text: string, because: string): Row => ({ tag, shape: text, flavour: text, because });
/** A row for a suffix with one counter and no flavour. */
const counter = (tag: string, form: string, number: string, because: string): Row => {
  return { tag, shape: form, forms: [form], counters: [number], because };
};

describe("a number in a suffix counts", () => {
  holds([
    counter("1.24.0-1", "#", "1", "directly behind the version"),
    counter("1.24.0-0012", "#", "12", "zeros in front say nothing"),
    counter("1.24.0-000", "#", "", "zero has no digit that counts"),
    { tag: "17_7", shape: "_#", forms: ["#"], counters: ["7"], because: "behind an underscore too" },
    counter("1.2.3-123456789012345678901234567890", "#", "123456789012345678901234567890", "of any length"),
    {
      tag: "3.2.1-1214.1729",
      shape: "#",
      forms: ["#"],
      counters: ["1214", "1729"],
      because: "several between dots are one piece",
    },
    {
      tag: "1.0-r2-5",
      shape: "r#-#",
      forms: ["r#", "#"],
      counters: ["2", "5"],
      because: "directly behind another counter",
    },
    {
      tag: "17_7-jre",
      shape: "_#-jre",
      flavour: "jre",
      forms: ["#"],
      counters: ["7"],
      because: "a flavour may follow",
    },
    {
      tag: "0.9.4-2-alpine",
      shape: "#-alpine",
      flavour: "alpine",
      forms: ["#"],
      counters: ["2"],
      because: "before a flavour",
    },
    flavour("1.2.3-otp-26", "otp-26", "not behind a flavour"),
    flavour("17.0.1-jre-17", "jre-17", "not behind a Java edition"),
    flavour("1.2.3-debian-12", "debian-12", "not behind a system"),
    flavour("1.2.3-temurin-21", "temurin-21", "not behind a distribution"),
    flavour("1.2.3-ubuntu-22.04", "ubuntu-22.04", "not with dots behind a system"),
    flavour("1.2.3-nanoserver-1809", "nanoserver-1809", "not behind a Windows edition"),
    flavour("3.5.0-scala_2.12", "scala_2.12", "not behind a language"),
    flavour("1.2.3-alpine3.19", "alpine3.19", "not in a word"),
    flavour("1.2.3-php8.3", "php8.3", "not in another word"),
    flavour("2.14.2-pg16", "pg16", "not behind any letters"),
    flavour("12.4.1-cudnn8", "cudnn8", "not behind a library"),
    flavour("1.2.3-arm64v8", "arm64v8", "not in a machine"),
    flavour("2.1.0-alpine-1234567", "alpine-1234567", "seven digits behind a flavour are no date"),
    flavour("1.2.3-1a", "1a", "a letter behind it ends that"),
    flavour("1.2.3-1.", "1.", "a dot behind it does too"),
  ]);
});

describe("a word with a number counts", () => {
  holds([
    counter("1.2.3-r9", "r#", "9", "a revision of Alpine and Bitnami"),
    counter("1.2.3-p1", "p#", "1", "a patch"),
    counter("1.2.3-b12", "b#", "12", "a build"),
    counter("1.2.3-ls45", "ls#", "45", "a build of LinuxServer"),
    counter("1.2.3-build7", "build#", "7", "a build"),
    counter("1.2.3-rev7", "rev#", "7", "a revision"),
    counter("v1.30.2-k3s1", "k3s#", "1", "a revision of k3s"),
    counter("v1.30.2-rke2r1", "rke2r#", "1", "a revision of RKE2"),
    counter("v1.2.3-hardened3", "hardened#", "3", "a rebuild of Rancher"),
    {
      tag: "2.4-0ubuntu1",
      shape: "#ubuntu#",
      forms: ["#ubuntu#"],
      counters: ["", "1"],
      because: "a revision of Ubuntu has two numbers",
    },
    counter("1.0.0-main.120", "main.#", "120", "a branch, a dot, a number"),
    counter("v1.30.1-k0s.1", "k0s.#", "1", "a word may have digits inside"),
    counter("1.30.0-eksbuild.1", "eksbuild.#", "1", "a build of EKS"),
    counter("17.2.0-ce.0", "ce.#", "", "an edition with a number behind a dot"),
    {
      tag: "3.4.6-debian-9-r24",
      shape: "debian-9-r#",
      flavour: "debian-9",
      forms: ["r#"],
      counters: ["24"],
      because: "behind a flavour too",
    },
    counter("8.3.0p1", "p#", "1", "a patch may touch the numbers"),
    counter("1.2.3r2", "r#", "2", "so may a revision"),
    flavour("1.2.3-r", "r", "not without a number"),
    flavour("1.2.3-r9a", "r9a", "not with a letter behind it"),
    flavour("1.2.3-r9.1", "r9.1", "not with a second number: r9 ends in a digit"),
    flavour("1.2.3-k3s", "k3s", "the number of k3s is no counter"),
    flavour("1.2.3-rke2r", "rke2r", "nor that of RKE2"),
    flavour("1.2.3-k8s1", "k8s1", "another word does not count"),
    flavour("1.2.3-0debian1", "0debian1", "nor another system"),
    flavour("1.2.3-ubuntu1", "ubuntu1", "Ubuntu's revision begins with a number"),
    flavour("1.2.3-main.", "main.", "a dot needs a number behind it"),
    flavour("1.2.3-main.1.2", "main.1.2", "a word has one number"),
    flavour("1.2.3-main.1a", "main.1a", "what follows the dot is a number"),
  ]);
});

describe("a number behind a branch counts, and the branch is no flavour", () => {
  holds([
    ...["main", "master", "trunk", "develop", "build", "ci", "rev", "patch", "hotfix"].map((word): Row => {
      const [shape, forms] = [`${word}-#`, [`${word}-#`]];
      return { tag: `1.2.3-${word}-123`, shape, forms, counters: ["123"], because: "it is a branch or a build" };
    }),
    {
      tag: "1.2.3-alpine-main_5",
      shape: "alpine-main_#",
      flavour: "alpine",
      forms: ["main_#"],
      counters: ["5"],
      because: "a flavour before it stays",
    },
    {
      tag: "1.2.3-main-5-alpine",
      shape: "main-#-alpine",
      flavour: "alpine",
      forms: ["main-#"],
      counters: ["5"],
      because: "a flavour behind it stays",
    },
    {
      tag: "1.2.3-main-r5",
      shape: "main-r#",
      flavour: "main",
      forms: ["r#"],
      counters: ["5"],
      because: "another counter is not the branch's number",
    },
    {
      tag: "1.2.3-ci-0ubuntu1",
      shape: "ci-#ubuntu#",
      flavour: "ci",
      forms: ["#ubuntu#"],
      counters: ["", "1"],
      because: "nor is a revision of Ubuntu",
    },
    flavour("1.2.3-main", "main", "a branch alone is a flavour"),
    flavour("1.2.3-main-alpine-5", "main-alpine-5", "the number stands directly behind"),
    flavour("1.2.3-feature-5", "feature-5", "another word is a flavour"),
    flavour("1.2.3-mainline-5", "mainline-5", "a longer word is another word"),
  ]);
});

describe("a date or a time counts", () => {
  holds([
    counter("1.2.3-20240101", "#", "20240101", "directly behind the version"),
    counter("1.0.0-20240101120000", "#", "20240101120000", "with a time"),
    {
      tag: "1.2.3-alpine-20240101",
      shape: "alpine-#",
      flavour: "alpine",
      forms: ["#"],
      counters: ["20240101"],
      because: "behind a flavour too",
    },
    {
      tag: "1.2.3-alpine-20240101T1200",
      shape: "alpine-#T#",
      flavour: "alpine",
      forms: ["#T#"],
      counters: ["20240101", "1200"],
      because: "a T may stand before the time",
    },
    {
      tag: "1.2.3-main-20240101T120000Z",
      shape: "main-#T#",
      forms: ["main-#T#"],
      counters: ["20240101", "120000"],
      because: "and it is the number of a branch",
    },
    flavour("1.2.3-alpine-2024010", "alpine-2024010", "seven digits are no date"),
    flavour("1.2.3-alpine-202401", "alpine-202401", "a month alone is none"),
    flavour("1.2.3-20240101T12", "20240101T12", "an hour alone is no time"),
  ]);
});

describe("a commit is a placeholder", () => {
  const commit = (tag: string, because: string): Row => flavour(tag, "@", because);
  holds([
    commit("1.2.3-abc1234", "of 7 digits"),
    commit("1.2.3-1234567a", "a letter may be last"),
    commit(`1.9.7.4460-${hex40}`, "of 40 digits"),
    commit("1.2.3-gabc1234", "as git describe writes it"),
    commit("1.2.3-g1234567", "as git describe writes it, also without a letter"),
    {
      tag: "1.2.3-5-gabc1234",
      shape: "#-@",
      flavour: "@",
      forms: ["#"],
      counters: ["5"],
      because: "behind the count of commits",
    },
    {
      tag: "1.2.3-main-5-abc1234-alpine",
      shape: "main-#-@-alpine",
      flavour: "@-alpine",
      forms: ["main-#"],
      counters: ["5"],
      because: "between other pieces",
    },
    flavour("1.2.3-abc123", "abc123", "six digits are no commit"),
    flavour("1.2.3-gabc123", "gabc123", "nor behind g"),
    flavour(`1.2.3-${hex40}a`, `${hex40}a`, "41 digits are no commit"),
    flavour("1.2.3-deadbeef", "deadbeef", "a word of hex letters is a word"),
    flavour("1.2.3-abc123g", "abc123g", "g is no hex digit"),
    counter("1.2.3-1234567", "#", "1234567", "digits alone are a number"),
    flavour("1.2.3-abc1234x-1", "abc1234x-1", "nothing else touches it"),
  ]);
});

describe("a pre-release comes first", () => {
  holds([
    { tag: "1.2.3rc1", prerelease: ["rc", 1], because: "it may touch the numbers" },
    { tag: "1.2.3b1", prerelease: ["beta", 1], because: "as Python writes a beta" },
    { tag: "1.2.3a1", prerelease: ["alpha", 1], because: "as Python writes an alpha" },
    {
      tag: "1.2.3-rc.1-alpine-r2",
      prerelease: ["rc", 1],
      shape: "alpine-r#",
      flavour: "alpine",
      forms: ["r#"],
      counters: ["2"],
      because: "a flavour and a counter may follow",
    },
    {
      tag: "1.2.3b1-r2",
      prerelease: ["beta", 1],
      shape: "r#",
      forms: ["r#"],
      counters: ["2"],
      because: "a counter may follow directly",
    },
    counter("1.2.3-b1", "b#", "1", "with a dash, b is a build"),
    flavour("1.2.3-a1", "a1", "with a dash, a is a flavour"),
    flavour("2.1.0.Final", ".Final", "Final is a flavour"),
    {
      tag: "2.1.0.Final-r2",
      shape: ".Final-r#",
      flavour: ".Final",
      forms: ["r#"],
      counters: ["2"],
      because: "a counter may follow Final",
    },
    flavour("2.1.0.Final-redhat-00001", ".Final-redhat-00001", "a number behind a flavour is a flavour"),
  ]);
});

describe("a text without a separator is no suffix", () => {
  it.each([
    { tag: "1.2.3alpine", because: "a flavour needs one" },
    { tag: "1.2.3alpine-r2", because: "also before a counter" },
    { tag: "1.2.3abc1234", because: "a commit needs one" },
    { tag: "1.2.3b1x", because: "nothing follows a pre-release of Python" },
    { tag: "1.2.3p", because: "a word without a number is no counter" },
  ])("$tag: $because", ({ tag }) => {
    expect(suffixOf(tag)).toBeUndefined();
  });
});

describe("by the rule exact, nothing counts", () => {
  holds(
    [
      flavour("1.2.3-r9", "r9", "a counter is a flavour"),
      flavour("1.2.3-abc1234", "abc1234", "a commit is a flavour"),
      flavour("1.2.3-main-5", "main-5", "so is a branch"),
      { tag: "1.2.3-rc.1", prerelease: ["rc", 1], because: "a pre-release is one" },
    ],
    "exact",
  );
});

describe("by the rule semver, every suffix is a pre-release", () => {
  holds(
    [
      { tag: "1.2.3-r9", prerelease: ["r9"], because: "identifiers stand between dots" },
      { tag: "1.2.3-main.5", prerelease: ["main", 5], because: "numbers are numbers" },
      { tag: "1.2.3-main.05", prerelease: ["main", 5], because: "padded ones too" },
      { tag: "1.2.3-alpine-3.19", prerelease: ["alpine-3", 19], because: "dashes join" },
      { tag: "1.2.3-RC.1", prerelease: ["RC", 1], because: "the case is kept, as npm does" },
      { tag: "1.2.3-0", prerelease: [0], because: "zero is the lowest" },
      { tag: "1.2.3", because: "a release has none" },
    ],
    "semver",
  );

  it.each(["1.2.3_7", "1.2.3-a..b", "1.2.3-a.", "1.2.3.Final", "1.2.3-a_b"])("%s is no version", (tag) => {
    expect(suffixOf(tag, "semver")).toBeUndefined();
  });
});
