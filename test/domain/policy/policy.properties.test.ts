import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nameOf } from "#domain/policy/candidate-tag";
import { filterTag, noFilter } from "#domain/policy/tag-filter";
import { selectTag, explainSelection } from "#domain/policy/policy";
import { anyCurrent, anyRule, anyTag } from "./selections.ts";

const anyTags = fc.array(anyTag, { maxLength: 10 });
/** Each tag once, as a registry lists them. */
const anyListing = fc.uniqueArray(anyTag, { maxLength: 10, selector: nameOf });

/**
 * Rules that read suffixes in one way for any running tag. `-0` in a range means `semver` until a
 * tag with a flavour runs.
 */
const anySteadyRule = anyRule.map((rule): typeof rule => {
  const { policy } = rule;
  const isUnsteady = policy.kind === "semver" && policy.range?.namesFirstPrerelease === true;
  return isUnsteady ? { ...rule, policy: { suffixes: "semver", ...policy } } : rule;
});

describe("a selection under any policy and filter", () => {
  it("does not depend on the order or repetition of tags", () => {
    fc.assert(
      fc.property(anyRule, anyCurrent, anyTags, fc.nat(), (rule, current, tags, turn) => {
        const middle = tags.length === 0 ? 0 : turn % tags.length;
        const turned = [...tags.slice(middle), ...tags.slice(0, middle)].reverse();

        expect(selectTag(rule, current, [...turned, ...turned])).toEqual(selectTag(rule, current, tags));
      }),
    );
  });

  it("selects a matching tag, and never a rejected one", () => {
    fc.assert(
      fc.property(anyRule, anyCurrent, anyListing, (rule, current, tags) => {
        const { selection, rejected } = explainSelection(rule, current, tags);
        if (selection.kind !== "selected") return;

        expect(tags.map(nameOf)).toContain(selection.tag);
        expect(filterTag(rule.filter ?? noFilter, selection.tag).ok).toBe(true);
        expect(rejected.map(({ tag }) => tag)).not.toContain(selection.tag);
      }),
    );
  });

  it("rejects every tag if none matches, or if all matching tags are older", () => {
    fc.assert(
      fc.property(anyRule, anyCurrent, anyTags, (rule, current, tags) => {
        const { selection, rejected } = explainSelection(rule, current, tags);
        if (selection.kind !== "none" || !["no-tag-fits", "would-downgrade"].includes(selection.reason)) return;

        expect(rejected.map(({ tag }) => tag)).toEqual([...new Set(tags.map(nameOf))]);
        expect(rejected.some(({ reason }) => reason === "older-than-current")).toBe(
          selection.reason === "would-downgrade",
        );
      }),
    );
  });

  it("selects nothing new after its selection runs", () => {
    fc.assert(
      fc.property(anySteadyRule, anyCurrent, anyTags, (rule, current, tags) => {
        const selection = selectTag(rule, current, tags);
        if (selection.kind !== "selected") return;

        expect(selectTag(rule, { tag: selection.tag }, tags)).toEqual({ kind: "unchanged", tag: selection.tag });
      }),
    );
  });

  it("never selects an older tag unless that is allowed", () => {
    fc.assert(
      fc.property(anySteadyRule, anyCurrent, anyTags, (rule, current, tags) => {
        const selection = selectTag({ ...rule, allowDowngrade: false }, current, tags);
        if (selection.kind !== "selected" || current?.tag === undefined) return;

        const back = selectTag({ ...rule, allowDowngrade: false }, { tag: selection.tag }, [...tags, current.tag]);

        expect(back).toEqual({ kind: "unchanged", tag: selection.tag });
      }),
    );
  });
});
