import { describe, expect, it } from "vitest";
import type { LiveContainer } from "#domain/workload/workload";
import { aChange, aPatched, aRolledBack, aRollingBack, digest, image, setByHand } from "../builders.ts";
import { back, restartChange, sideChange, sideLive } from "./planning.ts";

const us = { manager: "lookout", operation: "Update" } as const;

describe("a rollback patch", () => {
  it.each([
    { owner: "is us", live: aPatched(image("1.1.0", "1"), { containers: [{ ...setByHand, imageOwner: us }] }) },
    { owner: "is not told", live: aPatched() },
  ])("restores the image if label and image are Lookout's and the image's owner is $owner", ({ live }) => {
    const plan = back(aRollingBack(), live);

    expect(plan).toMatchObject({
      kind: "patch",
      patch: {
        generation: 8,
        images: [{ list: "containers", name: "app", index: 0, from: image("1.1.0", "1"), to: image("1.0.0") }],
        updateLabel: { from: "abc123-1", to: "abc123-1-back" },
      },
    });
    expect(plan).not.toHaveProperty("intent");
  });

  it.each([
    { from: "before", to: "before" },
    { from: undefined, to: undefined },
  ])("restores the restart $from", ({ from, to }) => {
    const active = aRollingBack({
      changes: [restartChange],
      restart: { ...(from === undefined ? {} : { from }), to: "ours" },
    });
    const plan = back(active, aPatched(image("1.0.0"), { restartedAt: "ours" }));

    expect(plan).toMatchObject({ kind: "patch", patch: { images: [], restart: { from: "ours", to } } });
  });

  it("has landed when the object has the old image and the label of the rollback", () => {
    const plan = back(aRollingBack(), aPatched(image("1.0.0"), { labels: { "lookout.dev/update": "abc123-1-back" } }));

    expect(plan.kind === "store" && plan.record).toMatchObject({
      active: aRolledBack(),
      transitions: [{ seq: 1, what: "rolling-back", reasons: [] }],
    });
  });

  it("ends when a user reverted the update first", () => {
    const plan = back(aRollingBack(), aPatched(image("1.0.0")));

    expect(plan.kind === "store" && plan.record.last).toMatchObject({
      status: "rolled-back",
      reason: "rollout-failed",
      detail: "a user reverted the update first",
    });
  });

  it.each([
    { live: aPatched(image("3.0.0")), reason: "changed-by-hand", because: "someone set another image" },
    {
      live: aPatched(image("1.1.0", "1"), { labels: {} }),
      reason: "already-runs",
      because: "someone put it there again, without our label",
    },
    {
      live: aPatched(image("1.1.0", "1"), { labels: { "lookout.dev/update": "abc123-1-back" } }),
      reason: "already-runs",
      because: "someone put it there again, after the way back",
    },
    {
      live: aPatched(image("1.1.0", "1"), { containers: [setByHand] }),
      reason: "already-runs",
      because: "someone moved the object off it and back on",
    },
    {
      live: aPatched(image("1.1.0", "1"), { containers: [] }),
      reason: "container-gone",
      because: "someone took the container away",
    },
    {
      live: aPatched(image("1.1.0", "1"), { uid: "uid-2" }),
      reason: "object-recreated",
      because: "it is another object",
    },
  ])("writes nothing when $because", ({ live, reason }) => {
    const plan = back(aRollingBack(), live);

    expect(plan.kind === "store" && plan.record.last).toMatchObject({ status: "superseded", reason });
  });

  it("writes nothing when a user wrote one of several images again, in any order", () => {
    const ours = { ...setByHand, imageOwner: us };
    const theirs = {
      ...sideLive,
      image: sideChange.to,
      imageOwner: { manager: "kubectl-set", operation: "Update" },
    } as const;
    const active = aRollingBack({ changes: [aChange(), sideChange] });
    const kindOf = (containers: readonly LiveContainer[]) => back(active, aPatched(aChange().to, { containers })).kind;

    expect(kindOf([ours, theirs])).toBe("store");
    expect(kindOf([theirs, ours])).toBe("store");
    expect(kindOf([ours, { ...theirs, imageOwner: us }])).toBe("patch");
  });

  it("blocks the image that a user replaced, so that no older image is written", () => {
    const plan = back(aRollingBack(), aPatched(image("0.9.0")));

    expect(plan.kind === "store" && plan.record.blocked).toMatchObject([
      { digest: digest("1"), tag: "1.1.0", reason: "changed-by-hand" },
    ]);
  });
});
