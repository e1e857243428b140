import { describe, expect, it } from "vitest";
import { agreedAttributes, imageAttributes, reservedGroups } from "#domain/policy/attributes";
import type { SelectionRule } from "#domain/policy/policy";
import { filter } from "./matchers.ts";

const image = (tag: string) => ({ imageName: "registry.test/shop/web", tag });
const rule = (pattern: string): SelectionRule => ({
  policy: { kind: "numerical", order: "asc" },
  filter: filter({ pattern }),
  allowDowngrade: false,
});

describe("the attributes of an image", () => {
  it("are ten named groups at most, its tag and its name", () => {
    const letters = Array.from("abcdefghijkl");
    const pattern = `^${letters.map((letter) => `(?P<${letter}>.)`).join("")}$`;
    const groups = letters.slice(0, 10).map((letter) => [letter, letter]);

    expect(imageAttributes(rule(pattern), image("abcdefghijkl"))).toEqual({
      ...Object.fromEntries(groups),
      tag: "abcdefghijkl",
      name: "registry.test/shop/web",
    });
  });

  it.each([
    { pattern: "^(.*)$", because: "the group has no name" },
    { pattern: "^(?P<tag>.*)$", because: "the image has the tag" },
    { pattern: "^(?P<end_>.*)$", because: "a key of Kubernetes can't end so" },
  ])("are none for $pattern, because $because", ({ pattern }) => {
    expect(imageAttributes(rule(pattern), image("1.0.0"))).toBeUndefined();
  });

  it("of two containers count once if they are equal, and are left out if they differ", () => {
    const six = Array.from("abcdef").map((letter) => [letter, letter] as const);
    const other = [["g", "of the second container"]] as const;

    expect(agreedAttributes([...six, ...six, ...other])).toEqual([...six, ...other]);
    expect(agreedAttributes([...six, ["a", "another value"]])).toEqual(six.slice(1));
  });

  it("of reserved groups are named", () => {
    expect(reservedGroups(rule("^(?P<name>[a-z]+)-(?P<pr>[0-9]+)-(?P<tag>.*)$"))).toEqual(["tag", "name"]);
    expect(reservedGroups(rule("^(?P<pr>.*)$"))).toEqual([]);
  });
});
