import { describe, expect, it } from "vitest";
import { selectTag, explainSelection } from "#domain/policy/policy";
import { holds } from "./deciding.ts";
import { filter, range } from "./matchers.ts";

describe("the semver policy behind a filter", () => {
  const release = filter({ pattern: "^release_(?P<v>.+)_[0-9]+$", extract: "$v" });

  holds(
    [
      {
        runs: "1.2.0",
        tags: ["1.3.0", "1.4.0"],
        filter: filter({ exclude: ["1.4.*"] }),
        wins: "1.3.0",
        because: "an excluded version is none",
      },
      {
        runs: "1.2.0",
        tags: ["1.3.0", "1.4.0"],
        filter: filter({ include: ["1.3.*", "2*"] }),
        wins: "1.3.0",
        because: "one of the globs has to match",
      },
      {
        runs: "release_1.2.0_7",
        tags: ["release_1.10.0_1", "release_1.9.0_9"],
        filter: release,
        wins: "release_1.10.0_1",
        because: "the extracted text is the version",
      },
      {
        runs: "release_1.2.0_7",
        tags: ["release_1.2.0_8"],
        filter: release,
        wins: "=release_1.2.0_7",
        because: "an equal version changes nothing",
      },
      {
        runs: "1.5.0",
        tags: ["release_1.4.0_1"],
        filter: release,
        wins: "would-downgrade",
        because: "a version is one without the pattern too",
      },
      {
        runs: "1.5.0",
        tags: ["release_1.6.0_2", "release_1.6.0_1"],
        filter: release,
        wins: "release_1.6.0_2",
        because: "of equal values without a known move the higher numbers win",
      },
      {
        policy: { kind: "semver", allowPrerelease: false, range: range(">=1") },
        runs: "v9.9.9",
        tags: ["app-1.0.0"],
        filter: filter({ pattern: "^(?:app-(?P<v>[0-9.]+)|v[0-9.]+)$", extract: "$v" }),
        wins: "would-downgrade",
        because: "also where the template leaves nothing of it",
      },
      {
        policy: { kind: "semver", allowPrerelease: false, range: range(">=1") },
        runs: "9.9.9-rc",
        tags: ["app-1.0.0"],
        filter: filter({ pattern: "-(?P<v>.+)$", extract: "$v" }),
        wins: "would-downgrade",
        because: "or what is no version",
      },
      {
        policy: { kind: "semver", allowPrerelease: false, range: range(">=1") },
        runs: "release_9-_4",
        tags: ["release_1.0.0_1"],
        filter: release,
        wins: "current-tag-not-comparable",
        because: "what the template makes of it looks like a version, and is none",
      },
      {
        policy: { kind: "semver", allowPrerelease: false, range: range(">=1") },
        runs: "9.x",
        tags: ["release_1.0.0_1"],
        filter: release,
        wins: "current-tag-not-comparable",
        because: "or it does so by itself, where the pattern does not match it",
      },
      {
        policy: { kind: "semver", allowPrerelease: false, range: range(">=1") },
        runs: "release_next_9",
        tags: ["release_1.0.0_1"],
        filter: release,
        wins: "release_1.0.0_1",
        because: "where neither does, nothing is lower",
      },
      {
        tags: ["1.2.0", "1.3.0-rc.1", "1.4"],
        wins: "1.2.0",
        because: "where nothing runs, the highest release of three parts is right",
      },
      {
        policy: { kind: "semver", allowPrerelease: false, range: range("<1") },
        tags: ["1.2.0"],
        wins: "no-tag-fits",
        because: "if the range has it",
      },
    ],
    { kind: "semver", allowPrerelease: false },
  );
});

describe("the digest policy behind a filter", () => {
  it("does not follow an excluded tag, listed or not", () => {
    const rule = { policy: { kind: "digest" }, filter: filter({ exclude: ["dev*"] }), allowDowngrade: false } as const;
    const none = { kind: "none", reason: "no-tag-fits" };

    expect([selectTag(rule, { tag: "dev1" }, ["dev1"]), selectTag(rule, { tag: "dev1" }, [])]).toEqual([none, none]);
    expect(explainSelection(rule, { tag: "dev1" }, ["dev1"]).rejected).toEqual([{ tag: "dev1", reason: "excluded" }]);
    expect(selectTag(rule, undefined, ["dev1"])).toEqual({ kind: "none", reason: "no-tag-to-follow" });
  });
});
