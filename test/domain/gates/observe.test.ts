import { describe, expect, it } from "vitest";
import { askGates, closedGates, type GateQuestion } from "#domain/gates/index";
import { observedBy, type ObserveRules, observesNowhere } from "#domain/gates/observe";
import { aChange, annotated, anObserved, aRecord, noon, openFacts, settingsOf } from "../builders.ts";

const shop = { cluster: "prod", namespace: "shop-eu" };
const observes = "mode: observe of cluster prod";

describe("a rule of observation", () => {
  const cases: readonly { readonly rules: Partial<ObserveRules>; readonly by: string | undefined }[] = [
    { rules: {}, by: undefined },
    { rules: { mode: "observe" }, by: "mode: observe, or lookout start --observe" },
    { rules: { clusters: [{ name: "prod", mode: "observe" }] }, by: observes },
    { rules: { clusters: [{ name: "prod" }, { name: "lab", mode: "observe" }] }, by: undefined },
    { rules: { observe: ["shop-*"] }, by: "observe: shop-*" },
    { rules: { observe: ["lab/shop-eu", "prod/shop-eu"] }, by: "observe: prod/shop-eu" },
    { rules: { observe: ["lab/*", "shop"] }, by: undefined },
  ];
  it.each(cases)("covers prod/shop-eu by $by", ({ rules, by }) => {
    expect(observedBy({ ...observesNowhere, ...rules }, shop)).toBe(by);
  });
});

const ask = (
  given: Partial<GateQuestion> & { readonly settings?: never; readonly written?: Record<string, string> },
) => {
  const record = aRecord({ observed: anObserved({ annotations: annotated(given.written ?? {}) }) });
  const question = { now: noon, record, settings: settingsOf(record), seq: 1, changes: [aChange()], facts: openFacts };
  return askGates({ ...question, ...given, settings: settingsOf(record) });
};
const { slot: _, ...withoutSlot } = openFacts;

describe("the gate observe", () => {
  it.each([
    { given: {}, waits: [], because: "Lookout updates" },
    { given: { facts: { ...openFacts, observes } }, waits: [{ reason: "observe" }], because: "Lookout observes" },
    { given: { observed: true as const }, waits: [{ reason: "observe" }], because: "nobody released the update yet" },
    { given: { facts: { ...withoutSlot, observes } }, waits: [{ reason: "observe" }], because: "it needs no slot" },
    {
      given: { facts: { ...openFacts, observes }, written: { suspend: "true" } },
      waits: [{ reason: "suspended" }],
      because: "it closes only while the others are open",
    },
    {
      given: { facts: { ...openFacts, observes }, written: { "approval-required": "true" } },
      waits: [{ reason: "observe", detail: "it would ask for approval" }],
      because: "it asks nobody for approval",
    },
    {
      given: { observed: true as const, written: { "approval-required": "true" } },
      waits: [{ reason: "needs-approval", detail: expect.any(String) as string }],
      because: "after the observation, the update asks for approval",
    },
  ])("waits for $waits, because $because", ({ given, waits }) => {
    expect(closedGates(ask(given))).toEqual(waits);
  });

  it("says in an explanation that it closes after the others", () => {
    const answers = ask({ facts: { ...openFacts, observes }, written: { suspend: "true" } });
    expect(answers.at(-1)).toMatchObject({
      gate: "observe",
      kind: "open",
      detail: "closes when all other gates are open",
    });
  });
});
