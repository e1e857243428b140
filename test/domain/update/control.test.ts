import { describe, expect, it } from "vitest";
import {
  endPassedSkips,
  endSkip,
  keepImages,
  mostKept,
  releasePast,
  resume,
  retryFailed,
  rollBackActive,
  skipTag,
  stopsOf,
  suspend,
} from "#domain/update/decide/control";
import type { KeptImage, LeftTags, SkippedByPerson } from "#domain/workload/control";
import type { BlockedDigest, Transition, WorkloadRecord } from "#domain/update/state/workload";
import { epochMs } from "#domain/shared/time";
import { aChange, aPending, aRecord, aReleased, aRolling, at, digest, imageName, noon } from "../builders.ts";

const ana = { by: "ana", why: "checkout fails", provedBy: "iam" } as const;
const suspension = { by: "ana", why: "checkout fails", at: noon } as const;
const hold = { reason: "reverted-by-user", at: noon, seq: 1, detail: "x" } as const;

const kept = (given: Partial<KeptImage> = {}): KeptImage => ({
  as: "set",
  ...suspension,
  list: "containers",
  container: "app",
  imageName,
  tag: "1.0.0",
  digest: digest("0"),
  platforms: [],
  seq: 1,
  newest: { tag: "1.2.0", digest: digest("2") },
  ...given,
});

const left = (given: Partial<LeftTags> = {}): LeftTags => ({
  ...suspension,
  list: "containers",
  container: "app",
  imageName,
  tags: ["1.1.0", "1.2.0"],
  policy: "semver",
  newest: { tag: "1.2.0", digest: digest("2") },
  ...given,
});

const blocked = (given: Partial<BlockedDigest> = {}): BlockedDigest => ({
  imageName,
  digest: digest("1"),
  tag: "1.1.0",
  reason: "rollback-requested",
  seq: 1,
  at: noon,
  ...given,
});

const skip = (tag: string, given: Partial<SkippedByPerson> = {}): SkippedByPerson => ({
  ...suspension,
  imageName,
  tag,
  ...given,
});

const nothing = { digests: [], tags: [] };

/** The transition of a workload by an act of ana. */
const act = (
  what: Transition["what"],
  action: NonNullable<Transition["action"]>["what"],
  detail: string,
  by: { readonly by: string; readonly why: string; readonly provedBy?: "iam" } = ana,
): Transition => ({
  seq: 0,
  reasons: [],
  changes: [],
  detail: `${detail}; by ${by.by}`,
  what,
  action: { what: action, ...by },
});

const untracked = (given: Partial<WorkloadRecord> = {}): WorkloadRecord => aRecord({ tracked: false, ...given });

describe("a requested version", () => {
  it("of no image changes nothing", () => {
    expect(keepImages(aRecord(), [], nothing, ana, noon)).toBeUndefined();
  });

  it("replaces the earlier one of its container, with the tags that it left, and no other", () => {
    const sidecar = { container: "sidecar" } as const;
    const init = { list: "initContainers" } as const;
    const before = aRecord({
      kept: [kept({ tag: "0.9.0" }), kept(sidecar), kept(init)],
      left: [left({ tags: ["0.9.1"] }), left(sidecar), left(init)],
    });

    expect(keepImages(before, [kept()], { digests: [], tags: [left()] }, ana, noon)).toEqual({
      changes: {
        kept: [kept(sidecar), kept(init), kept()],
        left: [left(sidecar), left(init), left()],
        blocked: [],
      },
      transitions: [act("version-kept", "set", `app: 1.0.0 @ ${digest("0")}`)],
    });
  });

  it("of several containers names each, and ends the tags that they left before", () => {
    const images = [kept(), kept({ container: "sidecar", tag: "2.0.0", digest: digest("3") })];

    expect(keepImages(aRecord({ left: [left()] }), images, nothing, ana, noon)).toEqual({
      changes: { kept: images, left: undefined, blocked: [] },
      transitions: [act("version-kept", "set", `app: 1.0.0 @ ${digest("0")}, sidecar: 2.0.0 @ ${digest("3")}`)],
    });
  });

  it("keeps at most 50 images, and the left tags of 10 containers, the newest", () => {
    const containers = Array.from({ length: mostKept }, (_, at) => ({ container: `c${at}` }));
    const before = aRecord({ kept: containers.map(kept), left: containers.slice(0, 10).map(left) });

    const changes = keepImages(before, [kept()], { digests: [], tags: [left()] }, ana, noon)?.changes;

    expect(changes?.kept).toEqual([...containers.slice(1).map(kept), kept()]);
    expect(changes?.left).toEqual([...containers.slice(1, 10).map(left), left()]);
  });

  it("as a rollback blocks what it leaves in place of earlier blocks, and waits for no limit of its images", () => {
    const other = { imageName: "registry.test/shop/other" };
    const restored = { imageName, digest: digest("0"), times: 1, at: noon } as never;
    const limited = { imageName, digest: digest("0"), reason: "pull-limited", times: 1, until: noon } as never;
    const before = aRecord({
      blocked: [blocked({ reason: "rollout-failed" }), blocked(other)],
      restored: [restored, { ...(restored as object), ...other } as never],
      limited: [limited],
    });
    const image = kept({ as: "rollback" });

    expect(keepImages(before, [image], { digests: [blocked()], tags: [] }, ana, noon)).toEqual({
      changes: {
        kept: [image],
        left: undefined,
        blocked: [blocked(other), blocked()],
        restored: [{ ...(restored as object), ...other }],
        limited: undefined,
      },
      transitions: [act("version-kept", "rollback", `app: 1.0.0 @ ${digest("0")}`)],
    });
  });

  it("ends an update that was released and not sent", () => {
    const active = aReleased();
    const reason = { reason: "version-requested", detail: "set by ana" } as const;
    const { status: _, releasedAt: __, slot: ___, ...core } = active;

    expect(keepImages(aRecord({ seq: 1, active }), [kept()], nothing, ana, noon)).toEqual({
      changes: {
        kept: [kept()],
        left: undefined,
        blocked: [],
        active: undefined,
        last: { ...core, ...reason, status: "superseded", endedAt: noon },
      },
      transitions: [
        act("version-kept", "set", `app: 1.0.0 @ ${digest("0")}`),
        {
          seq: 1,
          what: "superseded",
          reasons: [reason],
          detail: reason.detail,
          changes: active.changes,
          detectedAt: active.detectedAt,
          source: active.source,
        },
      ],
    });
  });

  it("leaves an update whose pods are being replaced", () => {
    const changes = keepImages(aRecord({ seq: 1, active: aRolling() }), [kept()], nothing, ana, noon)?.changes;

    expect(changes).toEqual({ kept: [kept()], left: undefined, blocked: [] });
  });
});

describe("a rollback of a rollout", () => {
  it("begins at once, to the image that ran before and not to the target of lookout.dev/rollback-to", () => {
    const back = { tag: "0.9.0", digest: digest("9"), to: "x" };
    const { progress: _, ...active } = aRolling();
    const why = { reason: "rollback-requested", detail: "ana: checkout fails" } as const;

    expect(rollBackActive(aRolling({ changes: [aChange({ back })] }), ana, noon)).toEqual({
      changes: {
        active: { ...active, status: "rolling-back", failure: { at: noon, ...why }, rollback: { kind: "patching" } },
      },
      transitions: [{ seq: 1, what: "failing", reasons: [why], detail: why.detail, changes: [aChange()] }],
    });
  });
});

describe("a suspension", () => {
  it("stops updates, and evaluates a tracked workload", () => {
    const transitions = [act("suspended", "suspend", "updates stop")];

    expect(suspend(aRecord(), ana, noon)).toEqual({ changes: { suspension, needsEvaluation: true }, transitions });
    expect(suspend(untracked(), ana, noon)).toEqual({ changes: { suspension }, transitions });
  });

  it.each([
    { says: "by another person", given: { by: "ben" }, changes: true },
    { says: "for another reason", given: { why: "sale" }, changes: true },
    { says: "by the same person for the same reason", given: {}, changes: false },
  ])("$says changes it: $changes", ({ given, changes }) => {
    expect(suspend(aRecord({ suspension: { ...suspension, ...given } }), ana, noon) !== undefined).toBe(changes);
  });
});

describe("a resume", () => {
  const stopped = { kept: [kept()], left: [left()], hold };

  it("ends a suspension alone", () => {
    const record = aRecord({ suspension, ...stopped });

    expect(stopsOf(record)).toEqual(["suspension"]);
    expect(resume(record, ana)).toEqual({
      changes: { suspension: undefined, needsEvaluation: true },
      transitions: [act("resumed", "resume", "updates go on: ended the suspension")],
    });
  });

  it("ends a requested version with the tags that it left, and a hold", () => {
    expect(resume(untracked(stopped), ana)).toEqual({
      changes: { kept: undefined, left: undefined, hold: undefined },
      transitions: [
        act(
          "resumed",
          "resume",
          "updates go on: ended the requested version, the skip of the tags that it left, the hold after a revert",
        ),
      ],
    });
  });

  it("changes nothing if nothing stops updates", () => {
    expect(resume(aRecord(), ana)).toBeUndefined();
  });
});

describe("a skip", () => {
  const other = skip("1.1.0", { imageName: "registry.test/shop/other" });

  it("replaces the skip of the same tag of the same repository", () => {
    const before = aRecord({ skips: [skip("1.1.0"), other, skip("1.2.0")] });
    const fresh = skip("1.1.0", { until: at("2026-03-03T12:00:00Z") });

    expect(skipTag(before, [fresh], ana)).toEqual({
      changes: { skips: [other, skip("1.2.0"), fresh], needsEvaluation: true },
      transitions: [act("tag-skipped", "skip", `skips ${imageName}:1.1.0`)],
    });
  });

  it("of two repositories names both", () => {
    expect(skipTag(untracked(), [skip("1.1.0"), other], ana)).toEqual({
      changes: { skips: [skip("1.1.0"), other] },
      transitions: [act("tag-skipped", "skip", `skips ${imageName}:1.1.0, registry.test/shop/other:1.1.0`)],
    });
  });

  it("is one of at most 50, the newest", () => {
    const many = Array.from({ length: mostKept }, (_, at) => skip(`2.${at}.0`));

    expect(skipTag(aRecord({ skips: many }), [skip("1.1.0")], ana).changes.skips).toEqual([
      ...many.slice(1),
      skip("1.1.0"),
    ]);
  });

  it("ends in all repositories", () => {
    const ended = [act("resumed", "end-skip", "no longer skips 1.1.0")];

    expect(endSkip(aRecord({ skips: [skip("1.1.0"), other, skip("1.2.0")] }), "1.1.0", ana)).toEqual({
      changes: { skips: [skip("1.2.0")], needsEvaluation: true },
      transitions: ended,
    });
    expect(endSkip(untracked({ skips: [skip("1.1.0")] }), "1.1.0", ana)).toEqual({
      changes: { skips: undefined },
      transitions: ended,
    });
  });

  it("of another tag does not end", () => {
    expect(endSkip(aRecord({ skips: [skip("1.2.0")] }), "1.1.0", ana)).toBeUndefined();
    expect(endSkip(aRecord(), "1.1.0", ana)).toBeUndefined();
  });

  it("ends at its end, and not before", () => {
    const skips = [skip("1.1.0", { until: noon }), skip("1.2.0", { until: epochMs(noon + 1) }), skip("1.3.0")];
    const lookout = { by: "lookout", why: "the time of the skip passed" };

    expect(endPassedSkips(aRecord({ skips }), noon)).toEqual({
      changes: { skips: skips.slice(1), needsEvaluation: true },
      transitions: [act("resumed", "end-skip", "no longer skips 1.1.0", lookout)],
    });
    expect(endPassedSkips(aRecord({ skips }), epochMs(noon + 1))?.transitions).toEqual([
      act("resumed", "end-skip", "no longer skips 1.1.0, 1.2.0", lookout),
    ]);
    expect(endPassedSkips(aRecord({ skips }), epochMs(noon - 1))).toBeUndefined();
    expect(endPassedSkips(aRecord(), noon)).toBeUndefined();
  });
});

describe("a retry", () => {
  it("evaluates again if nothing failed", () => {
    expect(retryFailed(aRecord(), ana, noon)).toEqual({
      changes: { blocked: [], limited: undefined, needsEvaluation: true },
      transitions: [act("resumed", "retry", "evaluates again")],
    });
  });

  it("unblocks what failed, leaves what people blocked, and ends pauses", () => {
    const failed = (["rollout-failed", "rollout-timed-out", "pods-run-another-digest"] as const).map((reason, index) =>
      blocked({ reason, digest: digest(String(index)) }),
    );
    const byPeople = [blocked(), blocked({ reason: "changed-by-hand" }), blocked({ reason: "approval-rejected" })];
    const later = at("2026-03-02T13:00:00Z");
    const waits = [
      { reason: "window-closed", until: later },
      { reason: pause, until: later },
    ] as const;
    const pending = aPending({ waits });

    expect(retryFailed(aRecord({ blocked: [...failed, ...byPeople], pending }), ana, noon)).toEqual({
      changes: {
        blocked: byPeople,
        limited: undefined,
        pending: { ...pending, waits: [waits[0], { reason: pause, until: noon }] },
        needsEvaluation: true,
      },
      transitions: [
        act("resumed", "retry", `tries again ${failed.map((one) => `${imageName}:1.1.0 @ ${one.digest}`).join(", ")}`),
      ],
    });
  });
});

const pause = "patch-invalid";

describe("a release past gates", () => {
  const until = at("2026-03-02T20:00:00Z");

  it.each([
    { gate: "window", reason: "window-closed" },
    { gate: "window", reason: "blackout-active" },
    { gate: "min-age", reason: "image-too-new" },
  ] as const)("past $gate asks the gate of $reason now, for the present digests only", ({ gate, reason }) => {
    const changes = [aChange(), aChange({ name: "sidecar" }), aChange({ name: "other", digest: digest("2") })];
    const pending = aPending({ changes, waits: [{ reason, until }, { reason: "suspended" }] });
    const { provedBy: _, ...byAna } = ana;

    expect(releasePast(aRecord({ pending }), [gate], ana, noon)).toEqual({
      changes: {
        pending: {
          ...pending,
          waits: [{ reason, until: noon }, { reason: "suspended" }],
          passes: [{ gates: [gate], digests: [digest("1"), digest("2")], ...byAna, at: noon }],
        },
      },
      transitions: [
        {
          seq: 1,
          what: "unblocked",
          reasons: [],
          changes,
          detail: `released past ${gate}; by ana`,
          action: { what: "release", ...ana },
        },
      ],
    });
  });

  it("adds to an earlier release", () => {
    const passes = [{ gates: ["window"], digests: [digest("1")], ...suspension }] as const;
    const pending = aPending({ passes, waits: [{ reason: "window-closed" }, { reason: "image-too-new" }] });
    const decision = releasePast(aRecord({ pending }), ["window", "min-age"], ana, noon);

    expect(decision?.changes.pending?.passes).toEqual([
      ...passes,
      { gates: ["window", "min-age"], digests: [digest("1")], ...suspension },
    ]);
    expect(decision?.transitions).toMatchObject([{ detail: "released past window, min-age; by ana" }]);
  });

  it.each([
    { says: "without a held update", record: aRecord() },
    { says: "of an update that another gate holds", record: aRecord({ pending: aPending() }) },
    {
      says: "past another gate",
      record: aRecord({ pending: aPending({ waits: [{ reason: "image-too-new" }] }) }),
    },
  ])("$says changes nothing", ({ record }) => {
    expect(releasePast(record, ["window"], ana, noon)).toBeUndefined();
  });
});
