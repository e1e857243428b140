import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nameOf } from "#domain/policy/candidate-tag";
import { filterTag, noFilter } from "#domain/policy/tag-filter";
import { electTag, explainElection } from "#domain/policy/policy";
import { anyCurrent, anyRule, anyTag } from "./elections.ts";

const anyTags = fc.array(anyTag, { maxLength: 10 });
/** Each tag once, as a registry lists them. */
const anyListing = fc.uniqueArray(anyTag, { maxLength: 10, selector: nameOf });

describe("any election, under any policy and filter,", () => {
  it("does not depend on the order of the tags, nor on repetitions", () => {
    fc.assert(
      fc.property(anyRule, anyCurrent, anyTags, fc.nat(), (rule, current, tags, turn) => {
        const middle = tags.length === 0 ? 0 : turn % tags.length;
        const turned = [...tags.slice(middle), ...tags.slice(0, middle)].reverse();

        expect(electTag(rule, current, [...turned, ...turned])).toEqual(electTag(rule, current, tags));
      }),
    );
  });

  it("elects a member that fits, and never one that is rejected", () => {
    fc.assert(
      fc.property(anyRule, anyCurrent, anyListing, (rule, current, tags) => {
        const { election, rejected } = explainElection(rule, current, tags);
        if (election.kind !== "elected") return;

        expect(tags.map(nameOf)).toContain(election.tag);
        expect(filterTag(rule.filter ?? noFilter, election.tag).ok).toBe(true);
        expect(rejected.map(({ tag }) => tag)).not.toContain(election.tag);
      }),
    );
  });

  it("rejects every tag where none fits, or where all that fit are older than what runs", () => {
    fc.assert(
      fc.property(anyRule, anyCurrent, anyTags, (rule, current, tags) => {
        const { election, rejected } = explainElection(rule, current, tags);
        if (election.kind !== "none" || !["no-tag-fits", "would-downgrade"].includes(election.reason)) return;

        expect(rejected.map(({ tag }) => tag)).toEqual([...new Set(tags.map(nameOf))]);
        expect(rejected.some(({ reason }) => reason === "older-than-current")).toBe(
          election.reason === "would-downgrade",
        );
      }),
    );
  });

  it("changes nothing once what it elected runs", () => {
    fc.assert(
      fc.property(anyRule, anyCurrent, anyTags, (rule, current, tags) => {
        const election = electTag(rule, current, tags);
        if (election.kind !== "elected") return;

        expect(electTag(rule, { tag: election.tag }, tags)).toEqual({ kind: "unchanged", tag: election.tag });
      }),
    );
  });

  it("never takes up what is older than what runs, unless that is allowed", () => {
    fc.assert(
      fc.property(anyRule, anyCurrent, anyTags, (rule, current, tags) => {
        const election = electTag({ ...rule, allowDowngrade: false }, current, tags);
        if (election.kind !== "elected" || current?.tag === undefined) return;

        const back = electTag({ ...rule, allowDowngrade: false }, { tag: election.tag }, [...tags, current.tag]);

        expect(back).toEqual({ kind: "unchanged", tag: election.tag });
      }),
    );
  });
});
