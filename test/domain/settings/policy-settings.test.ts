import { describe, expect, it } from "vitest";
import { mayNamePattern, parseSettings } from "#domain/settings/settings";
import { selectTag } from "#domain/policy/policy";
import { currentImage } from "#domain/update/decide/desired-image";
import { annotated } from "../builders.ts";
import { compile, tag } from "../policy/matchers.ts";

const app = { list: "containers", name: "app", image: "nginx:1.27.0" } as const;

/** What the annotations of a workload make its container select; `=` before a tag that stays. */
function selected(written: Record<string, string>, tags: readonly string[]): string {
  const settings = parseSettings(annotated(written), [app], compile);
  expect(settings.problems).toEqual([]);
  const selection = selectTag(settings.containers.app!, currentImage(app), tags.map(tag));
  if (selection.kind === "none") return selection.reason;
  return selection.kind === "unchanged" ? `=${selection.tag}` : selection.tag;
}

describe("settings of a policy", () => {
  it.each([
    {
      written: { "exclude-tags": "*.1, 1.3?.*" },
      tags: ["1.28.0", "1.28.1", "1.30.0"],
      wins: "1.28.0",
      because: "excluded tags are none",
    },
    {
      written: { "include-tags": "1.28.*,2.*" },
      tags: ["1.28.0", "1.29.0"],
      wins: "1.28.0",
      because: "one of the globs has to match",
    },
    {
      written: { "include-tags": "*", "exclude-tags": "*" },
      tags: ["1.28.0"],
      wins: "no-tag-fits",
      because: "what is excluded is not included",
    },
    {
      written: { policy: "digest", "exclude-tags": "1.27.*" },
      tags: [],
      wins: "no-tag-fits",
      because: "an excluded tag is not followed",
    },
    {
      written: { "semver-range": ">=1 <1.29" },
      tags: ["1.28.0", "1.30.0"],
      wins: "1.28.0",
      because: "a range limits versions",
    },
    { written: { policy: "alphabetical" }, tags: ["1.28.0", "1.9.0"], wins: "1.9.0", because: "texts are compared" },
    {
      written: { policy: "numerical", "allow-downgrade": "true" },
      tags: ["7", "12"],
      wins: "12",
      because: "numbers are compared",
    },
    {
      written: { "exclude-tags": "*", "container.app.exclude-tags": "2.*" },
      tags: ["1.28.0", "2.0.0"],
      wins: "1.28.0",
      because: "what a container has of its own wins",
    },
    {
      written: { policy: "latest", "exclude-tags": "dev" },
      tags: ["1.27.0@1", "main@2", "dev@3"],
      wins: "main",
      because: "what moved last wins among those that are not excluded",
    },
    {
      written: { policy: "latest", order: "newest" },
      tags: ["1.27.0@1", "main@2"],
      wins: "main",
      because: "an order may repeat what the policy says",
    },
    {
      written: { policy: "numerical", order: "numerical", "allow-downgrade": "true" },
      tags: ["7", "12"],
      wins: "12",
      because: "so may it beside numbers",
    },
    {
      written: { policy: "alphabetical", order: "alphabetical" },
      tags: ["1.28.0", "1.9.0"],
      wins: "1.9.0",
      because: "and beside texts",
    },
    {
      written: { policy: "regex", "tag-pattern": "^1\\." },
      tags: ["1.27.0@1", "1.5@2", "main@3"],
      wins: "1.5",
      because: "of the matches that moved last",
    },
    {
      written: { policy: "regex", "tag-pattern": "^1\\.", order: "alphabetical" },
      tags: ["1.30@1", "1.9", "2"],
      wins: "1.9",
      because: "of the matches that sorts last",
    },
    {
      written: {
        policy: "regex",
        "tag-pattern": "^1\\.(?P<minor>[0-9]+)",
        "filter-extract": "$minor",
        order: "numerical",
      },
      tags: ["1.28@3", "1.100", "1.30@4"],
      wins: "1.100",
      because: "of the matches whose extracted number is highest",
    },
    {
      written: { "tag-pattern": "^(.*)-prod$|^1.27.0$", "filter-extract": "$1" },
      tags: ["1.28.0", "1.29.0-prod"],
      wins: "1.29.0-prod",
      because: "what runs is a version without the template too",
    },
    {
      written: { "tag-pattern": "^1[.](28|27)" },
      tags: ["1.28.0", "1.29.0"],
      wins: "1.28.0",
      because: "beside versions a pattern filters",
    },
    {
      written: { policy: "latest", "container.app.policy": "regex", "container.app.tag-pattern": "^m" },
      tags: ["1.27.0@1", "main@2", "dev@3"],
      wins: "main",
      because: "a container may have a pattern of its own",
    },
  ])("$written → $wins: $because", ({ written, tags, wins }) => {
    expect(selected(written as Record<string, string>, tags)).toBe(wins);
  });

  it("are shown in one text", () => {
    const textOf = (written: Record<string, string>) =>
      parseSettings(annotated(written), [app], compile).containers.app?.policyText;

    expect(textOf({ "semver-range": ">=1", "include-tags": "1.*,2.*", "exclude-tags": "*-debug" })).toBe(
      "semver >=1, include 1.* 2.*, exclude *-debug",
    );
    expect(textOf({ policy: "numerical", "exclude-tags": "*0" })).toBe("numerical, exclude *0");
    expect(textOf({ "tag-pattern": "^v(.*)", "filter-extract": "$1", "semver-range": "~1" })).toBe(
      "semver ~1, pattern ^v(.*), extract $1",
    );
    expect(textOf({ policy: "regex", "tag-pattern": "^b-([0-9]+)", "filter-extract": "$1", order: "numerical" })).toBe(
      "regex ^b-([0-9]+), extract $1, order numerical",
    );
    expect(textOf({ policy: "latest", order: "newest" })).toBe("latest");
    expect(textOf({ policy: "numerical", order: "numerical" })).toBe("numerical");
    expect(textOf({ policy: "regex", "tag-pattern": "^b" })).toBe("regex ^b");
  });
});

describe("invalid patterns", () => {
  const problemsOf = (written: Record<string, string>, given: typeof compile | undefined = compile) =>
    parseSettings(annotated(written), [app], given).problems.map(({ key, message, closes }) => [key, message, closes]);

  it.each([
    {
      written: { "tag-pattern": "v(" },
      is: ["lookout.dev/tag-pattern", "not a pattern (character 2: missing closing ))"],
      because: "a bracket is open",
    },
    {
      written: { policy: "regex" },
      is: ["lookout.dev/policy", "regex needs a pattern: add lookout.dev/tag-pattern"],
      because: "every tag would match",
    },
    {
      written: { policy: "regex", "filter-extract": "$1" },
      is: ["lookout.dev/policy", "regex needs a pattern: add lookout.dev/tag-pattern"],
      because: "nothing else is to mend",
    },
    {
      written: { "filter-extract": "$1" },
      is: ["lookout.dev/filter-extract", "not a template (a template needs a pattern with groups)"],
      because: "a template takes groups of a pattern",
    },
    {
      written: { "tag-pattern": "^v", "filter-extract": "$" },
      is: [
        "lookout.dev/filter-extract",
        "not a template (character 1: no name follows the dollar sign; write $$ for a dollar sign)",
      ],
      because: "a dollar sign stands alone",
    },
    {
      written: { "tag-pattern": "^v(?P<ver>.*)$", "filter-extract": "$vers" },
      is: ["lookout.dev/filter-extract", "not a template (character 1: the pattern has no group vers)"],
      because: "the group is misspelt",
    },
    {
      written: { policy: "regex", "tag-pattern": "^v(.*)$", "filter-extract": "$1.$2" },
      is: ["lookout.dev/filter-extract", "not a template (character 4: the pattern has no group 2)"],
      because: "the pattern has one group only",
    },
    {
      written: { "tag-pattern": "v(", "filter-extract": "$vers" },
      is: ["lookout.dev/tag-pattern", "not a pattern (character 2: missing closing ))"],
      because: "the groups of a pattern that can't be read are not known",
    },
    {
      written: { order: "newest" },
      is: ["lookout.dev/order", "needs the policy regex, but the policy is semver"],
      because: "the highest version would be taken for the newest tag",
    },
    {
      written: { policy: "latest", order: "numerical" },
      is: ["lookout.dev/order", "needs the policy regex, but the policy is latest"],
      because: "they contradict each other",
    },
    {
      written: { policy: "latest", "semver-range": "<2" },
      is: ["lookout.dev/semver-range", "needs the policy semver, but the policy is latest"],
      because: "the range was meant to limit something",
    },
    {
      written: { "semver-range": " || " },
      is: ["lookout.dev/semver-range", "not a range (empty; * matches any version)"],
      because: "a template with two values that are missing leaves it behind",
    },
    {
      written: { "semver-range": " " },
      is: ["lookout.dev/semver-range", "not a range (empty; * matches any version)"],
      because: "a template without a value leaves it behind",
    },
    {
      written: { policy: "digest", "semver-range": "<2 >" },
      is: ["lookout.dev/semver-range", "not a range (character 5)"],
      because: "it can't be read either",
    },
    {
      written: { policy: "latest", "container.app.semver-range": "<2" },
      is: ["lookout.dev/container.app.semver-range", "needs the policy semver, but the policy is latest"],
      because: "the container has no policy of its own",
    },
    {
      written: { "container.app.policy": "digest", "container.app.semver-range": "<2" },
      is: ["lookout.dev/container.app.semver-range", "needs the policy semver, but the policy is digest"],
      because: "both are the container's own",
    },
    {
      written: { "container.app.policy": "latest", "container.app.allow-prerelease": "true" },
      is: ["lookout.dev/container.app.allow-prerelease", "needs the policy semver, but the policy is latest"],
      because: "the tag that moved last may be anything",
    },
    {
      written: { "container.app.policy": "numerical", "container.app.order": "alphabetical" },
      is: ["lookout.dev/container.app.order", "needs the policy regex, but the policy is numerical"],
      because: "they contradict each other in one container",
    },
    {
      written: { policy: "alphabetical", "allow-prerelease": "false" },
      is: ["lookout.dev/allow-prerelease", "needs the policy semver, but the policy is alphabetical"],
      because: "texts have no pre-releases",
    },
    {
      written: { policy: "regex", "tag-pattern": "^v", order: "desc" },
      is: ["lookout.dev/order", "expected one of newest, alphabetical, numerical"],
      because: "there is no such order",
    },
  ])("$written: $because", ({ written, is }) => {
    expect(problemsOf(written as Record<string, string>)).toEqual([[...is, true]]);
  });

  it.each([
    { "semver-range": "<2", "container.app.policy": "digest" },
    { "allow-prerelease": "true", "container.app.policy": "latest" },
    { policy: "regex", "tag-pattern": "^v", order: "numerical", "container.app.policy": "semver" },
    { policy: "semver", "semver-range": "<2" },
  ])("%j: the workload's other containers have no problem", (written) => {
    expect(problemsOf(written as unknown as Record<string, string>)).toEqual([]);
  });

  it("leave an image without a tag alone, also with allow-prerelease", () => {
    const bare = [{ ...app, image: "nginx" }];
    const { problems } = parseSettings(annotated({ "allow-prerelease": "true" }), bare, compile);

    expect(problems.filter(({ closes }) => closes)).toEqual([]);
  });

  it("match no tag", () => {
    const written = { policy: "regex", "tag-pattern": "v(" };
    const settings = parseSettings(annotated(written), [app], compile);

    expect(selectTag(settings.containers.app!, currentImage(app), ["v1@2", "1.27.0@1"].map(tag)).kind).toBe("none");
    expect(
      selectTag(parseSettings(annotated({ policy: "regex" }), [app], compile).containers.app!, currentImage(app), [])
        .kind,
    ).toBe("none");
  });

  it("close updates without a pattern engine", () => {
    const parsed = parseSettings(annotated({ "tag-pattern": "^v" }), [app]);

    expect(parsed.problems).toEqual([
      { key: "lookout.dev/tag-pattern", value: "^v", message: "patterns can't be compiled here", closes: true },
    ]);
  });

  it("load an engine only for a possible pattern", () => {
    expect(mayNamePattern(annotated({ "container.app.tag-pattern": "^v" }))).toBe(true);
    expect(mayNamePattern(annotated({ containers: '{"app":{"tag-pattern":"^v"}}' }))).toBe(true);
    expect(mayNamePattern({ ...annotated({ policy: "latest" }), "example.com/tag-pattern": "^v" })).toBe(false);
  });
});
