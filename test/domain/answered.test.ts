import { describe, expect, it } from "vitest";
import { toAskAfter } from "#domain/answered";
import type { WorkloadRecord } from "#domain/update";
import { aChange, aContainer, anObserved, aPending, aRolling, at, noon } from "./builders.ts";
import { healthy, judge, recordOf } from "./judging.ts";

const running = { seenAt: noon, settlesAt: noon, since: noon, restarts: 0, pods: 3 };
const succeeded = (active: object, given: Partial<WorkloadRecord>): WorkloadRecord | undefined =>
  recordOf(judge(aRolling({ running, ...active }), healthy(), at("2026-03-02T12:01:00Z"), given));

describe("the registries of a workload whose update succeeds", () => {
  it("are not asked again when nothing else changed", () => {
    const record = succeeded({}, {});

    expect(record).toMatchObject({ last: { status: "succeeded" } });
    expect(record).not.toHaveProperty("toAsk");
    expect(record).not.toHaveProperty("dueAt");
  });

  it.each<{ readonly after: string; readonly active?: object; readonly given?: Partial<WorkloadRecord> }>([
    { after: "they named what it replaces", active: { askAfter: true } },
    { after: "a newer image was elected against the one before", given: { pending: aPending({ seq: 2 }) } },
    {
      after: "one of them gave no answer",
      given: { obstacles: [{ container: "app", reason: "registry-unreachable" }] },
    },
    { after: "the settings changed", given: { toAsk: true } },
    {
      after: "another container came or went",
      given: { observed: anObserved({ containers: [aContainer(), aContainer({ name: "side" })] }) },
    },
    { after: "annotations changed", given: { observed: anObserved({ annotations: {} }) } },
  ])("are asked anew after $after", ({ active = {}, given = {} }) => {
    expect(succeeded(active, given)).toMatchObject({ toAsk: true, last: { status: "succeeded" } });
  });
});

describe("a look at the registries while an update is on its way", () => {
  const satisfied = (container: string) => ({ kind: "satisfied", container, baseline: undefined }) as const;

  it("marks it when they name what it replaces, once", () => {
    const active = { ...aRolling(), askAfter: true };

    expect(toAskAfter(aRolling(), [satisfied("app")])).toEqual({ active });
    expect(toAskAfter(aRolling({ askAfter: true }), [satisfied("app")])).toBeUndefined();
  });

  it("marks nothing when they name it, or nothing of its containers", () => {
    expect(toAskAfter(aRolling(), [{ kind: "change", change: aChange() }, satisfied("side")])).toBeUndefined();
    expect(toAskAfter(undefined, [satisfied("app")])).toBeUndefined();
  });
});
