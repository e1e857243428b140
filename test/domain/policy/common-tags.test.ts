import { describe, expect, it } from "vitest";
import { commonTags, type Listed, tagAlone } from "#domain/policy/common-tags";
import type { SelectionRule } from "#domain/policy/policy";

const semver: SelectionRule = { policy: { kind: "semver", allowPrerelease: false }, allowDowngrade: false };
const latest: SelectionRule = { policy: { kind: "latest" }, allowDowngrade: false };
const listed = (tag: string | undefined, tags: Listed["tags"], rule = semver): Listed => ({
  rule,
  current: tag === undefined ? {} : { tag },
  tags,
});

describe("the common tags of containers", () => {
  it.each<[string, readonly Listed[], readonly string[]]>([
    ["are none without containers", [], []],
    ["are all accepted tags of one container", [listed("1.0.0", ["1.1.0", "latest"])], ["1.1.0", "1.0.0"]],
    [
      "are in every repository",
      [listed("1.0.0", ["1.1.0", "1.2.0"]), listed("1.0.0", ["1.2.0", "1.3.0"])],
      ["1.2.0", "1.0.0"],
    ],
    [
      "are accepted by every policy",
      [listed("1.0.0", ["1.1.0", "2.0.0"]), listed("2.0.0", ["1.1.0", "2.0.0"])],
      ["2.0.0"],
    ],
    ["contain a running tag that the listing lacks", [listed("1.0.0", []), listed("1.0.0", [])], ["1.0.0"]],
    ["are none if nothing is common", [listed("1.0.0", ["1.1.0"]), listed("2.0.0", ["2.1.0"])], []],
    [
      "are the moved tags of a policy that compares moves",
      [
        listed("main-1", [{ name: "main-2", movedAt: 2_000 as never }, "main-3"], latest),
        listed(
          "main-1",
          [
            { name: "main-2", movedAt: 3_000 as never },
            { name: "main-3", movedAt: 4_000 as never },
          ],
          latest,
        ),
      ],
      ["main-2", "main-1"],
    ],
  ])("%s", (_, containers, expected) => {
    expect([...commonTags(containers)]).toEqual(expected);
  });
});

describe("the tag that a container gets alone", () => {
  it.each<[string, Listed, string | undefined]>([
    ["is a higher tag", listed("1.0.0", ["1.1.0"]), "1.1.0"],
    ["is not its running tag", listed("1.1.0", ["1.1.0"]), undefined],
    ["is none if no tag fits", listed("1.1.0", ["latest"]), undefined],
  ])("%s", (_, container, expected) => {
    expect(tagAlone(container)).toBe(expected);
  });
});
