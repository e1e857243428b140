import { describe, expect, it } from "vitest";
import { parseSettings } from "#domain/settings/settings";
import { loadPatternCompiler } from "#adapters/re2js/matcher";
import { annotated } from "../builders.ts";

const compile = await loadPatternCompiler();
const containers = [
  { list: "containers", name: "app", image: "registry.test/shop/api:1.0.0" },
  { list: "containers", name: "side", image: "registry.test/shop/side:1.0.0" },
] as const;
const parse = (settings: Record<string, string>) => parseSettings(annotated(settings), containers, compile);
const labelsOf = (settings: Record<string, string>) =>
  Object.entries(parse(settings).containers).map(([name, own]) => [name, own.attributeLabels]);

describe("attribute-labels", () => {
  it("name a label and an attribute, or one name for both", () => {
    expect(
      labelsOf({ "attribute-labels": " version = tag , pr,, digest=digest ", "tag-pattern": "^(?P<pr>.*)$" }),
    ).toEqual(
      ["app", "side"].map((name) => [
        name,
        [
          { key: "version", attribute: "tag" },
          { key: "pr", attribute: "pr" },
          { key: "digest", attribute: "digest" },
        ],
      ]),
    );
  });

  it("of a container replace those of the workload", () => {
    expect(labelsOf({ "attribute-labels": "version=tag", "container.side.attribute-labels": "side=tag" })).toEqual([
      ["app", [{ key: "version", attribute: "tag" }]],
      ["side", [{ key: "side", attribute: "tag" }]],
    ]);
  });

  it("are no problem if one of the containers has the attribute", () => {
    const settings = { "attribute-labels": "pr", "container.side.tag-pattern": "^(?P<pr>.*)$" };
    expect(parse(settings).problems).toEqual([]);
  });

  it.each([
    ["pull", '"pull" is no attribute of the image: expected one of tag, name, digest'],
    ["version=tga", '"tga" is no attribute of the image: expected one of tag, name, digest; did you mean tag?'],
    ["", "expected labels such as version=tag,pr"],
    [",", "expected labels such as version=tag,pr"],
    ["version=", '"version" names no attribute: expected labels such as version=tag,pr'],
    ["=tag", '"" is no name of a label: expected labels such as version=tag,pr'],
    ["a/b=tag", '"a/b" is no name of a label: expected labels such as version=tag,pr'],
    ["-a=tag", '"-a" is no name of a label: expected labels such as version=tag,pr'],
    [`${"a".repeat(64)}=tag`, `"${"a".repeat(64)}" is no name of a label: expected labels such as version=tag,pr`],
    ["a=tag=name", '"tag=name" is no attribute of the image: expected one of tag, name, digest'],
    ["a=tag,a=name", '"a" is named twice: name each label once'],
    [Array.from({ length: 11 }, (_, index) => `l${index}=tag`).join(), "11 labels, and at most 10 are allowed"],
  ])("%j is told, and holds no update", (text, message) => {
    const { problems, isWhole, unreadable } = parse({ "attribute-labels": text });

    expect(problems.map(({ key, message: told, closes }) => [key, told, closes])).toEqual([
      ["lookout.dev/attribute-labels", message, false],
    ]);
    expect([isWhole, unreadable]).toEqual([true, []]);
  });

  it("name the groups of the pattern among the attributes", () => {
    const { problems } = parse({
      "attribute-labels": "pull",
      "tag-pattern": "^pr-(?P<pr>[0-9]+)-(?P<digest>.*)$",
    });
    expect(problems.map(({ message }) => message)).toEqual([
      '"pull" is no attribute of the image: expected one of tag, name, digest, pr',
    ]);
  });

  it("of a container that is not tracked have no effect", () => {
    const { problems } = parse({ "container.side.attribute-labels": "version=tag", "container.side.enabled": "false" });
    expect(problems.map(({ message, closes }) => [message, closes])).toEqual([
      ["has no effect: no container that it concerns is tracked", false],
    ]);
  });
});
