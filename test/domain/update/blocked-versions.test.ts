import { describe, expect, it } from "vitest";
import { blockCause, blockDetail, blockReasonOf } from "#domain/workload/block-reason";
import { blockedVersions } from "#domain/update/state/blocked-versions";
import { selectionStillHolds } from "#domain/update/decide/re-evaluation";
import type { BlockedDigest, WorkloadRecord } from "#domain/update/state/workload";
import { aChange, aContainer, anEnded, annotated, anObserved, aRecord, aRolling, digest } from "../builders.ts";
import { image, imageName, noon, settingsOf } from "../builders.ts";

const failed = (tag: string, digit = "9", given: Partial<BlockedDigest> = {}): BlockedDigest => ({
  ...{ imageName, tag, digest: digest(digit), reason: "rollout-failed", seq: 4, at: noon },
  ...given,
});

/** A record whose container runs a tag with the digest 5. */
const running = (
  tag: string,
  blocked: readonly BlockedDigest[],
  settings: Readonly<Record<string, string>> = {},
  given: Partial<WorkloadRecord> = {},
): WorkloadRecord =>
  aRecord({
    seq: 9,
    observed: anObserved({
      containers: [aContainer({ image: image(tag, "5"), digest: digest("5") })],
      annotations: annotated(settings),
    }),
    blocked,
    ...given,
  });

const shown = (record: WorkloadRecord) =>
  blockedVersions(record, settingsOf(record)).map(({ containers, blocked }) => [blocked.tag, ...containers]);

/** The update 6 or another one, which wrote the running image. */
const landed = (tag: string, seq = 6, given = aChange({ tag, digest: digest("5") })) => ({
  landed: anEnded({ seq, changes: [given] }),
});

describe("a blocked version", () => {
  it.each([
    { because: "it is higher than the running version", runs: "1.4.0", tag: "1.4.66", is: true },
    { because: "a higher version runs", runs: "1.5.0", tag: "1.4.66", is: false },
    {
      because: "a lower version was updated to later",
      runs: "1.4.65",
      tag: "1.4.66",
      is: true,
      more: landed("1.4.65"),
    },
    {
      because: "the policy may go back to it",
      ...{ runs: "1.5.0", tag: "1.4.66", is: true },
      settings: { "allow-downgrade": "true", "semver-range": "<1.5" },
    },
    {
      because: "a downgrade is allowed, but the higher version fits",
      ...{ runs: "1.5.0", tag: "1.4.66", is: false },
      settings: { "allow-downgrade": "true" },
    },
    {
      because: "its tag is outside the range",
      ...{ runs: "1.4.0", tag: "1.4.66", is: false },
      settings: { "semver-range": "<1.4.66" },
    },
    { because: "the policy is pinned", runs: "1.4.0", tag: "1.4.66", is: false, settings: { policy: "pinned" } },
    {
      because: "the number is higher",
      ...{ runs: "10", tag: "12", is: true },
      settings: { policy: "numerical" },
    },
    { because: "the number is lower", runs: "14", tag: "12", is: false, settings: { policy: "numerical" } },
    { because: "its tag was pushed later", runs: "a", tag: "b", is: true, settings: { policy: "latest" } },
    {
      because: "a later push was updated to",
      ...{ runs: "a", tag: "b", is: false, settings: { policy: "latest" }, more: landed("a") },
    },
    {
      because: "the update after it was the same",
      ...{ runs: "a", tag: "b", is: true, settings: { policy: "latest" }, more: landed("a", 4) },
    },
    {
      because: "the evaluation after the later update is missing",
      ...{ runs: "a", tag: "b", is: true, settings: { policy: "latest" } },
      more: { ...landed("a"), needsEvaluation: true as const },
    },
    {
      because: "another image than that of the later update runs",
      ...{ runs: "a", tag: "b", is: true, settings: { policy: "latest" } },
      more: landed("a", 6, aChange({ tag: "a", digest: digest("6") })),
    },
    {
      because: "the later update was of another container",
      ...{ runs: "a", tag: "b", is: true, settings: { policy: "latest" } },
      more: landed("a", 6, aChange({ name: "job", tag: "a", digest: digest("5") })),
    },
    {
      because: "the later update was of an init container with this name",
      ...{ runs: "a", tag: "b", is: true, settings: { policy: "latest" } },
      more: landed("a", 6, aChange({ list: "initContainers", tag: "a", digest: digest("5") })),
    },
    { because: "the tag has moved", runs: "main", tag: "main", is: true, settings: { policy: "digest" } },
    {
      because: "the tag has moved again",
      ...{ runs: "main", tag: "main", is: false, settings: { policy: "digest" }, more: landed("main") },
    },
    {
      because: "the policy follows another tag",
      ...{ runs: "main", tag: "edge", is: false, settings: { policy: "digest" } },
    },
    { because: "the tag has a suffix", runs: "1.4.0", tag: "1.4.66-rc.1", is: false },
    {
      because: "matching the tag would take too long",
      ...{ runs: "1.4.0", tag: `1.4.66-${"x".repeat(100)}`, is: true },
      settings: { "exclude-tags": Array.from({ length: 20 }, (_, index) => `*abcdef${index}*`).join(",") },
    },
  ])("is shown ($is): $because", ({ runs, tag, is, settings = {}, more = {} }) => {
    expect(shown(running(runs, [failed(tag)], settings, more))).toEqual(is ? [[tag, "app"]] : []);
  });

  it("is shown while the last evaluation selected it, whatever runs", () => {
    const failure = { container: "app", reason: "digest-blocked", digest: digest("9") } as const;
    const record = (given: object) =>
      running("1.5.0", [failed("1.4.66")], {}, { selectionFailures: [{ ...failure, ...given }] });

    expect(shown(record({}))).toEqual([["1.4.66", "app"]]);
    expect(shown(record({ container: "job" }))).toEqual([]);
    expect(shown(record({ digest: digest("8") }))).toEqual([]);
  });

  it("concerns only the tracked containers of its repository", () => {
    const containers = [
      aContainer({ image: image("1.4.0") }),
      aContainer({ name: "same", image: image("1.5.0") }),
      aContainer({ name: "too", image: image("1.3.0") }),
      aContainer({ name: "other", image: "registry.test/shop/other:1.4.0" }),
      aContainer({ name: "odd", image: "::" }),
      aContainer({ list: "initContainers", name: "init", image: image("1.0.0") }),
    ];
    const record = { ...running("1.4.0", [failed("1.4.66")]), observed: anObserved({ containers }) };

    expect(shown(record)).toEqual([["1.4.66", "app", "too"]]);
    expect(shown({ ...record, blocked: [failed("1.4.66", "9", { imageName: "registry.test/shop/gone" })] })).toEqual(
      [],
    );
  });

  it("has no place where an image without a tag runs", () => {
    const containers = [aContainer({ image: `${imageName}@${digest("5")}`, digest: digest("5") })];
    const record = { ...running("1.4.0", [failed("1.4.66")]), observed: anObserved({ containers }) };

    expect(shown(record)).toEqual([]);
  });

  it("comes before the versions that were blocked earlier", () => {
    expect(shown(running("1.0.0", [failed("1.4.0", "8"), failed("1.2.0")]))).toEqual([
      ["1.2.0", "app"],
      ["1.4.0", "app"],
    ]);
  });
});

describe("the cause of a block", () => {
  const by = "kubectl-set at 2026-03-02T12:00:00.000Z";

  it.each([
    { given: { reason: "rollout-failed" }, reason: "digest-blocked", cause: "failed here (rollout failed)" },
    { given: { reason: "rollout-timed-out" }, reason: "digest-blocked", cause: "failed here (rollout timed out)" },
    { given: { reason: "changed-by-hand", by }, reason: "digest-replaced", cause: `replaced by ${by}` },
    { given: { reason: "changed-by-hand" }, reason: "digest-replaced", cause: "replaced" },
    { given: { reason: "approval-rejected", by: "ana" }, reason: "digest-rejected", cause: "rejected by ana" },
  ] as const)("$reason: $cause", ({ given, reason, cause }) => {
    const blocked = failed("1.4.66", "9", given);

    expect([blockReasonOf(blocked), blockCause(blocked)]).toEqual([reason, cause]);
    expect(blockDetail(blocked)).toBe(`1.4.66 @ ${digest("9")}: update 4, ${cause}`);
  });
});

describe("after a success, the selection", () => {
  it.each([
    { because: "nothing is blocked", blocked: [], holds: true },
    { because: "a digest of its repository is blocked", blocked: [failed("1.4.66")], holds: false },
    {
      because: "only a digest of another repository is blocked",
      blocked: [failed("1.4.66", "9", { imageName: "registry.test/shop/other" })],
      holds: true,
    },
  ])("holds ($holds): $because", ({ blocked, holds }) => {
    const record = aRecord({ seq: 1, active: aRolling(), blocked });

    expect(selectionStillHolds(record, aRolling(), record.observed)).toBe(holds);
  });
});
