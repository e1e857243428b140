import { describe, expect, it } from "vitest";
import { lift } from "#domain/update/unblock";
import { aPending, aRecord, aRolling, aRollingBack, digest, noon, repository, step } from "../builders.ts";

const hold = { reason: "reverted-by-user", at: noon, seq: 1, detail: "x" } as const;
const refusal = { repository, digest: digest("1"), tag: "1.1.0", reason: "rollout-failed", seq: 1, at: noon } as const;

describe("a lift", () => {
  it("takes the hold and the refusals, and says who lifted what", () => {
    expect(lift(aRecord({ hold, refusals: [refusal] }), "ann", step())).toEqual({
      ...aRecord(),
      version: 6,
      cause: "test",
      changedAt: noon,
      needsEvaluation: true,
      dueAt: noon + 60_000,
      transitions: [
        { seq: 0, what: "unblocked", reasons: [], changes: [], detail: `hold, ${repository}:1.1.0; by ann` },
      ],
    });
  });

  it.each([
    { record: aRecord({ hold }), detail: "hold; by ann" },
    { record: aRecord({ refusals: [refusal] }), detail: `${repository}:1.1.0; by ann` },
  ])("names $detail", ({ record, detail }) => {
    expect(lift(record, "ann", step())?.transitions).toMatchObject([{ detail }]);
  });

  it("changes nothing where nothing is to be lifted", () => {
    expect(lift(aRecord({ seq: 1, active: aRolling(), pending: aPending() }), "ann", step())).toBeUndefined();
  });

  it("leaves the refusal of what is being rolled back at this moment", () => {
    const older = { ...refusal, digest: digest("2"), tag: "1.0.9", seq: 1 } as const;
    const record = aRecord({ seq: 2, active: aRollingBack({ seq: 2 }), refusals: [older, { ...refusal, seq: 2 }] });

    expect(lift(record, "ann", step())).toMatchObject({
      refusals: [{ ...refusal, seq: 2 }],
      transitions: [{ detail: `${repository}:1.0.9; by ann` }],
    });
    expect(lift({ ...record, refusals: [{ ...refusal, seq: 2 }] }, "ann", step())).toBeUndefined();
    expect(lift({ ...record, active: aRolling({ seq: 2 }) }, "ann", step())?.refusals).toEqual([]);
  });

  it("leaves what is open alone", () => {
    expect(
      lift(aRecord({ seq: 2, active: aRolling(), pending: aPending({ seq: 2 }), hold }), "ann", step()),
    ).toMatchObject({ active: aRolling(), pending: aPending({ seq: 2 }) });
  });
});
