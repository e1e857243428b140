import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holdAfter, imageOf, isNews, movedOff, observe, observedFrom, sameObserved, untrack } from "#domain/observation";
import { propose } from "#domain/proposal";
import type { WorkloadRecord } from "#domain/update";
import type { LiveWorkload } from "#domain/workload";
import {
  aChange,
  aContainer,
  aLive,
  aLiveContainer,
  anEnded,
  annotated,
  anObserved,
  aPatched,
  aPending,
  api,
  aRecord,
  aReleased,
  aRolling,
  aRollingBack,
  at,
  digest,
  image,
  installation,
  noon,
  reordered,
  repository,
  settingsOf,
  step,
} from "./builders.ts";

const look = (record: WorkloadRecord | undefined, live: LiveWorkload, running?: Record<string, readonly string[]>) =>
  observe(record, { live, running, installation }, step());

/** The record of a workload that runs 1.1.0 since update 1 succeeded. */
const updated = (given: Partial<WorkloadRecord> = {}) =>
  aRecord({
    seq: 1,
    last: anEnded(),
    observed: anObserved({ containers: [aContainer({ image: image("1.1.0", "1"), digest: digest("1"), baseline: digest("1") })], fence: "abc123-1" }),
    ...given,
  });

describe("the first sight of a workload", () => {
  it("tracks it with what its pods run, and asks its registries, but changes nothing", () => {
    const record = look(undefined, aLive(), { app: [digest("0"), digest("9")] });

    expect(record).toEqual({
      schemaVersion: 1,
      workload: api,
      uid: "uid-1",
      version: 1,
      seq: 0,
      cause: "test",
      changedAt: noon,
      observed: {
        containers: [{ list: "containers", name: "app", image: image("1.0.0"), digest: digest("0") }],
        annotations: { "lookout.dev/enabled": "true" },
        sourceMarks: {},
      },
      refusals: [],
      obstacles: [],
      happened: [{ seq: 0, what: "tracked", reasons: [], changes: [] }],
      toAsk: true,
      tracked: true,
      dueAt: at("2026-03-02T12:01:00Z"),
    });
  });

  it("ignores a workload that does not take part", () => {
    expect(look(undefined, aLive({ annotations: {} }))).toBeUndefined();
    expect(look(undefined, aLive({ annotations: { "lookout.dev/enabled": "false" } }))).toBeUndefined();
  });
});

describe("another look at a workload", () => {
  it("changes nothing when nothing changed", () => {
    expect(look(aRecord(), aLive())).toBeUndefined();
  });

  it("changes nothing for what decisions do not rest on", () => {
    expect(look(aRecord(), aLive({ generation: 99, labels: { team: "shop" }, annotations: { "lookout.dev/enabled": "true", "note": "x" } }))).toBeUndefined();
  });

  it("changes nothing when the table gives a record back with its keys in another order", () => {
    const live = aLive({ annotations: annotated({ policy: "semver" }) });

    expect(look(reordered(aRecord({ observed: anObserved({ annotations: live.annotations }) })), live)).toBeUndefined();
  });

  it("changes nothing after the registry was asked for a container whose image someone owns", () => {
    const live = aLive({ containers: [aLiveContainer({ imageOwner: { manager: "kubectl", operation: "Update" } })] });
    const tracked = look(undefined, live, { app: [digest("0")] });
    const asked =
      tracked &&
      propose(
        tracked,
        {
          wishes: [{ kind: "satisfied", container: "app", baseline: digest("0") }],
          settings: settingsOf(tracked),
          quarantined: [],
          windowSpread: 0 as never,
          detectedAt: noon,
          source: "sync",
          complete: true,
        },
        step(),
      );

    expect(asked?.observed.containers[0]?.baseline).toBe(digest("0"));
    expect(look(asked, live)).toBeUndefined();
  });

  it("adopts an image that someone set, and asks its policy anew", () => {
    const record = look(aRecord({ pending: aPending() }), aLive({ containers: [aLiveContainer({ image: image("3.0.0") })] }));

    expect(record).toMatchObject({
      version: 6,
      toAsk: true,
      observed: { containers: [{ list: "containers", name: "app", image: image("3.0.0") }] },
      happened: [{ seq: 0, what: "observed", detail: `container app has ${image("3.0.0")}` }],
    });
    expect(record?.observed.containers[0]).toEqual({ list: "containers", name: "app", image: image("3.0.0") });
  });

  it("takes changed annotations over and asks the policy anew", () => {
    expect(look(aRecord(), aLive({ annotations: annotated({ suspend: "true" }) }))).toMatchObject({
      toAsk: true,
      observed: { annotations: annotated({ suspend: "true" }) },
      happened: [{ seq: 0, what: "observed", detail: "its annotations changed" }],
    });
  });

  it("keeps the digest that is known of the same text, and believes a pin before everything", () => {
    const known = observedFrom(aLive(), { app: [digest("5")] }, anObserved());
    const pinned = observedFrom(aLive({ containers: [aLiveContainer({ image: image("1.0.0", "7") })] }), { app: [digest("5")] }, anObserved());

    expect(known.containers).toEqual([aContainer()]);
    expect(pinned.containers).toEqual([{ list: "containers", name: "app", image: image("1.0.0", "7"), digest: digest("7") }]);
  });

  it("tells a container from an init container of the other list", () => {
    const seen = observedFrom(aLive({ containers: [aLiveContainer({ list: "initContainers" })] }), undefined, anObserved());

    expect(seen.containers).toEqual([{ list: "initContainers", name: "app", image: image("1.0.0") }]);
  });

  it("remembers label, restart and controller", () => {
    const seen = observedFrom(aPatched(image("1.1.0", "1"), { restartedAt: "then", controller: "Rollout/api" }), undefined, undefined);

    expect(seen).toMatchObject({ fence: "abc123-1", restartedAt: "then", controller: "Rollout/api" });
  });
});

describe("a person's rollback after success", () => {
  const undone = aPatched(image("1.0.0"), { lastWriter: { manager: "kubectl", at: at("2026-03-02T11:58:00Z") } });

  it("is held, with who did it and when", () => {
    const record = look(updated(), undone);

    expect(record).toMatchObject({
      hold: { reason: "taken-back-by-a-person", at: noon, seq: 1, detail: "taken back by kubectl at 2026-03-02T11:58:00.000Z" },
      last: { seq: 1, status: "taken-back", endedAt: noon },
      happened: [{ seq: 1, what: "taken-back", detail: "taken back by kubectl at 2026-03-02T11:58:00.000Z" }],
    });
  });

  it("is held although a later update was given up before it was written", () => {
    const withPending = updated({ seq: 2, pending: aPending({ seq: 2, changes: [aChange({ tag: "1.2.0", digest: digest("2"), from: image("1.1.0", "1"), to: image("1.2.0", "2") })] }) });
    const givenUp = propose(
      withPending,
      {
        wishes: [{ kind: "satisfied", container: "app", baseline: digest("1") }],
        settings: settingsOf(withPending),
        quarantined: [],
        windowSpread: 0 as never,
        detectedAt: noon,
        source: "sync",
        complete: true,
      },
      step(),
    );

    const record = look(givenUp, undone);

    expect(record?.hold).toMatchObject({ seq: 1 });
  });

  it("is held although the workload took no part meanwhile", () => {
    const off = untrack(updated(), step());

    expect(look(off, undone)?.hold).toMatchObject({ seq: 1 });
  });

  it("is not seen where the label is not ours", () => {
    expect(look(updated(), { ...undone, labels: { "lookout.dev/update": "zzz999-1" } })?.hold).toBeUndefined();
    expect(look(updated(), { ...undone, labels: {} })?.hold).toBeUndefined();
  });

  it("is not seen where Lookout itself took the update back", () => {
    expect(look(updated({ last: anEnded({ status: "rolled-back" }) }), undone)?.hold).toBeUndefined();
  });

  it("is told once: after a lift the same object is no news", () => {
    const held = look(updated(), undone);
    const { hold: _gone, ...lifted } = held!;

    expect(look(lifted, undone)).toBeUndefined();
  });

  it("of a restart is seen by the restart alone", () => {
    const restart = { from: "monday", to: "tuesday" };
    const record = updated({
      last: anEnded({ changes: [aChange({ apply: "restart", from: image("1.0.0"), to: image("1.0.0") })], restart }),
      observed: anObserved({ fence: "abc123-1", restartedAt: "tuesday" }),
    });

    expect(look(record, aPatched(image("1.0.0"), { restartedAt: "monday" }))?.hold).toMatchObject({ seq: 1 });
    expect(look(record, aPatched(image("1.0.0"), { restartedAt: "wednesday" }))?.hold).toBeUndefined();
  });

  it("names nobody where the object does not say who it was", () => {
    expect(holdAfter(1, aLive(), step()).detail).toBe("taken back the object does not say by whom");
  });
});

describe("another image by a person after success", () => {
  it("stays, and what Lookout had written there is not written again", () => {
    const record = look(updated(), aPatched(image("1.0.5")));

    expect(record?.hold).toBeUndefined();
    expect(record?.refusals).toEqual([{ repository, digest: digest("1"), tag: "1.1.0", reason: "changed-by-hand", seq: 1, at: noon }]);
  });

  it("is refused for the containers that were changed, and known refusals are not repeated", () => {
    const side = aChange({ name: "side", digest: digest("4"), tag: "4.0.0", to: image("4.0.0", "4") });
    const live = aPatched(image("1.1.0", "1"), { containers: [aLiveContainer({ image: image("1.1.0", "1") }), aLiveContainer({ index: 1, name: "side", image: image("2.0.0") })] });
    const once = movedOff(updated(), { seq: 1, changes: [aChange(), side] }, live, step());

    expect(once.map((refusal) => refusal.digest)).toEqual([digest("4")]);
    expect(movedOff(updated({ refusals: once }), { seq: 1, changes: [aChange(), side] }, live, step())).toEqual(once);
  });
});

describe("a look while an update is on its way", () => {
  it.each([
    { active: aReleased(), because: "it is released" },
    { active: aReleased({ status: "rolling-out" }), because: "its intent is stored" },
  ])("changes nothing before the patch: $because", ({ active }) => {
    expect(look(aRecord({ seq: 1, active }), aLive({ annotations: annotated({ suspend: "true" }) }))).toBeUndefined();
  });

  it.each([
    { active: aRolling(), because: "it rolls out" },
    { active: aRollingBack(), because: "it is taken back" },
  ])("takes over only what people asked for when $because", ({ active }) => {
    const record = aRecord({ seq: 1, active });

    expect(look(record, aPatched(image("9.9.9")))).toBeUndefined();
    expect(look(record, aPatched(image("9.9.9"), { annotations: annotated({ suspend: "true" }) }))).toMatchObject({
      toAsk: true,
      active,
      observed: { ...record.observed, annotations: annotated({ suspend: "true" }) },
    });
  });
});

describe("an object that is gone", () => {
  const open = aRecord({ seq: 2, active: aRolling(), pending: aPending({ seq: 2 }), obstacles: [{ container: "app", reason: "tag-not-found" }], toAsk: true });

  it("ends what was open, and keeps numbers, refusals and holds", () => {
    const record = untrack(open, step());

    expect(record).toMatchObject({
      version: 6,
      seq: 2,
      tracked: false,
      obstacles: [],
      happened: [
        { seq: 0, what: "untracked" },
        { seq: 1, what: "superseded", reasons: [{ reason: "workload-gone" }] },
        { seq: 2, what: "superseded", reasons: [{ reason: "workload-gone" }] },
      ],
    });
    expect(record).not.toHaveProperty("active");
    expect(record).not.toHaveProperty("pending");
    expect(record).not.toHaveProperty("toAsk");
    expect(record).not.toHaveProperty("dueAt");
    expect(untrack(record!, step())).toBeUndefined();
  });

  it("is the same for one that no longer takes part", () => {
    const off = aLive({ annotations: {} });

    expect(look(open, off)?.tracked).toBe(false);
    expect(look(look(open, off), off)).toBeUndefined();
  });

  it("goes on counting when another object has its name", () => {
    const hold = { reason: "taken-back-by-a-person", at: noon, seq: 1, detail: "x" } as const;
    const record = look({ ...open, hold }, aLive({ uid: "uid-2" }));

    expect(record).toMatchObject({ uid: "uid-2", version: 6, seq: 2, tracked: true, toAsk: true, hold });
    expect(record?.happened.map(({ seq, what }) => [seq, what])).toEqual([[0, "tracked"], [1, "superseded"], [2, "superseded"]]);
    expect(record).not.toHaveProperty("active");
    expect(record?.observed.containers).toEqual([{ list: "containers", name: "app", image: image("1.0.0") }]);
  });
});

describe("news in a list", () => {
  it.each([
    { record: undefined, live: aLive(), news: true, because: "nobody met it" },
    { record: undefined, live: aLive({ annotations: {} }), news: false, because: "it takes no part" },
    { record: aRecord({ tracked: false }), live: aLive(), news: true, because: "it takes part again" },
    { record: aRecord({ tracked: false }), live: aLive({ annotations: {} }), news: false, because: "it takes no part as before" },
    { record: aRecord(), live: aLive(), news: false, because: "it is as it was" },
    { record: reordered(aRecord({ observed: anObserved({ annotations: annotated({ apply: "pin" }) }) })), live: aLive({ annotations: annotated({ apply: "pin" }) }), news: false, because: "only the order of keys differs" },
    { record: aRecord(), live: aLive({ uid: "uid-2" }), news: true, because: "it is another object" },
    { record: aRecord(), live: aLive({ annotations: {} }), news: true, because: "it takes no part any more" },
    { record: aRecord(), live: aLive({ containers: [aLiveContainer({ image: image("2.0.0") })] }), news: true, because: "its image differs" },
    { record: aRecord({ active: aRolling() }), live: aPatched(), news: false, because: "an update on its way is judged by its own stage" },
    { record: aRecord({ active: aRolling() }), live: aPatched(image("1.1.0", "1"), { annotations: annotated({ suspend: "true" }) }), news: true, because: "its annotations differ" },
  ])("is $news when $because", ({ record, live, news }) => {
    expect(isNews(record, live)).toBe(news);
  });
});

describe("any look", () => {
  const live = fc.record({
    shown: fc.constantFrom(image("1.0.0"), image("1.1.0", "1"), image("2.0.0")),
    label: fc.constantFrom(undefined, "abc123-1", "abc123-1-back", "zzz-1"),
    suspend: fc.boolean(),
    uid: fc.constantFrom("uid-1", "uid-2"),
    enabled: fc.boolean(),
  });
  const records = [aRecord(), updated(), aRecord({ seq: 1, active: aRolling() }), aRecord({ seq: 1, pending: aPending() }), aRecord({ tracked: false })];

  it("has nothing more to say when it is taken twice", () => {
    fc.assert(
      fc.property(fc.constantFrom(...records), live, (record, { shown, label, suspend, uid, enabled }) => {
        const object = aLive({
          uid,
          containers: [aLiveContainer({ image: shown })],
          labels: label === undefined ? {} : { "lookout.dev/update": label },
          annotations: annotated({ enabled: String(enabled), ...(suspend ? { suspend: "true" } : {}) }),
        });
        const first = look(record, object);

        expect(look(first ?? record, object)).toBeUndefined();
        expect(first?.version ?? record.version + 1).toBe(record.version + 1);
        expect(first?.seq ?? record.seq).toBe(record.seq);
        expect(first?.happened).not.toEqual([]);
      }),
    );
  });

  it("reads images by list and name", () => {
    expect(imageOf(aLive(), { list: "containers", name: "app" })).toBe(image("1.0.0"));
    expect(imageOf(aLive(), { list: "initContainers", name: "app" })).toBeUndefined();
    expect(sameObserved(anObserved(), anObserved())).toBe(true);
  });
});
