import { describe, expect, it } from "vitest";
import { type ApprovalRules, noRules } from "#domain/approval/approvers";
import { unblock as unblockBy } from "#domain/update/unblock";
import { aPending, aRecord, aRolling, aRollingBack, digest, noon, imageName, step } from "../builders.ts";

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
const unblock = (record: Parameters<typeof unblockBy>[0]) => unblockBy(record, { by: "ann" }, noRules, step());

describe("an unblock", () => {
  it("ends the hold, unblocks the digests, and records the user", () => {
    expect(unblock(aRecord({ hold, blocked: [failedDigest] }))).toEqual({
      ...aRecord(),
      version: 6,
      cause: "test",
      changedAt: noon,
      needsEvaluation: true,
      dueAt: noon + 60_000,
      transitions: [
        { seq: 0, what: "unblocked", reasons: [], changes: [], detail: `hold, ${imageName}:1.1.0; by ann` },
      ],
    });
  });

  it.each([
    { record: aRecord({ hold }), detail: "hold; by ann" },
    { record: aRecord({ blocked: [failedDigest] }), detail: `${imageName}:1.1.0; by ann` },
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
      transitions: [{ detail: `${imageName}:1.0.9; by ann` }],
    });
    expect(unblock({ ...record, blocked: [{ ...failedDigest, seq: 2 }] })).toBeUndefined();
    expect(unblock({ ...record, active: aRolling({ seq: 2 }) })?.blocked).toEqual([]);
  });

  it("lifts a rejection only for deciders, or if there are no deciders", () => {
    const rules: ApprovalRules = { ...noRules, people: [{ name: "ana", iam: [] }] };
    const rejected = { ...failedDigest, reason: "approval-rejected" } as const;
    const record = aRecord({ blocked: [failedDigest, rejected] });
    const blockedAfter = (person?: string) =>
      unblockBy(record, { by: "ana", ...(person === undefined ? {} : { person }) }, rules, step())?.blocked;

    expect(blockedAfter()).toEqual([rejected]);
    expect(blockedAfter("eva")).toEqual([rejected]);
    expect(blockedAfter("ana")).toEqual([]);
    expect(unblock(record)?.blocked).toEqual([]);
  });

  it("does not change an open update", () => {
    expect(unblock(aRecord({ seq: 2, active: aRolling(), pending: aPending({ seq: 2 }), hold }))).toMatchObject({
      active: aRolling(),
      pending: aPending({ seq: 2 }),
    });
  });
});
