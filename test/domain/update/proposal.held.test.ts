import { describe, expect, it } from "vitest";
import type { GateFacts } from "#domain/gates/index";
import { endsRegistryOutage, judgedChanges } from "#domain/update/decide/propose";
import type { Reason } from "#domain/shared/reasons";
import type { WorkloadRecord } from "#domain/update/state/workload";
import {
  aChange,
  aContainer,
  aNewerChange,
  anEnded,
  annotated,
  anObserved,
  aPending,
  aRecord,
  aReleased,
  aRolling,
  at,
  digest,
  image,
  noon,
  openFacts,
} from "../builders.ts";
import {
  change,
  satisfied,
  selectionFailure,
  proposed,
  gated,
  suspended,
  side,
  sideChange,
  both,
} from "./proposing.ts";

describe("changed settings", () => {
  const outdated = (given: Partial<WorkloadRecord> = {}) =>
    aRecord({
      seq: 1,
      pending: aPending({ waits: [{ reason: "window-closed", until: noon }] }),
      needsEvaluation: true,
      ...given,
    });

  it("release nothing before the registries are asked again", () => {
    expect(gated(outdated())?.pending?.waits).toEqual([{ reason: "settings-changed" }]);
    expect(proposed(outdated(), [change()], { allContainers: false })?.pending?.waits).toEqual([
      { reason: "settings-changed" },
    ]);
    expect(proposed(outdated(), [change(aNewerChange())], { allContainers: false })?.pending?.waits).toEqual([
      { reason: "settings-changed" },
    ]);
  });

  it("release desired images after all registries were asked", () => {
    const next = proposed(outdated(), [change()]);

    expect(next?.active).toMatchObject({ seq: 1, status: "released" });
    expect(next).not.toHaveProperty("needsEvaluation");
  });

  it("are settled even if nothing else changes", () => {
    expect(proposed(aRecord({ needsEvaluation: true }), [satisfied()])).toEqual({
      ...aRecord(),
      version: 6,
      cause: "test",
      changedAt: noon,
      transitions: [{ seq: 0, what: "observed", reasons: [], changes: [] }],
    });
    expect(proposed(suspended({ seq: 1, pending: aPending(), needsEvaluation: true }), [change()])).not.toHaveProperty(
      "needsEvaluation",
    );
  });
});

describe("the stored result of an evaluation", () => {
  const { baseline, ...unmet } = aContainer();

  it("is the first digest of a tag, once", () => {
    const first = proposed(aRecord({ observed: anObserved({ containers: [unmet] }) }), [satisfied("app", digest("7"))]);

    expect(baseline).toBe(digest("0"));
    expect(first?.observed.containers).toEqual([{ ...unmet, baseline: digest("7") }]);
    expect(proposed(first!, [satisfied("app", digest("8"))])).toBeUndefined();
  });

  it("is the digest of that container's tag", () => {
    const { baseline: _, ...unmetSide } = side;
    const record = aRecord({ observed: anObserved({ containers: [unmet, unmetSide] }) });

    expect(proposed(record, [change(), satisfied("side", digest("7"))])?.observed.containers).toStrictEqual([
      unmet,
      { ...unmetSide, baseline: digest("7") },
    ]);
  });

  it("marks an active update that is no longer desired", () => {
    expect(proposed(aRecord({ seq: 1, active: aRolling() }), [satisfied()])).toMatchObject({
      active: aRolling({ reevaluate: true }),
      transitions: [{ seq: 0, what: "observed" }],
    });
  });

  it("is the selection failure, while it lasts", () => {
    const first = proposed(both(), [selectionFailure("tag-not-found"), selectionFailure("no-tag-fits", "side")]);

    expect(first).toMatchObject({
      selectionFailures: [
        { container: "app", reason: "tag-not-found" },
        { container: "side", reason: "no-tag-fits" },
      ],
      transitions: [
        {
          seq: 0,
          what: "observed",
          reasons: [
            { reason: "tag-not-found", detail: "container app" },
            { reason: "no-tag-fits", detail: "container side" },
          ],
        },
      ],
    });
    expect(proposed(first!, [selectionFailure("tag-not-found")], { allContainers: false })).toBeUndefined();
    expect(proposed(first!, [satisfied()], { allContainers: false })?.selectionFailures).toEqual([
      { container: "side", reason: "no-tag-fits" },
    ]);
  });

  it("is empty for an untracked container", () => {
    const record = both(
      { selectionFailures: [{ container: "side", reason: "repository-not-found" }], needsEvaluation: true },
      { "container.side.enabled": "false" },
    );

    expect(proposed(record, [satisfied()])?.selectionFailures).toEqual([]);
  });

  it("keeps the pending image of a container while its tracking can't be read", () => {
    const changes = [{ ...sideChange, list: "initContainers" }] as const;
    const record = aRecord({
      seq: 1,
      pending: aPending({ changes }),
      observed: anObserved({
        containers: [aContainer(), { ...side, list: "initContainers" }],
        annotations: annotated({ "initContainer.side.enabled": "yess" }),
      }),
    });

    expect(proposed(record, [satisfied()])?.pending).toMatchObject({
      changes,
      waits: [{ reason: "problem-in-settings" }],
    });
  });
});

describe("a check of the gates", () => {
  it("changes nothing if nothing is held, or the same gates are closed", () => {
    expect(gated(aRecord())).toBeUndefined();
    expect(gated(suspended({ seq: 1, pending: aPending(), changedAt: noon }))).toBeUndefined();
  });

  it("releases the update when all gates are open", () => {
    expect(gated(aRecord({ seq: 1, pending: aPending() }))?.active).toEqual(aReleased());
  });

  it("writes an unchanged wait again when it is due", () => {
    const record = suspended({ seq: 1, pending: aPending(), changedAt: at("2026-03-02T06:00:00Z") });

    expect(gated(record, at("2026-03-02T11:59:59Z"))).toBeUndefined();
    expect(gated(record)).toMatchObject({
      version: 6,
      pending: aPending(),
      transitions: [{ seq: 1, what: "still-waiting", reasons: [{ reason: "suspended" }] }],
      effects: { dueAt: at("2026-03-02T18:01:00Z") },
    });
  });

  it("waits for the window, and releases to the second", () => {
    const record = aRecord({
      observed: anObserved({ annotations: annotated({ "maintenance-window": "22:00-23:00" }) }),
    });
    const held = proposed(record, [change()]);

    expect(held?.pending?.waits).toMatchObject([{ reason: "window-closed", until: at("2026-03-02T22:00:00Z") }]);
    expect(gated(held!, at("2026-03-02T21:59:59.999Z"))?.active).toBeUndefined();
    expect(gated(held!, at("2026-03-02T22:00:00Z"))?.active).toMatchObject({ seq: 1 });
  });

  it("holds a digest that a rollback blocked meanwhile", () => {
    const record = aRecord({
      seq: 2,
      pending: aPending({
        seq: 2,
        changes: [aChange({ tag: "1.1.1", to: image("1.1.1", "1") })],
        waits: [{ reason: "rollout-in-progress" }],
      }),
      last: { ...anEnded(), status: "rolled-back", reason: "rollout-failed" },
      blocked: [
        {
          imageName: aChange().imageName,
          digest: digest("1"),
          tag: "1.1.0",
          reason: "rollout-failed",
          seq: 1,
          at: noon,
        },
      ],
    });

    const next = gated(record);
    const ended = { ...record.pending!, status: "superseded", endedAt: noon, reason: "digest-blocked" };
    const { waits, ...last } = ended;

    expect(waits).toBeDefined();
    expect(next?.last).toEqual(last);
    expect(next?.transitions).toMatchObject([{ seq: 2, what: "superseded", reasons: [{ reason: "digest-blocked" }] }]);
    expect(next).not.toHaveProperty("pending");
    expect(next).not.toHaveProperty("active");
  });

  it.each([
    { together: "true", left: undefined },
    { together: "false", left: ["worker"] },
  ])(
    "keeps $left of two containers with together $together, when the digest of one is blocked",
    ({ together, left }) => {
      const worker = aChange({ name: "worker", imageName: "registry.test/shop/worker", digest: digest("2") });
      const { imageName, tag } = aChange();
      const held = aRecord({
        seq: 2,
        observed: anObserved({
          containers: [aContainer(), aContainer({ name: "worker", image: "registry.test/shop/worker:1.0.0" })],
          annotations: annotated({ together, suspend: "true" }),
        }),
        pending: aPending({ seq: 2, changes: [aChange(), worker], waits: [{ reason: "rollout-in-progress" }] }),
        blocked: [{ imageName, tag, digest: digest("1"), reason: "rollout-failed", seq: 1, at: noon }],
      });

      expect(gated(held)?.pending?.changes.map(({ name }) => name)).toEqual(left);
    },
  );

  it("holds an update with one quarantined image", () => {
    const record = both({ seq: 1, pending: aPending({ changes: [aChange(), sideChange] }) });
    const facts = { ...openFacts, quarantined: [{ digest: digest("5"), why: "CVE" }] };

    expect(gated(record, noon, { facts })?.pending?.waits).toEqual([
      { reason: "quarantined", detail: `${digest("5")}: CVE` },
    ]);
  });
});

describe("the pause after a failed try", () => {
  const since = at("2026-03-02T11:59:30Z");
  const until = at("2026-03-02T12:00:30Z");
  const waitsAt = (reason: Reason, facts: Partial<GateFacts> = {}) => {
    const pending = aPending({ waits: [{ reason, until }] });
    const record = aRecord({ seq: 1, pending, changedAt: since });
    return (gated(record, noon, { facts: { ...openFacts, ...facts } }) ?? record).pending?.waits;
  };
  const away = { reason: "cluster-denied", detail: "Forbidden" } as const;

  it.each<{ readonly reason: Reason; readonly facts?: Partial<GateFacts>; readonly because: string }>([
    { reason: "cluster-unreachable", because: "no look was answered since" },
    { reason: "cluster-unreachable", facts: { answeredAt: since }, because: "the last answer is as old as the pause" },
    { reason: "internal-error", facts: { answeredAt: noon }, because: "it is not the cluster's" },
    { reason: "denied-by-admission", facts: { answeredAt: noon }, because: "another answer does not lift it" },
    { reason: "patch-invalid", because: "the same patch would be sent" },
    { reason: "other-repository", because: "the same images would be written" },
  ])("continues: $reason, because $because", ({ reason, facts }) => {
    expect(waitsAt(reason, facts)).toEqual([{ reason, until }]);
  });

  it("ends when the cluster has answered since", () => {
    expect(waitsAt("cluster-unreachable", { answeredAt: noon })).toBeUndefined();
  });

  it("ends when syncs of the cluster report", () => {
    expect(waitsAt("cluster-unreachable", { away })).toEqual([away]);
  });

  it("is missing if a gate had closed, which is asked again", () => {
    expect(waitsAt("window-closed")).toBeUndefined();
  });
});

describe("an evaluation", () => {
  const silent = both({
    selectionFailures: [
      { container: "app", reason: "registry-unreachable" },
      { container: "side", reason: "no-tag-fits" },
      { container: "third", reason: "registry-denied" },
    ],
  });

  it.each([
    { desiredImages: [satisfied()], answers: true, because: "there is an answer for one of them now" },
    { desiredImages: [selectionFailure("no-tag-fits")], answers: true, because: "that nothing fits is an answer" },
    { desiredImages: [selectionFailure("registry-denied")], answers: false, because: "that it denies is none" },
    { desiredImages: [satisfied("side")], answers: false, because: "the other container had its answer" },
    { desiredImages: [], answers: false, because: "nothing was asked" },
  ])("finds a registry that answers again: $answers, because $because", ({ desiredImages, answers }) => {
    expect(endsRegistryOutage(silent, desiredImages)).toBe(answers);
  });
});

describe("the changes that gates judge", () => {
  it("are the changes of every desired image and of the open updates", () => {
    const record = aRecord({
      pending: aPending({ changes: [aNewerChange()] }),
      active: aRolling({ changes: [aChange({ digest: digest("3") }), aNewerChange()] }),
    });

    expect(judgedChanges(record, [change(sideChange), change(), satisfied()])).toEqual([
      sideChange,
      aChange(),
      aNewerChange(),
      aChange({ digest: digest("3") }),
      aNewerChange(),
    ]);
    expect(judgedChanges(aRecord(), [change()])).toEqual([aChange()]);
  });
});
