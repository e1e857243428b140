import { untrack, propose } from "./decisions.ts";
import { describe, expect, it } from "vitest";
import { blockRemoved, blockRemovedUpdate } from "#domain/update/decide/manual-change";
import { holdAfter } from "#domain/update/decide/observed-changes";
import {
  aChange,
  aContainer,
  aLive,
  aLiveContainer,
  anEnded,
  anObserved,
  aPatched,
  aPending,
  aRolling,
  at,
  digest,
  image,
  installation,
  noon,
  openFacts,
  imageName,
  settingsOf,
} from "../builders.ts";
import { look, updated } from "./looking.ts";
import { sideLive } from "./planning.ts";
import { side } from "./proposing.ts";

describe("a user's rollback after success", () => {
  const undone = aPatched(image("1.0.0"), { lastWriter: { manager: "kubectl", at: at("2026-03-02T11:58:00Z") } });

  it("is held, with its user and time", () => {
    const record = look(updated(), undone);

    expect(record).toMatchObject({
      hold: {
        reason: "reverted-by-user",
        at: noon,
        seq: 1,
        detail: "reverted by kubectl at 2026-03-02T11:58:00.000Z",
      },
      last: { seq: 1, status: "reverted", endedAt: noon },
      transitions: [{ seq: 1, what: "reverted", detail: "reverted by kubectl at 2026-03-02T11:58:00.000Z" }],
      needsEvaluation: true,
    });
    expect(record).not.toHaveProperty("landed");
  });

  it("keeps the earlier image, so that a moved tag is still a change", () => {
    const containers = [aLiveContainer(), sideLive];
    const observed = anObserved({ containers: [{ ...aContainer(), image: image("1.1.0", "1") }, side] });

    expect(look(updated({ observed }), { ...undone, containers })?.observed.containers).toStrictEqual([
      aContainer(),
      side,
    ]);
  });

  it("is no first sight even if the earlier image is unknown", () => {
    const { fromDigest, ...unknown } = aChange();
    const { digest: _, baseline: __, ...container } = aContainer();

    expect(fromDigest).toBe(digest("0"));
    expect(look(updated({ landed: anEnded({ changes: [unknown] }) }), undone)?.observed.containers).toStrictEqual([
      container,
    ]);
  });

  it("is held even if a later update ended before its patch", () => {
    const withPending = updated({
      seq: 2,
      pending: aPending({
        seq: 2,
        changes: [aChange({ tag: "1.2.0", digest: digest("2"), from: image("1.1.0", "1"), to: image("1.2.0", "2") })],
      }),
    });
    const superseding = propose(
      withPending,
      {
        desiredImages: [{ kind: "satisfied", container: "app", baseline: digest("1") }],
        settings: settingsOf(withPending),
        facts: openFacts,
        detectedAt: noon,
        source: "sync",
        allContainers: true,
      },
      noon,
    );

    const record = look(superseding, undone);

    expect(record?.hold).toMatchObject({ seq: 1 });
  });

  it("is held even if the workload was untracked meanwhile", () => {
    const off = untrack(updated(), noon);

    expect(look(off, undone)?.hold).toMatchObject({ seq: 1 });
  });

  it("is not recognized without Lookout's update label", () => {
    expect(look(updated(), { ...undone, labels: { "lookout.dev/update": "zzz999-1" } })?.hold).toBeUndefined();
    expect(look(updated(), { ...undone, labels: {} })?.hold).toBeUndefined();
  });

  it("is not reported if Lookout itself rolled the update back", () => {
    const { landed, ...record } = updated({ last: { ...anEnded(), status: "rolled-back", reason: "rollout-failed" } });

    expect(landed).toBeDefined();
    expect(look(record, undone)?.hold).toBeUndefined();
  });

  it("is reported once: after an unblock the same object changes nothing", () => {
    const held = look(updated(), undone);
    const { hold: _gone, ...lifted } = held!;

    expect(look(lifted, undone)).toBeUndefined();
  });

  it("of a restart is recognized by the restart alone", () => {
    const restart = { from: "monday", to: "tuesday" };
    const record = updated({
      landed: anEnded({ changes: [aChange({ apply: "restart", from: image("1.0.0"), to: image("1.0.0") })], restart }),
      observed: anObserved({ updateLabel: "abc123-1", restartedAt: "tuesday" }),
    });

    expect(look(record, aPatched(image("1.0.0"), { restartedAt: "monday" }))?.hold).toMatchObject({ seq: 1 });
    expect(look(record, aPatched(image("1.0.0"), { restartedAt: "wednesday" }))?.hold).toBeUndefined();
  });

  it("names no user if the object names none", () => {
    expect(holdAfter(1, aLive(), noon).detail).toBe("reverted by an unknown field manager");
  });
});

describe("another image by a user after success", () => {
  it("stays, and Lookout does not write its image again", () => {
    const record = look(updated(), aPatched(image("1.0.5")));

    expect(record?.hold).toBeUndefined();
    expect(record?.blocked).toEqual([
      { imageName, digest: digest("1"), tag: "1.1.0", reason: "changed-by-hand", seq: 1, at: noon },
    ]);
  });

  it("blocks the digests of the changed containers, each once", () => {
    const side = aChange({ name: "side", digest: digest("4"), tag: "4.0.0", to: image("4.0.0", "4") });
    const live = aPatched(image("1.1.0", "1"), {
      containers: [
        aLiveContainer({ image: image("1.1.0", "1") }),
        aLiveContainer({ index: 1, name: "side", image: image("2.0.0") }),
      ],
    });
    const rolling = aRolling({ changes: [aChange(), side] });
    const once = blockRemovedUpdate(updated(), rolling, live, noon);

    expect(once.map((refusal) => refusal.digest)).toEqual([digest("4")]);
    expect(blockRemovedUpdate(updated({ blocked: once }), rolling, live, noon)).toEqual(once);
  });

  it("also reports that the image did not run", () => {
    const failed = {
      imageName,
      digest: digest("1"),
      tag: "1.1.0",
      reason: "rollout-failed",
      seq: 1,
      at: at("2026-03-02T11:58:00Z"),
    } as const;
    const live = aPatched(image("0.9.0"));

    expect(blockRemovedUpdate(updated({ blocked: [failed] }), aRolling(), live, noon)).toEqual([
      { ...failed, reason: "changed-by-hand", at: noon },
    ]);
  });

  it("leaves the image that an update wrote since the last read, not the image that it replaced", () => {
    const before = updated({ observed: anObserved() });
    const digests = (shown: ReturnType<typeof aPatched>): readonly string[] =>
      blockRemoved(before, shown, installation, noon).map((refusal) => refusal.digest);

    expect(digests(aPatched(image("1.0.5")))).toEqual([digest("1")]);
    expect(digests(aPatched(image("1.1.0", "1")))).toEqual([]);
    expect(digests(aPatched(image("1.0.5"), { labels: {} }))).toEqual([digest("0")]);
  });

  it("is no change if only the digest is removed", () => {
    expect(blockRemoved(updated(), aPatched(image("1.1.0")), installation, noon)).toEqual([]);
  });
});
