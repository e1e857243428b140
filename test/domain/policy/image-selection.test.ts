import { describe, expect, it } from "vitest";
import { selectImage } from "#domain/policy/image-selection";
import type { SelectionRule } from "#domain/policy/policy";
import { filter, minute, pattern } from "./matchers.ts";

const semver: SelectionRule = { policy: { kind: "semver", allowPrerelease: false }, allowDowngrade: false };
const follow: SelectionRule = { policy: { kind: "digest" }, allowDowngrade: false };

describe("a selected image", () => {
  it("is reported with its digest, and each other tag with its rejection", () => {
    expect(
      selectImage(semver, { tag: "1.0.0" }, ["1.0.0", { name: "1.1.0", digest: "sha256:1" }, "main"]),
    ).toStrictEqual({
      selection: { kind: "selected", tag: "1.1.0", digest: "sha256:1", attributes: { tag: "1.1.0" } },
      rejected: [{ tag: "main", reason: "not-a-version" }],
    });
  });

  it("is missing for the reason of the selection", () => {
    expect(selectImage(semver, { tag: "1.0.0" }, []).selection).toStrictEqual({ kind: "none", reason: "no-tag-fits" });
  });

  it.each([
    { runs: "sha256:1", listed: "sha256:2", kind: "selected", digest: "sha256:2", because: "the digest moved" },
    { runs: "sha256:1", listed: "sha256:1", kind: "unchanged", digest: "sha256:1", because: "it did not" },
    { runs: undefined, listed: "sha256:1", kind: "unchanged", digest: "sha256:1", because: "nobody knows what runs" },
    {
      runs: "sha256:1",
      listed: undefined,
      kind: "unchanged",
      digest: "sha256:1",
      because: "nobody knows what the tag names",
    },
  ])("of the running tag is $kind: $because", ({ runs, listed, kind, digest }) => {
    const current = { tag: "main", ...(runs === undefined ? {} : { digest: runs }) };
    const tag = listed === undefined ? "main" : { name: "main", digest: listed };

    expect(selectImage(follow, current, [tag, "dev"]).selection).toStrictEqual({
      kind,
      tag: "main",
      digest,
      attributes: { tag: "main" },
    });
  });

  it("has the digest of the later observation", () => {
    const sayings = [
      { name: "main", digest: "sha256:2", movedAt: minute(2) },
      { name: "main", digest: "sha256:1", movedAt: minute(1) },
      { name: "dev", digest: "sha256:3", movedAt: minute(3) },
    ];

    expect(selectImage(follow, { tag: "main" }, sayings).selection).toMatchObject({ digest: "sha256:2" });
  });

  it("has no digest if none is known", () => {
    expect(selectImage(semver, { tag: "1.0.0", digest: "sha256:1" }, ["1.1.0"]).selection).toStrictEqual({
      kind: "selected",
      tag: "1.1.0",
      attributes: { tag: "1.1.0" },
    });
  });

  it("has the extracted value, and the groups of all patterns except reserved ones", () => {
    const rule: SelectionRule = {
      policy: { kind: "regex", pattern: pattern("^(?P<tag>[a-z]+)-(?P<name>.*)(?P<end>.)$") },
      filter: filter({ pattern: "(?P<number>[0-9]+)(?P<none>x)?", extract: "n$number" }),
      allowDowngrade: false,
    };

    expect(selectImage(rule, undefined, [{ name: "pr-7", movedAt: minute(1) }]).selection).toStrictEqual({
      kind: "selected",
      tag: "pr-7",
      extracted: "n7",
      attributes: { tag: "pr-7", number: "7", none: "", end: "7" },
    });
  });

  it("has no extracted value if the pattern does not match the running tag", () => {
    const rule: SelectionRule = { ...semver, filter: filter({ pattern: "^r-(.*)", extract: "$1" }) };

    expect(selectImage(rule, { tag: "1.0.0" }, ["r-1.0.0"]).selection).toStrictEqual({
      kind: "unchanged",
      tag: "1.0.0",
      attributes: { tag: "1.0.0" },
    });
  });
});
