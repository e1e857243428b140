import { ok } from "#domain/shared/result";
import { propose } from "./decisions.ts";
import { describe, expect, it } from "vitest";
import type { ApprovalRules } from "#domain/approval/approvers";
import { bindingHash, bindingOf } from "#domain/approval/binding";
import { hours, plus } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { askAgain, type Ballot, vote } from "#domain/update/decide/vote";
import {
  decided,
  aChange,
  aPatching,
  aReleased,
  annotated,
  anObserved,
  aRecord,
  noon,
  openFacts,
  settingsOf,
} from "../builders.ts";
import { change, inputs } from "./proposing.ts";

const rules: ApprovalRules = {
  people: [
    { name: "ana", iam: [] },
    { name: "ben", iam: [] },
  ],
  approvers: [],
  namesAreProved: [],
};
const facts = { ...openFacts, approvalRules: rules };
const tracked = aRecord({
  observed: anObserved({ annotations: annotated({ "approval-required": "true", "approval-deadline": "24h" }) }),
});
const held = propose(tracked, inputs(tracked, [change()], { facts }), noon)!;
const hashOf = (record: WorkloadRecord) =>
  bindingHash(
    bindingOf({
      uid: record.uid,
      annotations: record.observed.annotations,
      update: { seq: 1, changes: [aChange()] },
    }),
  );

const ballot = (given: Partial<Ballot> = {}): Ballot => ({
  voter: { person: "ana", proof: { kind: "token" } },
  decision: "approve",
  seq: 1,
  bindingHash: hashOf(held),
  ...given,
});
const cast = (record: WorkloadRecord, given: Partial<Ballot> = {}, now = noon, votes = openFacts.votes) => {
  const voted = vote(record, ballot(given), { settings: settingsOf(record), facts: { ...facts, votes } }, now);
  if (!voted.ok || voted.value.kind === "repeated") return voted as Exclude<typeof voted, { ok: true }>;
  return ok({ kind: "counted" as const, record: decided(record, voted.value.decision, now) });
};
const problemOf = (...given: Parameters<typeof cast>) => {
  const voted = cast(...given);
  return voted.ok ? undefined : voted.problem;
};

describe("a held update that needs approval", () => {
  it("requests approval once, with its deadline", () => {
    expect(held.pending?.approval).toEqual({
      askedAt: noon,
      until: plus(noon, hours(24)),
      bindingHash: hashOf(held),
      approvedBy: [],
    });
    expect(held.transitions).toMatchObject([{ what: "held", approval: [{ what: "requested", people: [] }] }]);
    expect(held.effects.dueAt).toBeDefined();
  });
});

describe("a ballot", () => {
  it("stores the vote with the next version of the record", () => {
    const voted = cast(held);

    expect(voted).toMatchObject({
      ok: true,
      value: {
        kind: "counted",
        record: {
          version: held.version + 1,
          effects: { vote: { person: "ana", decision: "approve", bindingHash: hashOf(held), at: noon } },
          pending: { approval: { approvedBy: ["ana"] } },
          transitions: [{ seq: 1, what: "approved", detail: "approved by ana" }],
        },
      },
    });
  });

  it("on new settings reports the votes that these settings void, if no check did", () => {
    const given = cast(held);
    const first = given.ok ? given.value.record : held;
    const annotations = { ...first.observed.annotations, "lookout.dev/rollback-timeout": "1m" };
    const changed = { ...first, observed: { ...first.observed, annotations } };
    const ben = { voter: { person: "ben", proof: { kind: "token" } }, bindingHash: hashOf(changed) } as const;

    expect(cast(changed, ben, plus(noon, hours(1)), [first.effects.vote!])).toMatchObject({
      ok: true,
      value: {
        record: {
          pending: { approval: { approvedBy: ["ben"], voided: [{ voter: "ana", at: noon }] } },
          transitions: [{ what: "approved", approval: [{ what: "voided", people: ["ana"] }] }],
        },
      },
    });
  });

  it.each([
    [{ seq: 2 }, { reason: "update-unknown", detail: "there is no update 2" }],
    [
      { bindingHash: "0".repeat(64) },
      { reason: "changed-meanwhile", detail: "update 1 has other images or settings now" },
    ],
    [
      { voter: { person: "eva", proof: { kind: "token" } } },
      { reason: "no-right", detail: "eva may not decide about prod/shop/deployment/api" },
    ],
  ] as const)("does not count: %j", (given, problem) => {
    expect(problemOf(held, given)).toEqual(problem);
  });

  it("does not count after the deadline, with or without a timer", () => {
    expect(problemOf(held, {}, plus(noon, hours(24)))).toEqual({
      reason: "approval-expired",
      detail: "the approval of update 1 has expired",
    });
  });

  it("does not count for an update that is decided, released or active", () => {
    const { pending, ...rest } = held;
    const { approval } = pending!;
    const with_ = (given: Partial<WorkloadRecord>): WorkloadRecord => ({ ...rest, ...given });
    const approved = { ...aReleased(), approval: approval! };
    const given = cast(held);
    const votes = given.ok ? [given.value.record.effects.vote!] : [];

    expect(problemOf(with_({ active: approved }), { voter: { person: "ben", proof: { kind: "token" } } })).toEqual({
      reason: "update-decided",
      detail: "update 1 has all its approvals, and is released",
    });
    expect(problemOf(with_({ active: { ...aPatching(), approval: approval! } }), { decision: "reject" })).toEqual({
      reason: "update-decided",
      detail: "update 1 is patching, so a decision is no longer possible",
    });
    expect(problemOf(held, { voter: { person: "ben", proof: { kind: "token" } } }, noon, votes)).toEqual({
      reason: "update-decided",
      detail: "update 1 has all its approvals",
    });
  });
});

describe("a rejection", () => {
  it("ends a released update before its patch, frees its slot, and blocks its digest", () => {
    const { pending, ...rest } = held;
    const released: WorkloadRecord = { ...rest, active: { ...aReleased(), approval: pending!.approval! } };
    const voted = cast(released, { decision: "reject", why: "too risky" });

    expect(voted).toMatchObject({
      ok: true,
      value: {
        record: {
          last: { status: "rejected", reason: "approval-rejected", detail: "ana: too risky" },
          blocked: [
            {
              digest: aChange().digest,
              reason: "approval-rejected",
              by: "ana at 2026-03-02T12:00:00.000Z",
              seq: 1,
              at: noon,
            },
          ],
          effects: { budget: { frees: 0 }, vote: { decision: "reject" } },
        },
      },
    });
    expect(voted.ok && voted.value.record.active).toBeUndefined();
  });
});

describe("a request for another approval", () => {
  const ask = (record: WorkloadRecord, person: string) => {
    const asked = askAgain(record, { by: person, person }, rules, noon);
    return asked.ok ? decided(record, asked.value) : asked.problem;
  };

  it("unblocks rejected digests, and evaluates the workload", () => {
    const voted = cast(held, { decision: "reject", why: "no" });
    const after = voted.ok ? voted.value.record : held;

    expect(ask(after, "ana")).toMatchObject({
      blocked: [],
      needsEvaluation: true,
      transitions: [{ seq: 0, what: "unblocked", detail: "approval asked for again by ana" }],
    });
  });

  it("is refused to people who may not decide, if the update was rejected", () => {
    const voted = cast(held, { decision: "reject", why: "no" });
    const after = voted.ok ? voted.value.record : held;

    expect(ask(after, "eva")).toEqual({
      reason: "no-right",
      detail: "only a proved person who may decide lifts the rejection of prod/shop/deployment/api",
    });
  });

  it("ends an expired update, so that the next evaluation proposes it anew", () => {
    const approval = { ...held.pending!.approval!, expiredAt: noon };
    const expired: WorkloadRecord = { ...held, pending: { ...held.pending!, approval } };
    const why = { reason: "approval-asked-again", detail: "approval asked for again by eva" };
    const asked = ask(expired, "eva") as WorkloadRecord;

    expect(asked).toMatchObject({
      needsEvaluation: true,
      last: { status: "superseded", ...why, endedAt: noon },
      transitions: [
        { seq: 0, what: "unblocked" },
        { seq: 1, what: "superseded", reasons: [why] },
      ],
    });
    expect(asked.pending).toBeUndefined();
    expect(ask({ ...expired, tracked: false }, "eva")).not.toHaveProperty("needsEvaluation");
  });

  it("keeps an update that no rejection ended", () => {
    const voted = cast(held, { decision: "reject", why: "no" });
    const after = voted.ok ? voted.value.record : held;
    const withOther: WorkloadRecord = { ...after, pending: held.pending! };

    expect(ask(withOther, "ana")).toMatchObject({ pending: held.pending, last: after.last });
  });

  it("changes nothing while an approval is only pending", () => {
    expect(ask(held, "ana")).toBeUndefined();
  });
});
