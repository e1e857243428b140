import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CurrentImage, selectTag, explainSelection, type TagPolicy } from "#domain/policy/policy";
import { compareVersions, parseVersion } from "#domain/version/version";
import { fitsRange, range } from "./matchers.ts";

function semver(text?: string, allowPrerelease = false): TagPolicy {
  return { kind: "semver", allowPrerelease, ...(text === undefined ? {} : { range: range(text) }) };
}

/** The tag that wins, `=` before one that stays, or the reason for none. */
function select(policy: TagPolicy, current: CurrentImage, tags: readonly string[], allowDowngrade = false): string {
  const selection = selectTag({ policy, allowDowngrade }, current, tags);
  switch (selection.kind) {
    case "selected":
      return selection.tag;
    case "unchanged":
      return `=${selection.tag}`;
    case "none":
      return selection.reason;
  }
}

describe("the semver policy without a range", () => {
  it.each([
    { runs: "1.2.3", tags: ["1.2.4", "1.10.0", "1.9.0"], wins: "1.10.0", because: "the highest version wins" },
    { runs: "1.2.3", tags: ["1.2.3", "1.2.2"], wins: "=1.2.3", because: "the highest runs already" },
    { runs: "1.2.3", tags: ["2.0.0-rc.1", "1.2.3"], wins: "=1.2.3", because: "a pre-release is not wanted" },
    { runs: "1.0.0", tags: ["2.0.0-rc1", "1.0.0"], wins: "=1.0.0", because: "nor one without a dot" },
    { runs: "1.3.0-rc.1", tags: ["1.3.0-rc.2", "1.3.0"], wins: "1.3.0", because: "a release follows its candidates" },
    { runs: "1.3.0-rc.1", tags: ["1.3.0-rc.2"], wins: "no-tag-fits", because: "a candidate follows only where wanted" },
    { runs: "1.2.3", tags: ["1.2.2"], wins: "would-downgrade", because: "nothing older ever runs" },
    { runs: "1.2.3", tags: [], wins: "no-tag-fits", because: "there is no tag" },
    { runs: "1.2.3", tags: ["latest", "main"], wins: "no-tag-fits", because: "there is no version" },
    { runs: "v3.4.5", tags: ["1234567", "v3.4.6"], wins: "v3.4.6", because: "a commit in digits is no version" },
    { runs: "1.0.0", tags: ["20240101", "1.9.0"], wins: "1.9.0", because: "a date is no version" },
    { runs: "1.2.0", tags: ["version-1.3.0"], wins: "version-1.3.0", because: "prefixes do not matter" },
    { runs: "1.2.3", tags: ["1.2.4-alpine"], wins: "no-tag-fits", because: "a flavour is another image" },
    { runs: "1.2.3-alpine", tags: ["1.2.4", "1.2.4-alpine"], wins: "1.2.4-alpine", because: "the flavour stays" },
    {
      runs: "1.2.3-alpine",
      tags: ["1.2.4-alpine3.19"],
      wins: "no-tag-fits",
      because: "the flavour stays to the letter",
    },
    { runs: "1.2.3-alpine", tags: ["1.3.0-slim-alpine"], wins: "no-tag-fits", because: "half a flavour is none" },
    { runs: "1.27", tags: ["1.28", "1.28.1", "2"], wins: "1.28", because: "the number of parts stays" },
    { runs: "1.27.0", tags: ["1.28", "1.28.1", "2"], wins: "1.28.1", because: "the number of parts stays" },
    { runs: "16", tags: ["17", "18.1", "20240101"], wins: "17", because: "a short number is a version where one runs" },
    { runs: "16", tags: ["99999", "100000"], wins: "99999", because: "a number alone has five digits at most" },
    { runs: "v2", tags: ["v3", "4"], wins: "v3", because: "a bare number follows a bare number only" },
    { runs: "16-alpine", tags: ["17-alpine", "20240101-alpine"], wins: "17-alpine", because: "a date has no flavour" },
    { runs: "20240101", tags: ["20240102"], wins: "current-tag-not-a-version", because: "dates are not versions" },
    { runs: "2024-01-15", tags: ["2025-01-15"], wins: "current-tag-not-a-version", because: "nor with dashes" },
    { runs: "15-01-2024", tags: ["31-01-2024"], wins: "current-tag-not-a-version", because: "in either direction" },
    { runs: "2024-9", tags: ["2025-9"], wins: "current-tag-not-a-version", because: "nor without a day" },
    { runs: "2-9", tags: ["3-9", "2024-9"], wins: "3-9", because: "no date follows a version" },
    { runs: "2024-01-facade", tags: ["2025-01-facade"], wins: "2025-01-facade", because: "nor a year and a flavour" },
    { runs: "2023-11-jdk", tags: ["2024-11-jdk"], wins: "2024-11-jdk", because: "a year and a word are no date" },
    { runs: "2019-15.0.4", tags: ["2022-15.0.4"], wins: "2022-15.0.4", because: "no year has fifteen months" },
    { runs: "17-3-alpine", tags: ["18-3-alpine"], wins: "18-3-alpine", because: "other numbers are flavours" },
    { runs: "latest", tags: ["1.2.3"], wins: "current-tag-not-a-version", because: "there is nothing to compare with" },
    { runs: "9f2c1ab", tags: ["1.2.3"], wins: "current-tag-not-a-version", because: "a commit is no version" },
    {
      runs: undefined,
      tags: ["1.2.3"],
      wins: "current-tag-not-a-version",
      because: "there is nothing to compare with",
    },
    { runs: "1.2.3", tags: ["v1.2.3"], wins: "=1.2.3", because: "an equal version is not a higher one" },
    {
      runs: "1.2.2",
      tags: ["v1.2.3", "1.2.3"],
      wins: "1.2.3",
      because: "of equal versions the text that sorts first wins",
    },
    { runs: "1.2.3", tags: ["!", "1.2.3.4", "01.0.0", "1.2.4"], wins: "1.2.4", because: "bad tags do not matter" },
  ])("$runs → $wins: $because", ({ runs, tags, wins }) => {
    const current = runs === undefined ? {} : { tag: runs };

    expect(select(semver(), current, tags)).toBe(wins);
    expect(select(semver(), current, [...tags].reverse())).toBe(wins);
  });

  it("selects pre-releases if they are allowed", () => {
    expect(select(semver(undefined, true), { tag: "1.2.3" }, ["1.3.0-rc.2", "1.3.0-rc10"])).toBe("1.3.0-rc10");
  });

  it("keeps the flavour of a pre-release", () => {
    const tags = ["1.3.0-rc.2", "1.3.0-rc.1-alpine"];

    expect(select(semver(undefined, true), { tag: "1.2.3-alpine" }, tags)).toBe("1.3.0-rc.1-alpine");
  });

  it("selects the highest remaining version if a downgrade is allowed", () => {
    expect(select(semver(), { tag: "1.2.3" }, ["1.2.1", "1.2.2"], true)).toBe("1.2.2");
    expect(select(semver(), { tag: "1.2.3" }, ["v1.2.3"], true)).toBe("=1.2.3");
  });
});

describe("the semver policy with a range", () => {
  it.each([
    { runs: "1.2.3", text: "^1", tags: ["1.9.0", "2.0.0"], wins: "1.9.0", because: "the highest that fits wins" },
    { runs: "1.2.3", text: "^3", tags: ["1.9.0", "2.0.0"], wins: "no-tag-fits", because: "none fits" },
    {
      runs: "2.0.0",
      text: "^1",
      tags: ["1.9.0", "2.1.0"],
      wins: "would-downgrade",
      because: "what runs is above the range",
    },
    {
      runs: "latest",
      text: "*",
      tags: ["1.2.3", "1.3", "1.4.0-alpine"],
      wins: "1.2.3",
      because: "a plain version of three parts follows no version",
    },
    { runs: undefined, text: ">=1", tags: ["1.2.3", "20240101"], wins: "1.2.3", because: "also where no tag runs" },
    { runs: "20240101", text: "*", tags: ["20240102", "1.0.0"], wins: "1.0.0", because: "also where a date runs" },
    { runs: "1.27", text: "~1.27", tags: ["1.27", "1.28", "1.27.4"], wins: "=1.27", because: "missing parts are zero" },
    {
      runs: "1.2.2",
      text: ">=1.2.3-rc.1",
      tags: ["1.2.3-rc.2", "1.3.0-rc.1"],
      wins: "1.2.3-rc.2",
      because: "a pre-release is named",
    },
    {
      runs: "1.2.0-alpine",
      text: ">=1.3.0-alpine",
      tags: ["1.3.0-rc.1-alpine", "1.3.0-alpine", "1.4.0"],
      wins: "1.3.0-alpine",
      because: "a flavour is no pre-release",
    },
    {
      runs: "1.2.0",
      text: ">=1.3.0-alpine",
      tags: ["1.4.0", "1.4.0-alpine"],
      wins: "no-tag-fits",
      because: "what runs has another flavour",
    },
  ])("$runs, $text → $wins: $because", ({ runs, text, tags, wins }) => {
    const current = runs === undefined ? {} : { tag: runs };

    expect(select(semver(text), current, tags)).toBe(wins);
    expect(select(semver(text), current, [...tags].reverse())).toBe(wins);
  });

  it("selects a lower version in the range if a downgrade is allowed", () => {
    expect(select(semver("^1"), { tag: "2.0.0" }, ["1.9.0", "2.1.0"], true)).toBe("1.9.0");
  });

  it("selects pre-releases in the range if they are allowed", () => {
    expect(select(semver("1.x", true), { tag: "1.2.3" }, ["1.3.0-rc.1", "2.0.0-rc.1"])).toBe("1.3.0-rc.1");
  });
});

describe("the digest policy", () => {
  it.each([
    { runs: "latest", tags: ["1.2.3", "latest"], wins: "=latest", because: "the running tag stays" },
    { runs: "latest", tags: [], wins: "=latest", because: "tags need not be listed" },
    { runs: "latest", tags: ["1.2.3"], wins: "no-tag-fits", because: "the running tag is gone" },
    { runs: undefined, tags: ["1.2.3"], wins: "no-tag-to-follow", because: "no tag runs" },
  ])("$runs → $wins: $because", ({ runs, tags, wins }) => {
    expect(select({ kind: "digest" }, runs === undefined ? {} : { tag: runs }, tags)).toBe(wins);
  });
});

describe("an explained selection", () => {
  it("lists the rejected tags with their reasons, in the order of the tags", () => {
    const tags = [
      "latest",
      "20260101",
      "1.3.0-alpine",
      "1.3",
      "1.4.0-rc.1",
      "2.0.0",
      "2.0.0-rc.1",
      "1.1.0",
      "1.2.0",
      "1.2.9",
      "1.3.0",
    ];

    const explained = explainSelection({ policy: semver("^1"), allowDowngrade: false }, { tag: "1.2.0" }, tags);

    expect(explained).toEqual({
      selection: { kind: "selected", tag: "1.3.0" },
      rejected: [
        { tag: "latest", reason: "not-a-version" },
        { tag: "20260101", reason: "not-a-version" },
        { tag: "1.3.0-alpine", reason: "other-flavour" },
        { tag: "1.3", reason: "other-precision" },
        { tag: "1.4.0-rc.1", reason: "pre-release" },
        { tag: "2.0.0", reason: "outside-range" },
        { tag: "2.0.0-rc.1", reason: "outside-range" },
        { tag: "1.1.0", reason: "older-than-current" },
      ],
    });
  });

  it("lists no older tag if a downgrade is allowed, and none if nothing was compared", () => {
    const older = explainSelection({ policy: semver(), allowDowngrade: true }, { tag: "1.2.0" }, ["1.1.0"]);
    const nothing = explainSelection({ policy: semver(), allowDowngrade: false }, { tag: "latest" }, ["1.1.0"]);
    const plain = explainSelection({ policy: semver("^1"), allowDowngrade: false }, { tag: "latest" }, ["1.1.0"]);

    expect([older.rejected, nothing.rejected, plain.rejected]).toEqual([[], [], []]);
  });

  it("lists a pre-release without a range", () => {
    const { rejected } = explainSelection({ policy: semver(), allowDowngrade: false }, { tag: "1.2.0" }, [
      "1.3.0-rc.1",
    ]);

    expect(rejected).toEqual([{ tag: "1.3.0-rc.1", reason: "pre-release" }]);
  });

  it("of the digest policy lists every tag except the running one", () => {
    const explained = explainSelection(
      { policy: { kind: "digest" }, allowDowngrade: false },
      { tag: "main" },
      new Set(["main", "dev"]),
    );

    expect(explained).toEqual({
      selection: { kind: "unchanged", tag: "main" },
      rejected: [{ tag: "dev", reason: "not-the-running-tag" }],
    });
  });
});

describe("any selection", () => {
  const part = fc.nat({ max: 3 });
  const tag = fc.oneof(
    fc
      .tuple(
        fc.constantFrom("", "", "v"),
        fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(".")),
        fc.constantFrom("", "", "-rc1", "-rc.2"),
        fc.constantFrom("", "", "-alpine"),
      )
      .map((parts) => parts.join("")),
    fc.constantFrom("latest", "main", "20240101", "1.2.3.4", "01.2.3"),
  );
  const tags = fc.array(tag, { maxLength: 12 });
  const ranges = fc.constantFrom(undefined, "*", ">=1", "^1", "~1.2", "<2 || 3.x", ">=1.0.0-rc.1");
  const policies = fc.tuple(ranges, fc.boolean()).map(([text, allow]) => semver(text, allow));

  it("does not depend on the order or repetition of tags", () => {
    fc.assert(
      fc.property(policies, tag, tags, fc.boolean(), fc.nat(), (policy, runs, listed, allowDowngrade, turn) => {
        const middle = listed.length === 0 ? 0 : turn % listed.length;
        const turned = [...listed.slice(middle), ...listed.slice(0, middle)].reverse();

        const selection = select(policy, { tag: runs }, listed, allowDowngrade);

        expect(select(policy, { tag: runs }, [...turned, ...turned], allowDowngrade)).toBe(selection);
      }),
    );
  });

  it("selects a matching tag that is higher than the running and all other matching ones", () => {
    fc.assert(
      fc.property(ranges, fc.boolean(), tag, tags, (text, allowPrerelease, runs, listed) => {
        const policy = semver(text, allowPrerelease);
        const { selection, rejected } = explainSelection({ policy, allowDowngrade: false }, { tag: runs }, listed);
        if (selection.kind !== "selected") return;

        const selected = parseVersion(selection.tag)!;
        const running = parseVersion(runs);
        const candidates = listed.filter((listedTag) => !rejected.some((other) => other.tag === listedTag));

        expect(candidates).toContain(selection.tag);
        // The order of equal versions has a test of its own.
        for (const other of candidates)
          expect(compareVersions({ ...parseVersion(other)!, text: selection.tag }, selected)).toBeLessThanOrEqual(0);
        if (text !== undefined) expect(fitsRange(range(text), selected, allowPrerelease)).toBe(true);
        if (running !== undefined && runs !== "20240101") {
          expect(compareVersions(selected, { ...running, text: selection.tag })).toBeGreaterThan(0);
          expect([selected.flavour, selected.parts.length]).toEqual([running.flavour, running.parts.length]);
        }
      }),
    );
  });

  it("selects nothing new after its selection runs", () => {
    fc.assert(
      fc.property(policies, tag, tags, (policy, runs, listed) => {
        const selection = selectTag({ policy, allowDowngrade: false }, { tag: runs }, listed);
        if (selection.kind !== "selected") return;

        const again = selectTag({ policy, allowDowngrade: false }, { tag: selection.tag }, listed);

        expect(again).toEqual({ kind: "unchanged", tag: selection.tag });
      }),
    );
  });
});
