import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newerSkippedTags } from "#domain/policy/newer-skipped";
import { filterOf, type Selection, selectTag, type SelectionRule } from "#domain/policy/policy";
import { readRule } from "#domain/policy/rule-text";
import { adviseOn, suggestAnnotations } from "#domain/policy/suggestion";
import { filterTag } from "#domain/policy/tag-filter";
import { parseSettings, type SettingProblem } from "#domain/settings/settings";
import { anyPiecedTag } from "../version/tag-pieces.ts";
import { annotated } from "../builders.ts";
import { compile, read } from "./matchers.ts";
import { anyCurrent, anyRule, anyTag } from "./selections.ts";

/** The annotations of a workload besides the policy. */
interface Written {
  readonly suffixes?: "flavour" | "exact" | "revision" | "semver";
  readonly "semver-range"?: string;
  readonly "allow-prerelease"?: "true";
  readonly "tag-pattern"?: string;
}

const anyWritten: fc.Arbitrary<Written> = fc.oneof(
  fc.constant({}),
  fc.record(
    {
      suffixes: fc.constantFrom("flavour", "exact", "revision", "semver"),
      "semver-range": fc.constantFrom("*", ">=1", "^1", "<1.3", ">=1.0.0-0", ">=1.2.3-alpine", ">=1.2.0-1"),
      "allow-prerelease": fc.constant("true" as const),
      "tag-pattern": fc.constantFrom("^1[.]", "^main-", "[0-9]"),
    },
    { requiredKeys: [] },
  ),
);

/** Forms of tags: `N` is a number, `D` a date, `Y` a year, `H` a commit. */
const anyForm = fc.constantFrom(
  ...["N.N.N-alpineN.N", "N.N.N-debian-N-rN", "N.N.N-N", "N.N.N", "vN.N.N-H", "N.N.N.N-H", "N.N", "N.NN", "N-jre"],
  ...["main-D-H", "sha-H", "Y-0N-0N", "D", "build-N", "branch-N-H", "stable", "vD-H", "N.N.N-rc.N", "N.N.N-rcN-alpine"],
  ...["N.N.N-main.N", "N.N.N-N-gH", "N.N.N_N-jre", "N.x", "app-N.N.N-N", "release-N.N", "N.N.Nfoo", "Dx-N", "N.N.N-D"],
  ...["H", "N", "codename-D", "codename-D-slim", "N.N.N-rc.", "v", "r_N.N_x", "N.N.N-alpine", "N.N.N.Final", "gH"],
  ...["N.N.N-alpine-r_N", "N..N", "N.N.N-", "version-N", "N-N", "N.N.N.N.N.N.N", "N-0N", "main_N.N-H", "NNN.N-H"],
);
function filled(form: string): fc.Arbitrary<string> {
  return fc.array(fc.nat({ max: 3 }), { minLength: 12, maxLength: 12 }).map((numbers) => {
    let index = 0;
    const next = (): number => numbers[index++] ?? 0;
    return form.replaceAll(/[NDYH]/g, (letter) => {
      if (letter === "N") return String(next() + 1);
      if (letter === "D") return `2024010${next() + 1}`;
      return letter === "Y" ? `202${next()}` : `abc123${next()}${next()}`;
    });
  });
}
const anyScene = fc.tuple(fc.oneof({ weight: 9, arbitrary: anyForm }, anyPiecedTag), anyForm).chain(([form, other]) =>
  fc.record({
    running: filled(form),
    tags: fc.array(fc.oneof(filled(form), filled(form), filled(other), anyForm.chain(filled), anyPiecedTag), {
      minLength: 1,
      maxLength: 8,
    }),
  }),
);

/** The rule of a workload with these annotations, and their problems. */
function settingsOf(
  annotations: Readonly<Record<string, string>>,
  tag: string,
): { readonly rule: SelectionRule; readonly problems: readonly SettingProblem[] } {
  const app = { list: "containers", name: "app", image: `shop/api:${tag}` } as const;
  const { containers, problems } = parseSettings(annotated(annotations), [app], compile);
  const settings = containers["app"];
  if (settings === undefined) throw new Error("The container has no settings");
  const { policy, filter, allowDowngrade } = settings;
  return { rule: { policy, allowDowngrade, ...(filter && { filter }) }, problems };
}

const selectedBy = (selection: Selection): string | undefined =>
  selection.kind === "none" ? undefined : selection.tag;

describe("suggested annotations", () => {
  it("are valid beside the written ones, and follow a skipped tag or compare the running tag", () => {
    fc.assert(
      fc.property(anyWritten, anyScene, ({ suffixes, ...written }, { running, tags: others }) => {
        // A listing has the running tag too.
        const [current, tags] = [{ tag: running }, [...others, running]];
        const before = settingsOf({ policy: "semver", ...written, ...(suffixes && { suffixes }) }, running).rule;
        const annotations = suggestAnnotations(before, current, tags);
        fc.pre(annotations !== undefined);
        // Without a version to compare, the way to read suffixes has to go.
        const own = (annotations["policy"] ?? "semver") === "semver" && suffixes ? { suffixes } : {};
        const { rule, problems } = settingsOf({ policy: "semver", ...written, ...own, ...annotations }, running);
        const selection = selectTag(rule, current, tags);
        const skipped = newerSkippedTags(before, current, tags, selectedBy(selectTag(before, current, tags)));
        const isFollowed = (tag: string): boolean =>
          rule.policy.kind === "regex" ? filterTag(filterOf(rule), tag).ok : selectedBy(selection) === tag;
        // Another reading of a bound with a suffix may let in further tags.
        const mayFollowOther = selection.kind === "selected" && /-(?!0)/.test(written["semver-range"] ?? "");
        const isNewerFollowed = mayFollowOther || skipped.some(({ tag }) => isFollowed(tag));
        const works = skipped.length === 0 ? selection.kind !== "none" : isNewerFollowed;

        expect({ annotations, problems, works }).toEqual({ annotations, problems: [], works: true });
        if (selection.kind === "selected") expect(tags).toContain(selection.tag);
      }),
    );
  });

  it("are given for versions only, and never while the running tag is unknown", () => {
    fc.assert(
      fc.property(anyRule, anyCurrent, fc.array(anyTag, { maxLength: 8 }), (rule, current, tags) => {
        const advice = adviseOn(rule, current, tags);

        if (rule.policy.kind !== "semver" || current?.tag === undefined) expect(advice).toBeUndefined();
      }),
    );
  });

  it("do not depend on the order of the tags", () => {
    fc.assert(
      fc.property(anyWritten, anyScene, ({ suffixes, "semver-range": range }, { running, tags }) => {
        const rule = read(readRule({ policy: { kind: "semver", suffixes, range } }, compile));
        const unique = [...new Set(tags)];
        const advise = (listed: readonly string[]): ReturnType<typeof adviseOn> =>
          adviseOn(rule, { tag: running }, listed);
        const { skipped: one, annotations } = advise(unique) ?? {};
        const { skipped: other, annotations: others } = advise(unique.toReversed()) ?? {};

        expect({ ...other, annotations: others }).toEqual({ ...one, annotations });
      }),
    );
  });
});
