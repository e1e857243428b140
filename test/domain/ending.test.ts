import { describe, expect, it } from "vitest";
import { holdAgain, endWithoutObject } from "#domain/ending";
import { lookAtGates, propose } from "#domain/proposal";
import { wakesAt } from "#domain/next-work";
import {
  aChange,
  aContainer,
  anEnded,
  aNewerChange,
  anObserved,
  aPatched,
  aPending,
  aReleased,
  aRolling,
  at,
  digest,
  image,
  noon,
  openFacts,
  repository,
  settingsOf,
  step,
} from "./builders.ts";
import { withActive, forward, sideChange } from "./planning.ts";

describe("an update that is held again", () => {
  it("keeps its number, its wish and its count of setbacks", () => {
    const waits = [{ reason: "suspended" }] as const;
    const record = holdAgain(
      withActive(aReleased({ setbacks: 1, status: "rolling-out", restart: { to: "x" } })),
      aReleased({ setbacks: 1 }),
      waits,
      step(),
    );

    expect(record.pending).toEqual(aPending({ setbacks: 1 }));
    expect(record).not.toHaveProperty("active");
    expect(record.happened).toEqual([{ seq: 1, what: "held", reasons: waits, changes: [aChange()] }]);
  });

  const observed = anObserved({
    containers: [
      aContainer(),
      {
        list: "containers",
        name: "side",
        image: "registry.test/shop/side:4.0.0",
        digest: digest("4"),
        baseline: digest("4"),
      },
    ],
  });
  const wait = { reason: "cluster-unreachable", until: at("2026-03-02T12:00:30Z") } as const;
  const inProgress = { reason: "rollout-in-progress", detail: "update 1 is released" } as const;

  it("joins a newer wish that waits, which takes over the containers that it does not name, in their order", () => {
    const active = aReleased({ changes: [aChange(), sideChange] });
    const newer = aPending({ seq: 2, changes: [aNewerChange()], waits: [inProgress] });
    const record = holdAgain(withActive(active, { seq: 2, pending: newer, observed }), active, [wait], step());

    expect(record.pending).toMatchObject({ seq: 2, changes: [aNewerChange(), sideChange] });
    expect(record.happened).toMatchObject([
      { seq: 1, what: "superseded", reasons: [{ reason: "superseded-by-a-newer-push", detail: "update 2" }] },
    ]);
  });

  it("hands its pause to a newer wish, whose gates are asked at once", () => {
    const newer = aPending({ seq: 2, changes: [aNewerChange()], waits: [inProgress] });
    const record = holdAgain(withActive(aReleased(), { seq: 2, pending: newer }), aReleased(), [wait], step());

    const looked = lookAtGates(record, { settings: settingsOf(record), facts: openFacts }, step());

    expect(wakesAt(record.pending!, noon)).toBe(noon);
    expect(looked?.pending?.waits).toEqual([wait]);
  });

  it("joins a newer wish so that the same wishes again propose nothing new", () => {
    const active = aReleased({ changes: [sideChange] });
    const newer = aPending({ seq: 2, changes: [aChange()], waits: [inProgress] });
    const joined = holdAgain(withActive(active, { seq: 2, pending: newer, observed }), active, [wait], step());
    const next = propose(
      joined,
      {
        wishes: [
          { kind: "change", change: aChange() },
          { kind: "change", change: sideChange },
        ],
        settings: settingsOf(joined),
        facts: openFacts,
        detectedAt: noon,
        source: "sync",
        complete: true,
      },
      step(),
    );

    expect(next?.seq ?? joined.seq).toBe(2);
  });
});

describe("a newer wish that waits for an update to end", () => {
  const newer = aPending({
    seq: 2,
    changes: [aNewerChange({ from: image("1.0.0") })],
    waits: [{ reason: "rollout-in-progress" }],
  });

  it("replaces what stands there then, and needs no new number", () => {
    const plan = forward(aReleased({ status: "rolling-out" }), aPatched(image("3.0.0")), { pending: newer, seq: 2 });

    expect(plan.kind === "settled" && plan.record).toMatchObject({
      seq: 2,
      toAsk: true,
      pending: { seq: 2, changes: [{ from: image("3.0.0"), to: image("1.2.0", "2") }] },
    });
    expect(plan.kind === "settled" && plan.record.pending?.changes[0]).not.toHaveProperty("fromDigest");
  });

  it("is left alone where the object could not be read", () => {
    const record = endWithoutObject(
      withActive(aRolling(), { pending: newer, seq: 2 }),
      aRolling(),
      "superseded",
      { reason: "workload-gone" },
      step(),
    );

    expect(record).toMatchObject({ pending: newer, last: { seq: 1, status: "superseded", reason: "workload-gone" } });
    expect(record).not.toHaveProperty("active");
  });
});

describe("refusals", () => {
  it("that were there stay when an update ends", () => {
    const refusal = {
      repository,
      digest: digest("9"),
      tag: "0.9.0",
      reason: "rollout-failed",
      seq: 0,
      at: noon,
    } as const;
    const plan = forward(aReleased({ status: "rolling-out" }), aPatched(image("3.0.0")), {
      refusals: [refusal],
      last: anEnded(),
    });

    expect(plan.kind === "settled" && plan.record.refusals.map((some) => some.digest)).toEqual([
      digest("9"),
      digest("1"),
    ]);
  });
});
