import { describe, expect, it } from "vitest";
import { explainSelection } from "#domain/policy/policy";
import { filter, tag } from "./matchers.ts";

describe("a rejected tag", () => {
  it("is reported once, with the later observation", () => {
    const rule = { policy: { kind: "latest" }, allowDowngrade: false } as const;

    expect(explainSelection(rule, { tag: "b" }, [tag("a@2"), tag("a"), tag("b@1"), tag("c"), tag("c")])).toEqual({
      selection: { kind: "selected", tag: "a" },
      rejected: [{ tag: "c", reason: "push-time-unknown" }],
    });
  });

  it.each([
    { policy: { kind: "latest" }, tag: "a b@9", reason: "not-a-tag" },
    { policy: { kind: "latest" }, tag: `sha512-${"a".repeat(64)}`, reason: "describes-another-image" },
    { policy: { kind: "latest" }, tag: "a1", reason: "push-time-unknown" },
    { policy: { kind: "latest" }, tag: "a1@1", reason: "older-than-current" },
    { policy: { kind: "latest" }, tag: "x@9", reason: "not-included" },
    { policy: { kind: "latest" }, tag: "a-rc@9", reason: "excluded" },
    { policy: { kind: "alphabetical", order: "asc" }, tag: "a.b", reason: "pattern-does-not-match" },
    { policy: { kind: "alphabetical", order: "asc" }, tag: "a-", reason: "nothing-extracted" },
    { policy: { kind: "alphabetical", order: "asc" }, tag: "a1", reason: "older-than-current" },
    { policy: { kind: "numerical", order: "asc" }, tag: "ax", reason: "not-a-number" },
    { policy: { kind: "numerical", order: "asc" }, tag: "a1", reason: "older-than-current" },
    { policy: { kind: "semver", allowPrerelease: false }, tag: "ax", reason: "not-a-version" },
    { policy: { kind: "semver", allowPrerelease: false }, tag: "a1", reason: "older-than-current" },
  ] as const)("of $policy.kind is reported: $tag is $reason", ({ policy, tag: text, reason }) => {
    const written = { include: ["a*"], exclude: ["*rc"], pattern: "^a-?(?P<v>[a-z0-9]*)$", extract: "$v" };
    const rule = { policy, filter: filter(written), allowDowngrade: false };

    const { rejected } = explainSelection(rule, { tag: "a5" }, [tag("a5@5"), tag(text)]);

    expect(rejected).toEqual([{ tag: text.split("@")[0], reason }]);
    expect(explainSelection({ ...rule, allowDowngrade: true }, { tag: "a5" }, [tag(text)]).rejected).toEqual(
      reason === "older-than-current" ? [] : rejected,
    );
  });
});
