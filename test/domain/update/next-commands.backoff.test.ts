import { describe, expect, it } from "vitest";
import { openWork } from "#domain/update/next-commands";
import { stillAsking, toAskAgain } from "#domain/update/observe";
import { plus, seconds } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/states";
import { aPending, aRecord, aRolling, at, noon, step } from "../builders.ts";

const unreachable = { kind: "unreachable", detail: "timed out" } as const;
const later = plus(noon, seconds(1));
const silent = [{ container: "app", reason: "registry-unreachable", detail: "timed out" }] as const;

describe("a workload whose cluster did not answer", () => {
  it.each([
    { refusal: unreachable, reason: "cluster-unreachable" },
    { refusal: { kind: "denied", detail: "Forbidden" }, reason: "cluster-denied" },
  ] as const)("is to be asked again in half a minute, and that is told: $reason", ({ refusal, reason }) => {
    expect(toAskAgain(aRecord(), refusal, step())).toEqual({
      ...aRecord(),
      version: 6,
      cause: "test",
      changedAt: noon,
      toAsk: true,
      fruitless: 0,
      happened: [{ seq: 0, what: "observed", reasons: [{ reason, detail: refusal.detail }], changes: [] }],
      dueAt: at("2026-03-02T12:01:30Z"),
    });
  });

  it("is asked as it is planned already", () => {
    expect(toAskAgain(aRecord({ toAsk: true, dueAt: later }), unreachable, step())).toBeUndefined();
  });

  it.each([
    { given: { toAsk: true, dueAt: noon }, fruitless: 1, because: "nobody asked yet" },
    { given: { toAsk: true, dueAt: noon, fruitless: 3 }, fruitless: 4, because: "it was in vain three times" },
    { given: { obstacles: silent, dueAt: later }, fruitless: 1, because: "its registry does not answer either" },
  ] as const)("is asked after a longer pause each time: $fruitless, because $because", ({ given, fruitless }) => {
    expect(toAskAgain(aRecord(given), unreachable, step())).toMatchObject({ toAsk: true, fruitless });
  });
});

describe("a workload whose registries had nothing new to say", () => {
  it("is asked again after a longer pause when the answer is overdue, and why is told", () => {
    expect(stillAsking(aRecord({ obstacles: silent, dueAt: noon, fruitless: 1 }), step())).toMatchObject({
      version: 6,
      fruitless: 2,
      happened: [
        {
          seq: 0,
          what: "observed",
          reasons: [{ reason: "registry-unreachable", detail: "container app: timed out" }],
        },
      ],
    });
  });

  it.each<{ readonly given: Partial<WorkloadRecord>; readonly because: string }>([
    { given: { obstacles: silent, dueAt: later }, because: "there is time yet" },
    { given: {}, because: "nothing is asked" },
    {
      given: { seq: 1, active: aRolling(), dueAt: noon },
      because: "an update on its way is looked at by its own stage",
    },
  ])("is left as it is: $because", ({ given }) => {
    expect(stillAsking(aRecord(given), step())).toBeUndefined();
  });

  it("begins with the first pause where it is a held update that is overdue", () => {
    expect(stillAsking(aRecord({ seq: 1, pending: aPending(), dueAt: noon }), step())?.fruitless).toBe(0);
  });
});

describe("the pause before registries are asked again", () => {
  const pauseOf = (given: Partial<WorkloadRecord>) =>
    openWork(aRecord({ changedAt: noon, ...given })).map((open) => (open.at - noon) / 1_000);

  it.each([
    { fruitless: undefined, pause: 0 },
    { fruitless: 0, pause: 30 },
    { fruitless: 1, pause: 60 },
    { fruitless: 6, pause: 1_920 },
    { fruitless: 7, pause: 3_600 },
    { fruitless: 50, pause: 3_600 },
  ])("is $pause s after $fruitless vain looks at the cluster", ({ fruitless, pause }) => {
    expect(pauseOf({ toAsk: true, ...(fruitless === undefined ? {} : { fruitless }) })).toEqual([pause]);
  });

  it.each([
    { fruitless: undefined, pause: 60 },
    { fruitless: 1, pause: 120 },
    { fruitless: 6, pause: 3_600 },
  ])("is $pause s after $fruitless vain questions to a registry", ({ fruitless, pause }) => {
    expect(pauseOf({ obstacles: silent, ...(fruitless === undefined ? {} : { fruitless }) })).toEqual([pause]);
  });
});
