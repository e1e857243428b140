import { describe, expect, it } from "vitest";
import { checkOf, endsWithOutage, hasEndedSince, isUnread, type SweepProblem } from "#domain/registry/checks";
import type { Outage } from "#domain/registry/outage";
import { epochMs, minutes, plus } from "#domain/shared/time";

const noon = epochMs(Date.parse("2026-11-21T12:00:00Z"));
const five = plus(noon, minutes(5));
const ten = plus(noon, minutes(10));
const detail = "registry.test could not be reached (ECONNREFUSED)";
const running: Outage = { version: 2, since: five, detail, storedAt: five };
const over: Outage = { ...running, version: 4, endedAt: ten };
const problem: SweepProblem = {
  reason: "registry-unreachable",
  detail: "registry.test answered 503",
  since: five,
  at: five,
};
const unreachable = { reason: "registry-unreachable", detail, since: five };
const denied: SweepProblem = { reason: "registry-denied", detail: "no login", since: five, at: five, until: ten };

describe("the check of a repository", () => {
  it.each([
    {
      because: "nothing was read",
      swept: undefined,
      outage: undefined,
      evaluatedAt: undefined,
      is: { kind: "not-yet" },
    },
    {
      because: "an evaluation read it before the first sweep",
      swept: {},
      outage: undefined,
      evaluatedAt: noon,
      is: { kind: "checked", at: noon },
    },
    {
      because: "only a sweep shows a later check",
      swept: { checkedAt: noon },
      outage: over,
      evaluatedAt: five,
      is: { kind: "checked", at: noon },
    },
    {
      because: "the registry gives no answer, although the last sweep was complete",
      swept: { checkedAt: noon },
      outage: running,
      evaluatedAt: undefined,
      is: { kind: "failed", checkedAt: noon, problem: unreachable },
    },
    {
      because: "the registry gives no answer, and never gave one",
      swept: undefined,
      outage: running,
      evaluatedAt: undefined,
      is: { kind: "failed", problem: unreachable },
    },
    {
      because: "the last sweep failed, and an evaluation proves no check",
      swept: { problem: denied },
      outage: undefined,
      evaluatedAt: noon,
      is: { kind: "failed", problem: { reason: "registry-denied", detail: "no login", since: five, until: ten } },
    },
    {
      because: "the outage of its last sweep is over",
      swept: { checkedAt: noon, problem },
      outage: over,
      evaluatedAt: undefined,
      is: { kind: "checked", at: noon },
    },
    {
      because: "the outage is over, and it was never read",
      swept: { problem },
      outage: over,
      evaluatedAt: undefined,
      is: { kind: "not-yet" },
    },
    {
      because: "this repository failed after the outage",
      swept: { checkedAt: noon, problem: { ...problem, at: epochMs(ten + 1) } },
      outage: over,
      evaluatedAt: undefined,
      is: { kind: "failed", checkedAt: noon, problem: { ...unreachable, detail: problem.detail } },
    },
    {
      because: "the end of an outage allows no access",
      swept: { checkedAt: noon, problem: denied },
      outage: over,
      evaluatedAt: undefined,
      is: {
        kind: "failed",
        checkedAt: noon,
        problem: { reason: "registry-denied", detail: "no login", since: five, until: ten },
      },
    },
  ])("is $is.kind, because $because", ({ swept, outage, evaluatedAt, is }) => {
    expect(checkOf(swept, outage, evaluatedAt)).toEqual(is);
  });
});

describe("a failure", () => {
  it("ends with an outage that ended at the same instant or later", () => {
    const ends = (at: number) => hasEndedSince(over, "registry-circuit-open", epochMs(at));
    expect([ends(ten - 1), ends(ten), ends(ten + 1)]).toEqual([true, true, false]);
    expect(hasEndedSince(running, "registry-unreachable", noon)).toBe(false);
    expect(hasEndedSince(undefined, "registry-unreachable", noon)).toBe(false);
  });

  it.each([
    ["registry-unreachable", { endsWithOutage: true, isUnread: true }],
    ["registry-circuit-open", { endsWithOutage: true, isUnread: true }],
    ["registry-denied", { endsWithOutage: false, isUnread: true }],
    ["registry-throttled", { endsWithOutage: false, isUnread: true }],
    ["repository-not-found", { endsWithOutage: false, isUnread: true }],
    ["registry-not-allowed", { endsWithOutage: false, isUnread: false }],
  ] as const)("%s is classified", (reason, is) => {
    expect({ endsWithOutage: endsWithOutage(reason), isUnread: isUnread(reason) }).toEqual(is);
  });
});
