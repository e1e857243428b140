import { endWithoutObject, backToHeld, checkGates, propose } from "./decisions.ts";
import { describe, expect, it } from "vitest";
import { whyReplaced } from "#domain/update/decide/ending";
import { wakesAt } from "#domain/update/effects/commands";
import { type ActiveUpdate, overtaken } from "#domain/update/state/workload";
import type { WaitReason } from "#domain/shared/wait-reason";
import {
  aChange,
  aContainer,
  anEnded,
  aNewerChange,
  aLiveContainer,
  anObserved,
  aPatched,
  aPatching,
  aPending,
  aReleased,
  aRolling,
  at,
  digest,
  image,
  noon,
  openFacts,
  imageName,
  settingsOf,
} from "../builders.ts";
import { withActive, forward, sideChange, sideLive } from "./planning.ts";
import { side } from "./proposing.ts";

describe("an update that is held again", () => {
  const away = { reason: "cluster-denied", until: at("2026-03-02T12:00:30Z") } as const;

  it("keeps its number, its desired image and its count of failures", () => {
    const waits = [{ reason: "suspended" }] as const;
    const record = backToHeld(
      withActive(aPatching({ timesDeadLettered: 1, restart: { to: "x" } })),
      aReleased({ timesDeadLettered: 1 }),
      waits,
      noon,
    );

    expect(record.pending).toEqual(aPending({ timesDeadLettered: 1 }));
    expect(record).not.toHaveProperty("active");
    expect(record.transitions).toEqual([{ seq: 1, what: "held", reasons: waits, changes: [aChange()] }]);
  });

  it.each<{ readonly tries?: number; readonly waits: readonly WaitReason[]; readonly counted: object }>([
    { waits: [away], counted: { clusterFailures: 1 } },
    { tries: 2, waits: [{ reason: "suspended" }, away], counted: { clusterFailures: 3 } },
    { tries: 2, waits: [{ reason: "suspended" }], counted: {} },
  ])("counts the refusals of its cluster in a row: $counted after $tries", ({ tries, waits, counted }) => {
    const active = aReleased(tries === undefined ? {} : { clusterFailures: tries });

    expect(backToHeld(withActive(active), active, waits, noon).pending).toStrictEqual(aPending({ waits, ...counted }));
  });

  const observed = anObserved({ containers: [aContainer(), side] });
  const wait = { reason: "cluster-unreachable", until: at("2026-03-02T12:00:30Z") } as const;
  const inProgress = { reason: "rollout-in-progress", detail: "update 1 is released" } as const;

  it("joins a newer desired image, which takes over the containers that it lacks, in their order", () => {
    const active = aReleased({ changes: [aChange(), sideChange] });
    const newer = aPending({ seq: 2, changes: [aNewerChange()], waits: [inProgress] });
    const record = backToHeld(withActive(active, { seq: 2, pending: newer, observed }), active, [wait], noon);

    expect(record.pending).toMatchObject({ seq: 2, changes: [aNewerChange(), sideChange] });
    expect(record.transitions).toMatchObject([
      { seq: 1, what: "superseded", reasons: [{ reason: "superseded-by-a-newer-push", detail: "update 2" }] },
    ]);
  });

  it("joins a newer desired image of several containers with the containers that it lacks", () => {
    const active = aReleased({ changes: [aChange(), sideChange] });
    const newer = aPending({ seq: 2, changes: [aNewerChange(), sideChange], waits: [inProgress] });
    const record = backToHeld(withActive(active, { seq: 2, pending: newer, observed }), active, [wait], noon);

    expect(record.pending?.changes).toEqual([aNewerChange(), sideChange]);
  });

  it("hands its pause to a newer desired image, but no answers of gates", () => {
    const newer = aPending({ seq: 2, changes: [aNewerChange()], waits: [inProgress] });
    const waits = [{ reason: "suspended" }, wait] as const;

    expect(
      backToHeld(withActive(aReleased(), { seq: 2, pending: newer }), aReleased(), waits, noon).pending?.waits,
    ).toEqual([wait, inProgress]);
  });

  it("hands its pause to a newer desired image, whose gates are asked at once", () => {
    const newer = aPending({ seq: 2, changes: [aNewerChange()], waits: [inProgress] });
    const record = backToHeld(withActive(aReleased(), { seq: 2, pending: newer }), aReleased(), [wait], noon);

    const looked = checkGates(record, { settings: settingsOf(record), facts: openFacts }, noon);

    expect(wakesAt(record.pending!, noon)).toBe(noon);
    expect(looked?.pending?.waits).toEqual([wait]);
  });

  it("joins a newer desired image, so that the same selection proposes nothing new", () => {
    const active = aReleased({ changes: [sideChange] });
    const newer = aPending({ seq: 2, changes: [aChange()], waits: [inProgress] });
    const joined = backToHeld(withActive(active, { seq: 2, pending: newer, observed }), active, [wait], noon);
    const next = propose(
      joined,
      {
        desiredImages: [
          { kind: "change", change: aChange() },
          { kind: "change", change: sideChange },
        ],
        settings: settingsOf(joined),
        facts: openFacts,
        detectedAt: noon,
        source: "sync",
        allContainers: true,
      },
      noon,
    );

    expect(next?.seq ?? joined.seq).toBe(2);
  });
});

describe("a newer desired image that waits for an update to end", () => {
  const newer = aPending({
    seq: 2,
    changes: [aNewerChange({ from: image("1.0.0") })],
    waits: [{ reason: "rollout-in-progress" }],
  });

  it("replaces the images that the object has then, under its own number", () => {
    const plan = forward(aPatching(), aPatched(image("3.0.0")), { pending: newer, seq: 2 });

    expect(plan.kind === "store" && plan.record).toMatchObject({
      seq: 2,
      needsEvaluation: true,
      pending: { seq: 2, changes: [{ from: image("3.0.0"), to: image("1.2.0", "2") }] },
    });
    expect(plan.kind === "store" && plan.record.pending?.changes[0]).not.toHaveProperty("fromDigest");
  });

  it("replaces the image of its own container, and nothing if the container is gone", () => {
    const shown = { ...sideLive, image: "registry.test/shop/side:3.9.0" };
    const live = aPatched(image("3.0.0"), { containers: [aLiveContainer({ image: image("3.0.0") }), shown] });
    const third = { ...sideChange, name: "third" };
    const pending = { ...newer, changes: [sideChange, third] };
    const plan = forward(aPatching(), live, { pending, seq: 2 });
    const { fromDigest, ...selected } = sideChange;

    expect(fromDigest).toBeDefined();
    expect(plan.kind === "store" && plan.record.pending?.changes).toStrictEqual([
      { ...selected, from: shown.image },
      third,
    ]);
  });

  it("does not change if the object can't be read", () => {
    const record = endWithoutObject(
      withActive(aRolling(), { pending: newer, seq: 2 }),
      overtaken(aRolling(), "superseded", { reason: "workload-gone" }, noon),
    );

    expect(record).toMatchObject({
      pending: newer,
      last: { seq: 1, status: "superseded", reason: "workload-gone" },
      needsEvaluation: true,
      transitions: [{ seq: 1, what: "superseded", reasons: [{ reason: "workload-gone" }] }],
    });
    expect(record).not.toHaveProperty("active");
  });
});

describe("an update whose object could not be read", () => {
  const ended = (active: ActiveUpdate) =>
    endWithoutObject(withActive(active), overtaken(active, "superseded", { reason: "internal-error" }, noon));

  it("counts its patched images, so that a user's rollback is seen", () => {
    expect(ended(aRolling()).landed).toMatchObject({ seq: 1, status: "superseded", patchedAt: noon });
  });

  it("without a patch leaves no images", () => {
    expect(ended(aPatching())).not.toHaveProperty("landed");
  });
});

describe("the images that a user set during an update", () => {
  const active = aReleased({ changes: [aChange(), sideChange] });

  it("are listed by container", () => {
    const live = aPatched(image("3.0.0"), { containers: [aLiveContainer({ image: image("3.0.0") })] });

    expect(whyReplaced(active, live)).toEqual({
      reason: "container-gone",
      detail: `app: ${image("3.0.0")}, side: no such container`,
    });
  });

  it("are desired only if all images are desired", () => {
    const containers = [aLiveContainer({ image: aChange().to }), sideLive];

    expect(whyReplaced(active, aPatched(aChange().to, { containers })).reason).toBe("changed-by-hand");
    expect(
      whyReplaced(
        active,
        aPatched(aChange().to, { containers: [containers[0]!, { ...sideLive, image: sideChange.to }] }),
      ).reason,
    ).toBe("already-runs");
  });
});

describe("blocked digests", () => {
  it("stay when an update ends", () => {
    const refusal = {
      imageName,
      digest: digest("9"),
      tag: "0.9.0",
      reason: "rollout-failed",
      seq: 0,
      at: noon,
    } as const;
    const plan = forward(aPatching(), aPatched(image("3.0.0")), {
      blocked: [refusal],
      last: anEnded(),
    });

    expect(plan.kind === "store" && plan.record.blocked.map((some) => some.digest)).toEqual([digest("9"), digest("1")]);
  });
});
