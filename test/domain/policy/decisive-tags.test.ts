import fc from "fast-check";
import { expect, it } from "vitest";
import { newerSkippedTags } from "#domain/policy/newer-skipped";
import { decidingTags, selectTag } from "#domain/policy/policy";
import { adviseOn, decisiveTags } from "#domain/policy/suggestion";
import { anyCurrent, anyRule, anyTag } from "./selections.ts";

const anyParts = fc.array(fc.array(anyTag, { maxLength: 6 }), { maxLength: 6 });

it("a listing that is read in parts gives the selection and the advice of the whole", () => {
  fc.assert(
    fc.property(anyRule, fc.option(anyCurrent, { nil: undefined }), anyParts, (rule, current, parts) => {
      const tags = parts.flat();
      const kept = parts.reduce<ReturnType<typeof decisiveTags>>(
        (before, part) => decisiveTags(rule, current, [...before, ...part]),
        [],
      );
      const selection = selectTag(rule, current, tags);
      const selected = selection.kind === "none" ? undefined : selection.tag;
      const skippedOf = (some: typeof tags) =>
        newerSkippedTags(rule, current, some, selected)
          .map(({ tag, reason }) => `${tag} ${reason}`)
          .toSorted();

      expect(selectTag(rule, current, kept)).toEqual(selection);
      expect(skippedOf([...kept])).toEqual(skippedOf(tags));
      expect(adviseOn(rule, current, tags, kept)).toEqual(adviseOn(rule, current, tags));
    }),
  );
});

it("three tags at most decide a selection", () => {
  fc.assert(
    fc.property(anyRule, anyCurrent, fc.array(anyTag, { minLength: 4 }), (rule, current, tags) => {
      expect(decidingTags(rule, current, tags).length).toBeLessThanOrEqual(3);
    }),
  );
});
