import { unblock as unblockBy } from "./decisions.ts";
import { describe, expect, it } from "vitest";
import { type ApprovalRules, noRules } from "#domain/approval/approvers";
import { digestsNamed } from "#domain/update/decide/unblock";
import { aPending, aRecord, aRolling, aRollingBack, digest, noon, imageName } from "../builders.ts";

const hold = { reason: "reverted-by-user", at: noon, seq: 1, detail: "x" } as const;
const failedDigest = {
  imageName,
  digest: digest("1"),
  tag: "1.1.0",
  reason: "rollout-failed",
  seq: 1,
  at: noon,
} as const;

/** Unblocks as ann, where lookout.yaml names nobody. */
const unblock = (record: Parameters<typeof unblockBy>[0]) => unblockBy(record, { by: "ann" }, noRules);

describe("an unblock", () => {
  it("ends the hold, unblocks the digests, and records the user", () => {
    expect(unblock(aRecord({ hold, blocked: [failedDigest] }))).toEqual({
      ...aRecord(),
      version: 6,
      cause: "test",
      changedAt: noon,
      needsEvaluation: true,
      effects: { dueAt: noon + 60_000 },
      transitions: [
        {
          action: { what: "unblock", by: "ann" },
          seq: 0,
          what: "unblocked",
          reasons: [],
          changes: [],
          detail: `hold, ${imageName}:1.1.0 @ ${digest("1")}; by ann`,
        },
      ],
    });
  });

  it.each([
    { record: aRecord({ hold }), detail: "hold; by ann" },
    { record: aRecord({ blocked: [failedDigest] }), detail: `${imageName}:1.1.0 @ ${digest("1")}; by ann` },
  ])("names $detail", ({ record, detail }) => {
    expect(unblock(record)?.transitions).toMatchObject([{ detail }]);
  });

  it("changes nothing without a hold and a blocked digest", () => {
    expect(unblock(aRecord({ seq: 1, active: aRolling(), pending: aPending() }))).toBeUndefined();
  });

  it("keeps the digest blocked that is being rolled back", () => {
    const older = { ...failedDigest, digest: digest("2"), tag: "1.0.9", seq: 1 } as const;
    const record = aRecord({ seq: 2, active: aRollingBack({ seq: 2 }), blocked: [older, { ...failedDigest, seq: 2 }] });

    expect(unblock(record)).toMatchObject({
      blocked: [{ ...failedDigest, seq: 2 }],
      transitions: [{ detail: `${imageName}:1.0.9 @ ${digest("2")}; by ann` }],
    });
    expect(unblock({ ...record, blocked: [{ ...failedDigest, seq: 2 }] })).toBeUndefined();
    expect(unblock({ ...record, active: aRolling({ seq: 2 }) })?.blocked).toEqual([]);
  });

  it("lifts a rejection only for deciders, or if there are no deciders", () => {
    const rules: ApprovalRules = { ...noRules, people: [{ name: "ana", iam: [] }] };
    const rejected = { ...failedDigest, reason: "approval-rejected" } as const;
    const record = aRecord({ blocked: [failedDigest, rejected] });
    const blockedAfter = (person?: string) =>
      unblockBy(record, { by: "ana", ...(person === undefined ? {} : { person }) }, rules)?.blocked;

    expect(blockedAfter()).toEqual([rejected]);
    expect(blockedAfter("eva")).toEqual([rejected]);
    expect(blockedAfter("ana")).toEqual([]);
    expect(unblock(record)?.blocked).toEqual([]);
  });

  const older = { ...failedDigest, digest: digest("2"), tag: "1.0.9" } as const;
  const takenOff = {
    ...{ imageName, digest: digest("3"), tag: "1.0.8", image: "x", manager: "helm" },
    ...{ at: noon, isDoubtful: false },
  } as const;

  it("of one digest unblocks only this digest, and keeps the hold", () => {
    const record = aRecord({ hold, blocked: [failedDigest, older], restored: [takenOff] });
    const after = unblockBy(record, { by: "ann" }, noRules, { kind: "digest", digest: digest("2") });

    expect(after).toMatchObject({
      hold,
      blocked: [failedDigest],
      restored: [takenOff],
      needsEvaluation: true,
      transitions: [{ detail: `${imageName}:1.0.9 @ ${digest("2")}; by ann` }],
    });
  });

  it("of one digest may name a digest that an applied manifest took off, or that is being rolled back", () => {
    const record = aRecord({
      ...{ seq: 2, active: aRollingBack({ seq: 2 }) },
      ...{ blocked: [{ ...failedDigest, seq: 2 }], restored: [takenOff] },
    });
    const of = (text: string) => unblockBy(record, { by: "ann" }, noRules, { kind: "digest", digest: digest(text) });

    expect(of("3")).not.toHaveProperty("restored");
    expect(of("3")?.blocked).toEqual(record.blocked);
    expect(of("1")?.blocked).toEqual([]);
    expect(of("4")).toBeUndefined();
  });

  it("of the hold keeps all digests", () => {
    const record = aRecord({ hold, blocked: [failedDigest], restored: [takenOff] });
    const after = unblockBy(record, { by: "ann" }, noRules, { kind: "hold" });

    expect(after).not.toHaveProperty("hold");
    expect(after).toMatchObject({
      blocked: [failedDigest],
      restored: [takenOff],
      transitions: [{ detail: "hold; by ann" }],
    });
    expect(unblockBy(aRecord({ blocked: [failedDigest] }), { by: "ann" }, noRules, { kind: "hold" })).toBeUndefined();
  });

  it("does not change an open update", () => {
    expect(unblock(aRecord({ seq: 2, active: aRolling(), pending: aPending({ seq: 2 }), hold }))).toMatchObject({
      active: aRolling(),
      pending: aPending({ seq: 2 }),
    });
  });
});

describe("a text", () => {
  const whole = (start: string) => `sha256:${start.padEnd(64, "0")}`;
  const held = [
    { imageName, tag: "1.1.0", digest: whole("aaaaaaaaaaaa1") },
    { imageName, tag: "1.1.0", digest: whole("aaaaaaaaaaaa2") },
    { imageName, tag: "1.2.0", digest: whole("bbbbbbbbbbbb") },
    { imageName, tag: "1.2.0", digest: whole("bbbbbbbbbbbb") },
    { imageName, tag: "bbbbbbbbbbbb", digest: whole("cccccccccccc") },
  ];
  const [first, second, third, , fifth] = held;

  it.each([
    { because: "a whole digest names it", text: whole("aaaaaaaaaaaa1"), named: [first] },
    { because: "twelve digits name a digest", text: "cccccccccccc", named: [fifth] },
    { because: "the algorithm may come first", text: "sha256:aaaaaaaaaaaa2", named: [second] },
    { because: "another algorithm is another digest", text: "sha512:aaaaaaaaaaaa2", named: [] },
    { because: "a beginning of two digests names both", text: "aaaaaaaaaaaa", named: [first, second] },
    { because: "eleven digits are too few", text: "ccccccccccc", named: [] },
    { because: "the algorithm is no digit", text: "sha256:ccccccccccc", named: [] },
    { because: "digits in the middle name nothing", text: "aaaaaaaaaaa1", named: [] },
    { because: "a tag of two digests names both", text: "1.1.0", named: [first, second] },
    { because: "a tag of one digest names it once", text: "1.2.0", named: [third] },
    { because: "a beginning of a tag names nothing", text: "1.2", named: [] },
    { because: "a tag that looks like digits may name two digests", text: "bbbbbbbbbbbb", named: [third, fifth] },
    { because: "capital letters are no digits", text: "CCCCCCCCCCCC", named: [] },
  ])("names blocked digests: $because", ({ text, named }) => {
    expect(digestsNamed(text, held)).toEqual(named);
  });
});
