import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { differsFromRecord } from "#domain/update/decide/observe";
import { imageOf } from "#domain/workload/workload";
import {
  aLive,
  aLiveContainer,
  annotated,
  anObserved,
  aPatched,
  aPending,
  aRecord,
  aReleased,
  aRolling,
  at,
  image,
  noon,
  reordered,
} from "../builders.ts";
import { look, updated } from "./looking.ts";

/** As many labels as a record keeps, all before `tier`. */
const twentyLabels = Object.fromEntries(
  Array.from({ length: 20 }, (_, place) => [`a${String(place).padStart(2, "0")}`, ""]),
);

describe("changes of a list", () => {
  it.each([
    { record: undefined, live: aLive(), news: true, because: "nobody met it" },
    { record: undefined, live: aLive({ annotations: {} }), news: false, because: "it is not tracked" },
    { record: aRecord({ tracked: false }), live: aLive(), news: true, because: "it is tracked again" },
    {
      record: aRecord({ tracked: false }),
      live: aLive({ annotations: {} }),
      news: false,
      because: "it is not tracked, as before",
    },
    { record: aRecord(), live: aLive(), news: false, because: "it is as it was" },
    {
      record: reordered(aRecord({ observed: anObserved({ annotations: annotated({ apply: "pin" }) }) })),
      live: aLive({ annotations: annotated({ apply: "pin" }) }),
      news: false,
      because: "only the order of keys differs",
    },
    { record: aRecord(), live: aLive({ uid: "uid-2" }), news: true, because: "it is another object" },
    { record: aRecord(), live: aLive({ annotations: {} }), news: true, because: "it is not tracked any more" },
    {
      record: aRecord(),
      live: aLive({ containers: [aLiveContainer({ image: image("2.0.0") })] }),
      news: true,
      because: "its image differs",
    },
    {
      record: aRecord({ active: aRolling() }),
      live: aPatched(),
      news: false,
      because: "an update on its way is judged by its own stage",
    },
    {
      record: aRecord({ active: aRolling() }),
      live: aPatched(image("1.1.0", "1"), { annotations: annotated({ suspend: "true" }) }),
      news: true,
      because: "its annotations differ",
    },
    {
      record: aRecord({ observed: anObserved({ labels: { ...twentyLabels, tier: "dev" } }) }),
      live: aLive({ labels: { ...twentyLabels, tier: "prod" }, namedLabels: { tier: "prod" } }),
      news: true,
      because: "its twenty-first label differs, which the rules of tiers name",
    },
    {
      record: aRecord({ observed: anObserved({ labels: { ...twentyLabels, tier: "dev" } }) }),
      live: aLive({ labels: twentyLabels }),
      news: true,
      because: "its label of tiers is gone",
    },
    {
      record: aRecord({ observed: anObserved({ labels: twentyLabels }) }),
      live: aLive({ labels: { ...twentyLabels, zone: "b" } }),
      news: false,
      because: "its twenty-first label differs, which no rule names",
    },
    {
      record: aRecord({ active: aReleased() }),
      live: aLive({ containers: [aLiveContainer({ image: image("2.0.0") })] }),
      news: true,
      because: "its image differs before the patch of an update",
    },
    { record: aRecord({ active: aReleased() }), live: aLive(), news: false, because: "an update is just released" },
  ])("are $news when $because", ({ record, live, news }) => {
    expect(differsFromRecord(record, live)).toBe(news);
  });
});

describe("a workload that is tracked again", () => {
  const off = aRecord({ tracked: false });

  it("is tracked again, and its registries are asked", () => {
    expect(look(off, aLive())).toStrictEqual({
      ...aRecord(),
      version: 6,
      cause: "test",
      changedAt: noon,
      needsEvaluation: true,
      transitions: [{ seq: 0, what: "tracked", reasons: [], changes: [] }],
      effects: { dueAt: at("2026-03-02T12:01:00Z") },
    });
  });

  it("has the image that a user set meanwhile", () => {
    expect(look(off, aLive({ containers: [aLiveContainer({ image: image("3.0.0") })] }))).toMatchObject({
      version: 6,
      tracked: true,
      observed: { containers: [{ image: image("3.0.0") }] },
      blocked: [{ tag: "1.0.0", reason: "changed-by-hand" }],
      transitions: [{ seq: 0, what: "tracked" }],
    });
  });
});

describe("any observation", () => {
  const live = fc.record({
    shown: fc.constantFrom(image("1.0.0"), image("1.1.0", "1"), image("2.0.0")),
    label: fc.constantFrom(undefined, "abc123-1", "abc123-1-back", "zzz-1"),
    suspend: fc.boolean(),
    uid: fc.constantFrom("uid-1", "uid-2"),
    enabled: fc.boolean(),
  });
  const records = [
    aRecord(),
    updated(),
    aRecord({ seq: 1, active: aRolling() }),
    aRecord({ seq: 1, pending: aPending() }),
    aRecord({ tracked: false }),
  ];

  it("changes nothing when it is repeated", () => {
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
        const labelled = enabled && label?.startsWith("abc123-1") === true ? 1 : 0;
        expect((first ?? record).seq).toBe(Math.max(record.seq, labelled));
        expect(first?.transitions).not.toEqual([]);
      }),
    );
  });

  it("reads images by list and name", () => {
    expect(imageOf(aLive(), { list: "containers", name: "app" })).toBe(image("1.0.0"));
    expect(imageOf(aLive(), { list: "initContainers", name: "app" })).toBeUndefined();
  });
});
