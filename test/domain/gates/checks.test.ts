import { describe, expect, it } from "vitest";
import { type CheckAnswer, claimOf, subjectOf } from "#domain/checks/answer";
import type { CheckFacts } from "#domain/checks/facts";
import { askChecks } from "#domain/gates/checks";
import { minutes, plus, seconds } from "#domain/shared/time";
import type { ImageChange } from "#domain/workload/patch";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { aChange, aNewerChange, anObserved, aRecord, aReleased, noon, openFacts, settingsOf } from "../builders.ts";

const scan = { name: "scan", when: "release", namespaces: ["shop"] } as const;
const smoke = { name: "smoke", when: "release", namespaces: [] } as const;
const bake = { name: "bake", when: "bake", namespaces: ["*"] } as const;
const until = plus(noon, minutes(5));

const answered = (outcome: CheckAnswer["outcome"], given: Partial<CheckAnswer> = {}): CheckAnswer => ({
  ...{ check: "scan", subject: subjectOf([aChange()]), outcome, reason: "", askedAt: noon, until, failures: 0 },
  ...given,
});

interface Asked {
  readonly answers?: readonly CheckAnswer[];
  readonly rules?: CheckFacts["rules"];
  readonly annotation?: string;
  readonly changes?: readonly ImageChange[];
  readonly given?: Partial<WorkloadRecord>;
}

function ask({ answers = [], rules = [scan, smoke, bake], annotation, changes = [aChange()], given = {} }: Asked) {
  const annotations = { "lookout.dev/enabled": "true", ...(annotation && { "lookout.dev/checks": annotation }) };
  const record = aRecord({ observed: anObserved({ annotations }), ...given });
  const facts = { ...openFacts, checks: { rules, answers } };
  return askChecks({ now: noon, record, settings: settingsOf(record), seq: 1, changes, facts });
}

describe("the gate of checks", () => {
  it("is open without a check of the workload, also with a bake", () => {
    expect(ask({ rules: [] })).toEqual({ kind: "open" });
    expect(ask({ rules: [{ ...scan, namespaces: ["pay", "stage/*"] }, smoke, bake] })).toEqual({ kind: "open" });
  });

  it("is closed until the check is asked, also while it is being asked", () => {
    const closed = { kind: "closed", wait: { reason: "check-not-asked", detail: "scan" } };
    const claim = claimOf({ check: "scan", subject: subjectOf([aChange()]) }, undefined, noon);
    expect(ask({})).toEqual(closed);
    expect(ask({ answers: [claim] })).toEqual(closed);
  });

  it("opens with a valid answer about exactly these digests, and says until when it counts", () => {
    const allowed = answered("allowed", { reason: "no findings" });
    expect(ask({ answers: [allowed] })).toEqual({
      kind: "open",
      detail: "scan allows it: no findings, until 2026-03-02T12:05:00.000Z",
    });
    expect(ask({ answers: [allowed], changes: [aNewerChange()] }).kind).toBe("closed");
    expect(ask({ answers: [answered("allowed", { until: noon })] })).toMatchObject({
      wait: { reason: "check-not-asked" },
    });
    expect(ask({ answers: [{ ...allowed, check: "smoke" }] }).kind).toBe("closed");
  });

  it("is closed while a check refuses, with its reason and the next question", () => {
    expect(ask({ answers: [answered("refused", { reason: "2 findings" })] })).toEqual({
      kind: "closed",
      wait: { reason: "check-refused", detail: "scan: 2 findings", until },
    });
    expect(ask({ answers: [answered("refused")] })).toMatchObject({ wait: { detail: "scan: no reason given" } });
  });

  it("is closed while a check gives no answer", () => {
    expect(ask({ answers: [answered("unanswered", { reason: "it answered 500, and not 200" })] })).toEqual({
      kind: "closed",
      wait: { reason: "check-unanswered", detail: "scan: it answered 500, and not 200", until },
    });
  });

  it("needs all checks of the namespace and of the annotation, and waits for the last refusal", () => {
    const annotation = "smoke";
    const allowed = answered("allowed");
    expect(ask({ annotation, answers: [allowed] })).toMatchObject({ wait: { detail: "smoke" } });
    expect(ask({ annotation, answers: [allowed, { ...allowed, check: "smoke" }] }).kind).toBe("open");
    const later = plus(noon, minutes(9));
    const refusals = [answered("refused", { reason: "a" }), answered("refused", { check: "smoke", until: later })];
    expect(ask({ annotation, answers: refusals })).toMatchObject({
      wait: { reason: "check-refused", detail: "scan: a; smoke: no reason given", until: later },
    });
  });

  it("is closed if the annotation names an unknown check", () => {
    expect(ask({ annotation: "smoek" })).toEqual({
      kind: "closed",
      wait: { reason: "check-unknown", detail: '"smoek"; did you mean smoke?; lookout.yaml has scan, smoke, bake' },
    });
    expect(ask({ annotation: "any", rules: [] })).toMatchObject({
      wait: { detail: '"any", and lookout.yaml has no checks' },
    });
  });

  it("asks nothing about a released update, and says what it asks without an update", () => {
    const active = aReleased();
    expect(ask({ given: { active } })).toEqual({ kind: "open", detail: "asked before the release: scan" });
    expect(ask({ given: { active: { ...active, seq: 7 } } }).kind).toBe("closed");
    expect(ask({ changes: [] })).toEqual({ kind: "open", detail: "asked about every update: scan" });
  });
});

describe("the subject of a question", () => {
  it("is the set of digests, whatever their order and number", () => {
    const [one, other] = [aChange(), aNewerChange()];
    expect(subjectOf([one, other])).toBe(subjectOf([other, one, one]));
    expect(subjectOf([one, other])).not.toBe(subjectOf([one]));
  });

  it("of a bake is one update of one workload", () => {
    const { workload, uid } = aRecord();
    const of = (seq: number, id = uid) => subjectOf([aChange()], { workload, uid: id, seq });
    expect(new Set([of(1), of(2), of(1, "other"), subjectOf([aChange()])]).size).toBe(4);
    expect(of(1)).toBe(of(1));
  });

  it("keeps the count of failures in its claim", () => {
    const before = answered("unanswered", { failures: 3 });
    expect(claimOf(before, before, until)).toMatchObject({ failures: 3, until: plus(until, seconds(40)) });
  });
});
