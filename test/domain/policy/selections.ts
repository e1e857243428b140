import fc from "fast-check";
import type { CandidateTag } from "#domain/policy/candidate-tag";
import type { CurrentImage, SelectionRule, TagPolicy } from "#domain/policy/policy";
import { suffixRules } from "#domain/version/suffix";
import { filter, minute, pattern, range } from "./matchers.ts";

const part = fc.nat({ max: 3 }).map(String);

/** Names of tags that meet: versions in many spellings, builds, branches, and what is no tag. */
export const anyName = fc.oneof(
  { weight: 4, arbitrary: versionNames() },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom("main", "dev"), part, fc.constantFrom("", "1", "2", "02", "x"))
      .map((words) => words.join("-")),
  },
  { weight: 1, arbitrary: part },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...["latest", "nothing", "none", "20240101", "20240101.1", "20240102.3", "1.2.3.4", "01.2.3", "not a tag"],
      `sha256-${"0".repeat(64)}.sig`,
    ),
  },
);

function versionNames(): fc.Arbitrary<string> {
  const anyPart = fc.oneof(
    { weight: 6, arbitrary: part },
    { weight: 1, arbitrary: part.map((digits) => `0${digits}`) },
  );
  return fc
    .tuple(
      fc.constantFrom("", "", "", "", "v", "v", "release-", "alpine-", "alpine-v"),
      fc.array(anyPart, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(".")),
      fc.constantFrom("", "", "", "-rc1", "-rc.2", "-RC2", "b1"),
      fc.constantFrom("", "", "", "-alpine", "-alpine", "-alpine3.19", ".Final"),
      fc.constantFrom("", "", "", "-1", "-2", "_2", "-r1", "-r02", "-main.1", "-main-2", "-20240101", "-abc1234", "p1"),
    )
    .map((parts) => parts.join(""));
}

const anyInstant = fc.nat({ max: 4 }).map(minute);
const anyDigest = fc.constantFrom("sha256:a", "sha256:b");

/** Tags with what may be known of them. */
export const anyTag: fc.Arbitrary<CandidateTag> = fc.oneof(
  anyName,
  fc.record({ name: anyName, movedAt: anyInstant, digest: anyDigest }, { requiredKeys: ["name"] }),
  fc.record({ name: anyName, movedAt: anyInstant }),
);

/** What may run: nothing, an image of one digest alone, or a tag. */
export const anyCurrent: fc.Arbitrary<CurrentImage | undefined> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(undefined, { digest: "sha256:a" }) },
  {
    weight: 8,
    arbitrary: fc.record({ tag: anyName, movedAt: anyInstant, digest: anyDigest }, { requiredKeys: ["tag"] }),
  },
);

const anyOrder = fc.constantFrom("asc" as const, "desc" as const);

const anySuffixes = fc.constantFrom(...suffixRules);

/** Policies of every kind. */
export const anyPolicy: fc.Arbitrary<TagPolicy> = fc.oneof(
  fc.record(
    { kind: fc.constant("semver" as const), allowPrerelease: fc.boolean(), suffixes: anySuffixes },
    { requiredKeys: ["kind", "allowPrerelease"] },
  ),
  fc.record(
    {
      kind: fc.constant("semver" as const),
      allowPrerelease: fc.boolean(),
      suffixes: anySuffixes,
      range: fc
        .constantFrom(
          ...["*", ">=1", "^1", "~1.2", "<2 || 3.x", ">=1.0.0-rc.1", ">=1.0.0-alpine", ">=1.0.0-0", ">=01.02"],
          ...[">=1.0.0-1", ">=1.0.0-main.2 <3"],
        )
        .map(range),
    },
    { requiredKeys: ["kind", "allowPrerelease", "range"] },
  ),
  fc.constant({ kind: "latest" as const }),
  fc.record({
    kind: fc.constant("regex" as const),
    pattern: fc.constantFrom("^main-", "[0-9]$", "-(?P<n>[0-9]+)$").map(pattern),
  }),
  fc.record({ kind: fc.constantFrom("alphabetical" as const, "numerical" as const), order: anyOrder }),
  fc.constant({ kind: "digest" as const }),
);

const anyFilter = fc.constantFrom(
  filter({}),
  filter({ exclude: ["*-rc*", "[!0-9]*-1*"] }),
  filter({ include: ["main-*", "v*", "?"] }),
  filter({ pattern: "^(?P<branch>main|dev)-(?P<build>[0-9])-(?P<try>.*)$", extract: "$build" }),
  filter({ pattern: "^(?P<branch>main|dev)-(?P<build>[0-9])-(?P<try>.*)$", extract: "$try" }),
  filter({ pattern: "^v?(?P<v>[0-9.]+)", extract: "$v", exclude: ["*alpine"] }),
  filter({ pattern: "[0-9]" }),
  filter({ pattern: "^v|(?P<n>[0-9])", extract: "$n" }),
);

/** Rules of every policy, with and without filters. */
export const anyRule: fc.Arbitrary<SelectionRule> = fc.record(
  { policy: anyPolicy, allowDowngrade: fc.boolean(), filter: anyFilter },
  { requiredKeys: ["policy", "allowDowngrade"] },
);
