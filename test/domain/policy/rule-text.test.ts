import { describe, expect, it } from "vitest";
import type { CompilePattern } from "#domain/policy/tag-pattern";
import { hasPattern, readRule, writeRule, type WrittenRule } from "#domain/policy/rule-text";
import { selectTag } from "#domain/policy/policy";
import { compile, tag } from "./matchers.ts";

const semver = { kind: "semver" } as const;
const numerical = { kind: "numerical" } as const;

function problemOf(written: WrittenRule): unknown {
  const read = readRule(written, compile);
  return read.ok ? "none" : read.problem;
}

/** The tag that a rule selects, or the reason for none. */
function selected(written: WrittenRule, runs: string, ...tags: readonly string[]): string {
  const rule = readRule(written, compile);
  if (!rule.ok) throw new Error(rule.problem.message);
  const selection = selectTag(rule.value, { tag: runs }, tags.map(tag));
  return selection.kind === "none" ? selection.reason : selection.tag;
}

describe("a policy of a batch", () => {
  it("has safe defaults", () => {
    expect(selected({ policy: semver }, "1.2.0", "1.3.0-rc.1", "1.1.0")).toBe("would-downgrade");
    expect(selected({ policy: { ...semver, allowPrerelease: true } }, "1.2.0", "1.3.0-rc.1")).toBe("1.3.0-rc.1");
    expect(selected({ policy: semver, allowDowngrade: true }, "1.2.0", "1.1.0")).toBe("1.1.0");
    expect(selected({ policy: { ...semver, range: "<1.3" } }, "1.2.0", "1.2.1", "1.3.0")).toBe("1.2.1");
  });

  it("may name the order; the default selects the last", () => {
    expect(selected({ policy: numerical }, "5", "6", "7")).toBe("7");
    expect(selected({ policy: { ...numerical, order: "desc" } }, "5", "3", "4")).toBe("3");
    expect(selected({ policy: { kind: "alphabetical", order: "asc" } }, "a", "c", "b")).toBe("c");
  });

  it("may name every policy", () => {
    expect(selected({ policy: { kind: "latest" } }, "a", "b@2", "c@1")).toBe("b");
    expect(selected({ policy: { kind: "regex", pattern: "^c" } }, "a", "b@2", "c@1")).toBe("c");
    expect(selected({ policy: { kind: "digest" } }, "a", "a", "b")).toBe("a");
  });

  it("may have a filter, and a template with groups of either pattern", () => {
    const filter = { include: ["b*"], exclude: ["*x"], pattern: "([0-9]+)", extract: "$1" };

    expect(selected({ policy: numerical, filter }, "b1", "b2", "b3x", "c4")).toBe("b2");
    expect(
      selected({ policy: { kind: "regex", pattern: "^b(.*)" }, filter: { extract: "$1" } }, "b1", "b@2", "b2@1"),
    ).toBe("b2");
  });

  it.each([
    { written: { policy: { ...semver, range: "x y" } }, code: "range-invalid" },
    { written: { policy: { kind: "regex", pattern: "(" } }, code: "pattern-invalid" },
    { written: { policy: semver, filter: { include: ["a", "["] } }, code: "glob-invalid" },
    { written: { policy: semver, filter: { exclude: ["["] } }, code: "glob-invalid" },
    { written: { policy: semver, filter: { include: [] } }, code: "glob-invalid" },
    { written: { policy: semver, filter: { pattern: "(" } }, code: "pattern-invalid" },
    { written: { policy: semver, filter: { pattern: "a", extract: "$" } }, code: "extract-invalid" },
  ] as const)("is rejected with its fault: $written is $code", ({ written, code }) => {
    expect(problemOf(written)).toMatchObject({ code });
  });

  it("is rejected with a template that no pattern fills", () => {
    expect(problemOf({ policy: semver, filter: { extract: "$1" } })).toEqual({
      code: "extract-invalid",
      message: '"$1": not a template (a template needs a pattern with groups)',
    });
  });

  it("is rejected with a template of an unknown group, which the filter's pattern checks first", () => {
    const policy = { kind: "regex", pattern: "^(?P<branch>[a-z]+)-(?P<build>[0-9]+)$" } as const;

    expect(problemOf({ policy, filter: { extract: "$build" } })).toBe("none");
    expect(problemOf({ policy, filter: { extract: "$try" } })).toEqual({
      code: "extract-invalid",
      message: '"$try": not a template (character 1: the pattern has no group try)',
    });
    expect(problemOf({ policy, filter: { pattern: "^(?P<try>[a-z]+)", extract: "$build" } })).toEqual({
      code: "extract-invalid",
      message: '"$build": not a template (character 1: the pattern has no group build)',
    });
  });

  it("loads the pattern engine only for a pattern", () => {
    const none: CompilePattern = () => {
      throw new Error("asked");
    };

    expect(readRule({ policy: numerical, filter: { include: ["a"] } }, none)).toMatchObject({ ok: true });
    expect([
      hasPattern({ policy: semver }),
      hasPattern({ policy: semver, filter: { include: ["a"] } }),
      hasPattern({ policy: semver, filter: { pattern: "a" } }),
      hasPattern({ policy: { kind: "regex", pattern: "a" } }),
    ]).toEqual([false, false, true, true]);
  });
});

describe("a formatted policy", () => {
  it.each<WrittenRule>([
    { policy: { kind: "semver", allowPrerelease: false }, filter: {}, allowDowngrade: false },
    { policy: { kind: "semver", range: ">=1 <2", allowPrerelease: true }, filter: {}, allowDowngrade: true },
    { policy: { kind: "latest" }, filter: { include: ["v*"], exclude: ["*-rc*", "*-debug"] }, allowDowngrade: false },
    { policy: { kind: "digest" }, filter: { pattern: "^(a)" }, allowDowngrade: false },
    { policy: { kind: "regex", pattern: "^main-(\\d+)" }, filter: { extract: "$1" }, allowDowngrade: false },
    { policy: { kind: "alphabetical", order: "asc" }, filter: {}, allowDowngrade: false },
    {
      policy: { kind: "numerical", order: "desc" },
      filter: { pattern: "^main-(\\d+)", extract: "$1" },
      allowDowngrade: false,
    },
  ])("parses to itself: $policy.kind $filter", (written) => {
    const rule = readRule(written, compile);

    expect(rule.ok && writeRule(rule.value)).toEqual(written);
  });
});
