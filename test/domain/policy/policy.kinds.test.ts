import { describe, expect, it } from "vitest";
import { select, holds } from "./deciding.ts";
import { filter, minute, pattern } from "./matchers.ts";

describe("the latest policy", () => {
  holds(
    [
      { runs: "a", tags: ["a@1", "b@3", "c@2"], wins: "b", because: "what moved last wins" },
      { runs: "b", tags: ["a@1", "b@3"], wins: "=b", because: "it runs already" },
      { tags: ["a@1", "b@3"], wins: "b", because: "nothing runs yet" },
      { runs: "a", tags: [], wins: "no-tag-fits", because: "there is no tag" },
      { runs: "a", tags: ["a", "b@1"], wins: "b", because: "what nobody saw moving was there before" },
      { runs: "a", tags: ["a", "b"], wins: "=a", because: "nobody saw anything move" },
      { runs: "z", tags: ["a", "b"], wins: "no-tag-fits", because: "nobody knows which is newer" },
      {
        runs: "z",
        tags: ["a@1", "b@2"],
        wins: "b",
        because: "a running tag of which nothing is known was there before",
      },
      {
        runs: { tag: "z", movedAt: minute(3) },
        tags: ["a@1", "b@2"],
        wins: "would-downgrade",
        because: "it moved later",
      },
      { runs: { tag: "z", movedAt: minute(2) }, tags: ["a@1", "b@2"], wins: "b", because: "it moved no later" },
      { runs: "b", tags: ["a@2", "b@2", "c@2"], wins: "=b", because: "of one push the running tag stays" },
      { runs: "z@1", tags: ["c@2", "a@2", "b@2"], wins: "a", because: "else the text that sorts first" },
      {
        runs: "b",
        tags: ["a@1", "b@2"],
        filter: filter({ exclude: ["b"] }),
        wins: "would-downgrade",
        because: "what runs is excluded and newer",
      },
      {
        runs: "b",
        tags: ["a@1", "b@2"],
        filter: filter({ exclude: ["b"] }),
        allowDowngrade: true,
        wins: "a",
        because: "that is allowed",
      },
      { runs: "b", tags: ["a@3", "b@2"], filter: filter({ exclude: ["b"] }), wins: "a", because: "it is newer" },
      {
        runs: "a",
        tags: ["a@1", `sha256-${"0".repeat(64)}.sig@3`, `sha256-${"0".repeat(64)}@2`],
        wins: "=a",
        because: "a signature is no image",
      },
      { runs: "a", tags: ["a@1", "not a tag@3"], wins: "=a", because: "what is no tag can't run" },
      { runs: "a", tags: ["a@1", "a@5", "b@3"], wins: "=a", because: "the later of two sayings holds" },
      {
        runs: "a",
        tags: ["a@5", "a@1", "b@3"],
        filter: filter({ exclude: ["a"] }),
        wins: "would-downgrade",
        because: "also of what runs",
      },
    ],
    { kind: "latest" },
  );
});

describe("the regex policy", () => {
  holds(
    [
      {
        runs: "main-1",
        tags: ["main-1@1", "main-2@2", "dev-3@3"],
        wins: "main-2",
        because: "only what matches is a candidate",
      },
      { runs: "v1", tags: ["v1@1", "dev-3@3"], wins: "no-tag-fits", because: "nothing matches" },
      { runs: "main-9", tags: ["main-9@1", "main-1@2"], wins: "main-1", because: "the text does not matter" },
      {
        runs: "x",
        tags: ["x@9", "main-1@2"],
        wins: "would-downgrade",
        because: "what runs is newer, though it does not match",
      },
      {
        runs: "main-1",
        tags: ["main-2@2", "main-3-rc@3"],
        filter: filter({ exclude: ["*-rc"] }),
        wins: "main-2",
        because: "globs count too",
      },
      {
        runs: "main-1",
        tags: ["main-2-arm@2", "main-3@3"],
        filter: filter({ pattern: "arm" }),
        wins: "main-2-arm",
        because: "and another pattern",
      },
    ],
    { kind: "regex", pattern: pattern("^main-") },
  );
});

describe("the alphabetical policy", () => {
  const ts = filter({ pattern: "^main-[a-f0-9]+-(?P<ts>[0-9]*)", extract: "$ts" });

  holds(
    [
      { runs: "2026-01", tags: ["2026-01", "2026-03", "2026-02"], wins: "2026-03", because: "what sorts last wins" },
      { runs: "2026-03", tags: ["2026-02", "2026-03"], wins: "=2026-03", because: "it runs already" },
      {
        runs: "2026-03",
        tags: ["2026-02"],
        wins: "would-downgrade",
        because: "the running one is gone and would come after",
      },
      { tags: ["9", "10"], wins: "9", because: "texts are no numbers" },
      { tags: ["a", "B", "_"], wins: "a", because: "bytes are compared, so capitals come first" },
      { tags: ["a", "not a tag"], wins: "a", because: "what is no tag can't run" },
      {
        runs: "main-a1-5",
        tags: ["main-a1-5", "main-f0-7", "main-ff-6"],
        filter: ts,
        wins: "main-f0-7",
        because: "the extracted values are compared",
      },
      {
        runs: "main-a1-5",
        tags: ["main-b2-5", "main-c3-5"],
        filter: ts,
        wins: "=main-a1-5",
        because: "equal values change nothing",
      },
      {
        tags: ["main-c3-5", "main-b2-5"],
        filter: ts,
        wins: "main-c3-5",
        because: "of equal values without a known move the text that sorts last wins",
      },
      {
        runs: "main-b2-",
        tags: ["main-b2-5", "main-c3-"],
        filter: ts,
        wins: "current-tag-not-comparable",
        because: "the template takes nothing of what runs: it may be newer",
      },
      {
        runs: "release-9",
        tags: ["main-b2-5", "main-c3-"],
        filter: ts,
        wins: "current-tag-not-comparable",
        because: "nor where the pattern is not for it, and it has a number",
      },
      {
        runs: "latest",
        tags: ["main-b2-5", "main-c3-7"],
        filter: ts,
        wins: "main-c3-7",
        because: "a word that the pattern is not for has no place to go back from",
      },
      {
        runs: "release-9",
        tags: ["main-b2-5", "main-c3-7"],
        filter: ts,
        allowDowngrade: true,
        wins: "main-c3-7",
        because: "that is allowed",
      },
      {
        runs: "2026-05",
        tags: ["2026-03", "2026-04", "2026-05"],
        filter: filter({ pattern: "^2026-0[1-4]$" }),
        wins: "would-downgrade",
        because: "what runs comes after all that match, though it does not match itself",
      },
      {
        runs: "2026-02",
        tags: ["2026-02", "2026-03", "2026-04"],
        filter: filter({ pattern: "^2026-0[34]$" }),
        wins: "2026-04",
        because: "it comes before them",
      },
      { runs: "latest", tags: ["main-c3-"], filter: ts, wins: "no-tag-fits", because: "nothing is no value" },
    ],
    { kind: "alphabetical", order: "asc" },
  );

  it.each([
    { runs: "b", tags: ["a", "b", "c"], wins: "a" },
    { runs: "main-c3-", tags: ["main-b2-5"], filter: ts, wins: "current-tag-not-comparable" },
    { runs: "0", tags: ["1", "2"], filter: filter({ pattern: "[12]" }), wins: "would-downgrade" },
    { runs: "a", tags: ["b"], wins: "would-downgrade" },
  ])("in descending order selects the first tag: $runs → $wins", (one) => {
    expect(select({ ...one, because: "" }, { kind: "alphabetical", order: "desc" })).toBe(one.wins);
  });
});

describe("the numerical policy", () => {
  const build = filter({ pattern: "^build-(?P<n>.*)$", extract: "$n" });

  holds(
    [
      { runs: "9", tags: ["9", "10", "8"], wins: "10", because: "numbers are compared" },
      { runs: "10", tags: ["9", "8"], wins: "would-downgrade", because: "what runs is higher" },
      { runs: "20240101", tags: ["20240101", "20240102"], wins: "20240102", because: "dates are numbers here" },
      { runs: "1.10", tags: ["1.10", "1.9"], wins: "1.9", because: "1.9 is more than 1.1" },
      {
        tags: ["20240101123456789012", "20240101123456789013"],
        wins: "20240101123456789013",
        because: "no digit is lost",
      },
      {
        runs: "build-1",
        tags: ["build-2", "build-", "build-x", "3"],
        filter: build,
        wins: "build-2",
        because: "one bad value fails nothing else",
      },
      {
        runs: "build-1",
        tags: ["build-12e4567"],
        filter: build,
        wins: "no-tag-fits",
        because: "a commit is no number",
      },
      {
        runs: "build-007",
        tags: ["build-7", "build-07"],
        filter: build,
        wins: "=build-007",
        because: "one number may be written in many ways",
      },
      {
        runs: "build-12-hotfix",
        tags: ["build-5"],
        filter: build,
        wins: "current-tag-not-comparable",
        because: "the template takes no number out of what runs: it may be higher",
      },
      {
        runs: "12",
        tags: ["build-1"],
        filter: build,
        wins: "current-tag-not-comparable",
        because: "nor anything of what the pattern does not match",
      },
      {
        runs: "12",
        tags: ["build-1"],
        filter: build,
        allowDowngrade: true,
        wins: "build-1",
        because: "that is allowed",
      },
      {
        runs: "20270101",
        tags: ["20260101", "20260102"],
        filter: filter({ pattern: "^2026" }),
        wins: "would-downgrade",
        because: "a number is higher also where the pattern leaves it out",
      },
      {
        runs: "latest",
        tags: ["20260101", "20260102"],
        filter: filter({ pattern: "^2026" }),
        wins: "20260102",
        because: "a word is not",
      },
      {
        runs: "10-hotfix",
        tags: ["9", "11"],
        wins: "current-tag-not-comparable",
        because: "it may be the tenth or later",
      },
      { runs: "v10", tags: ["9"], wins: "current-tag-not-comparable", because: "it may be the tenth" },
      { runs: "build-10", tags: ["9"], wins: "current-tag-not-comparable", because: "wherever the number stands" },
      { runs: "1.2.3", tags: ["20240101"], wins: "current-tag-not-comparable", because: "versions are no numbers" },
      { runs: "20240101b", tags: ["20240101"], wins: "current-tag-not-comparable", because: "letters may count" },
      { runs: "v10", tags: ["v9"], wins: "no-tag-fits", because: "no number is there" },
      { runs: "v10", tags: ["9"], allowDowngrade: true, wins: "9", because: "that is allowed" },
    ],
    { kind: "numerical", order: "asc" },
  );

  it("in descending order selects no lower number if the running tag can't be read", () => {
    const policy = { kind: "numerical", order: "desc" } as const;

    expect(select({ runs: "v10", tags: ["9"], wins: "", because: "" }, policy)).toBe("current-tag-not-comparable");
    expect(select({ runs: "main", tags: ["9", "8"], wins: "", because: "" }, policy)).toBe("8");
  });
});
