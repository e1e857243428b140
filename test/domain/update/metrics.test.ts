import { describe, expect, it } from "vitest";
import { heldMeasurements, measurementsOf, secondsBetween } from "#domain/update/effects/metrics";
import type { Transition, WorkloadRecord } from "#domain/update/state/workload";
import { aPending, aRecord, aReleased, aRolling, at, noon } from "../builders.ts";

const transition = (given: Partial<Transition> & Pick<Transition, "what">): Transition => ({
  seq: 1,
  reasons: [],
  changes: [],
  ...given,
});
const about = { workload: "prod/shop/deployment/api", update: "1", source: "webhook distribution" };
const valuesOf = (record: WorkloadRecord) => measurementsOf(record).map(({ name, value }) => [name, value]);

describe("a version of a record", () => {
  it("with a selection measures from the push", () => {
    const record = aRecord({ active: aReleased(), transitions: [transition({ what: "released", selected: true })] });

    expect(measurementsOf(record)).toEqual([{ name: "PushToSelectedMs", value: 60_000, about }]);
  });

  it("with a landed patch measures from the release", () => {
    const active = aRolling({ releasedAt: at("2026-03-02T11:59:58.500Z") });

    expect(valuesOf(aRecord({ active, transitions: [transition({ what: "patched" })] }))).toEqual([
      ["ReleasedToPatchedMs", 1_500],
    ]);
  });

  it("with running pods leaves out the waits for gates", () => {
    const running = { seenAt: noon, settlesAt: noon, since: at("2026-03-02T12:00:20Z"), restarts: 0, pods: 3 };
    const active = aRolling({
      detectedAt: at("2026-03-02T08:00:00Z"),
      selectedAt: at("2026-03-02T08:00:01Z"),
      releasedAt: at("2026-03-02T11:59:58Z"),
      progress: { kind: "running", running },
    });

    expect(measurementsOf(aRecord({ active, transitions: [transition({ what: "running" })] }))).toEqual([
      { name: "PatchedToRunningMs", value: 20_000, about },
      { name: "PushToRunningMs", value: 23_000, about },
    ]);
  });

  it("of a push from a future clock measures no negative time", () => {
    const active = aReleased({ detectedAt: at("2026-03-02T12:03:00Z") });

    expect(valuesOf(aRecord({ active, transitions: [transition({ what: "released", selected: true })] }))).toEqual([
      ["PushToSelectedMs", 0],
    ]);
  });

  it("with other closed gates counts them, and how long the update waits", () => {
    const changedAt = at("2026-03-02T12:30:00Z");
    const reasons = [{ reason: "window-closed" }, { reason: "frozen" }, { reason: "frozen" }] as const;
    const record = aRecord({ pending: aPending(), changedAt, transitions: [transition({ what: "held", reasons })] });
    const andWhy = { ...about, reasons: "frozen window-closed" };

    expect(measurementsOf(record)).toEqual([
      { name: "UpdatesHeld", value: 1, about: andWhy },
      { name: "HeldSeconds", value: 1_800, about: andWhy },
    ]);
  });

  it.each([
    {
      because: "its gates were asked again",
      what: "still-waiting",
      given: { pending: aPending() },
    },
    {
      because: "it is released",
      what: "released",
      given: { active: aReleased() },
    },
  ] as const)("of a held update with $because measures how long it waits", ({ what, given }) => {
    const record = aRecord({ ...given, changedAt: at("2026-03-02T12:00:30Z"), transitions: [transition({ what })] });

    expect(valuesOf(record)).toEqual([["HeldSeconds", 30]]);
  });

  it("with a selection during another update measures the selected update", () => {
    const pending = aPending({ seq: 2, detectedAt: at("2026-03-02T11:59:50Z") });
    const transitions = [transition({ seq: 2, what: "held", selected: true })];

    expect(valuesOf(aRecord({ active: aRolling(), pending, transitions }))).toEqual([
      ["PushToSelectedMs", 10_000],
      ["UpdatesHeld", 1],
    ]);
  });

  it.each([
    { what: "succeeded", name: "UpdatesSucceeded" },
    { what: "failed", name: "UpdatesFailed" },
    { what: "rollback-failed", name: "UpdatesFailed" },
    { what: "rolled-back", name: "UpdatesRolledBack" },
    { what: "superseded", name: "UpdatesSuperseded" },
  ] as const)("with an update that ended as $what counts one of $name", ({ what, name }) => {
    expect(valuesOf(aRecord({ transitions: [transition({ what })] }))).toEqual([[name, 1]]);
  });

  it("with an end and a selection measures both, in that order", () => {
    const transitions = [transition({ what: "superseded" }), transition({ seq: 2, what: "held", selected: true })];

    expect(valuesOf(aRecord({ pending: aPending({ seq: 2 }), transitions }))).toEqual([
      ["UpdatesSuperseded", 1],
      ["PushToSelectedMs", 60_000],
      ["UpdatesHeld", 1],
    ]);
  });

  it.each(["held", "still-waiting", "released", "patched", "running"] as const)(
    "with %s of an update that it does not hold measures no times of it",
    (what) => {
      const transitions = [transition({ seq: 3, what }), transition({ seq: 4, what, selected: true })];

      expect(valuesOf(aRecord({ transitions })).filter(([name]) => name !== "UpdatesHeld")).toEqual([]);
    },
  );

  it("of an update without a patch or running pods measures no time until then", () => {
    const transitions = [transition({ what: "patched" }), transition({ what: "running" })];

    expect(valuesOf(aRecord({ active: aReleased(), transitions }))).toEqual([]);
    expect(valuesOf(aRecord({ active: aRolling(), transitions }))).toEqual([["ReleasedToPatchedMs", 0]]);
  });

  it.each([
    "tracked",
    "observed",
    "untracked",
    "waiting",
    "patching",
    "failing",
    "rolling-back",
    "unblocked",
    "digests-unblocked",
    "evidence-imported",
    "reverted",
  ] as const)("with only %s measures nothing", (what) => {
    expect(measurementsOf(aRecord({ active: aRolling(), transitions: [transition({ what })] }))).toEqual([]);
  });
});

describe("a held update", () => {
  it("waits since its selection", () => {
    expect(heldMeasurements(aRecord({ pending: aPending() }), at("2026-03-02T13:00:00Z"))).toEqual([
      { name: "HeldSeconds", value: 3_600, about: { ...about, reasons: "suspended" } },
    ]);
  });

  it("has no measurement if no update is held", () => {
    expect(heldMeasurements(aRecord(), noon)).toEqual([]);
  });
});

describe("the seconds between two instants", () => {
  it("may be a fraction, and are missing if clocks differ", () => {
    expect([
      secondsBetween(noon, at("2026-03-02T12:00:01.250Z")),
      secondsBetween(at("2026-03-02T12:00:01Z"), noon),
    ]).toEqual([1.25, 0]);
  });
});
