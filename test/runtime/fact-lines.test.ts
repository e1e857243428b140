import { describe, expect, it } from "vitest";
import { stepsOf } from "#domain/history/steps";
import type { Fact, FactName } from "#domain/update/events";
import { namesFor, stepClock, stepLine } from "#runtime/fact-lines";
import { aChange, api, at, digest } from "../domain/builders.ts";
import { sideChange } from "../domain/update/planning.ts";

const aFact = (given: Partial<Fact>): Fact => ({
  name: "UpdateHeld",
  id: "uid-1/1/5/UpdateHeld",
  workload: api,
  uid: "uid-1",
  seq: 1,
  version: 5,
  at: at("2026-03-02T12:00:01.500Z"),
  changes: [aChange()],
  reasons: [],
  ...given,
});
const lines = (given: Partial<Fact>): readonly string[] => {
  const fact = aFact(given);
  return stepsOf(fact).map((step) => stepLine(fact, step, stepClock("UTC"), { names: "one-cluster" }));
};
/** Told 1.5 s after the push, or the look, that it comes from. */
const ofPush = { source: "webhook distribution", detectedAt: at("2026-03-02T12:00:00Z") };
const ofLook = { source: "sync", detectedAt: at("2026-03-02T12:00:01Z") };
const failed = [{ reason: "rollout-failed", detail: "app: ErrImagePull" }] as const;
const says = "shop/api          ";

describe("a printed fact", () => {
  it.each<{ readonly given: Partial<Fact>; readonly line: string }>([
    { given: { name: "WorkloadTracked" }, line: "  tracked      tracking started" },
    {
      given: { name: "WorkloadUntracked" },
      line: "  untracked    deleted, or no longer enabled",
    },
    { given: { name: "SomethingNew" as FactName }, line: "  fact         SomethingNew" },
    { given: { name: "WorkloadChanged", detail: "container app has x" }, line: "  changed      container app has x" },
    { given: { name: "RolloutStarted", ...ofPush }, line: "  patched      container app   1.5 s after the push" },
    {
      given: { name: "RolloutStarted", ...ofLook, changes: [aChange(), sideChange] },
      line: "  patched      containers app, side   500 ms after it was found",
    },
    {
      given: { name: "RolloutStarted", ...ofPush, at: at("2026-03-02T12:00:01Z") },
      line: "  patched      container app   1.0 s after the push",
    },
    { given: { name: "RolloutStarted" }, line: "  patched      container app" },
    {
      given: { name: "RolloutWaiting", detail: "the pods change again" },
      line: "⏸ waiting      the pods change again",
    },
    {
      given: { name: "WorkloadRunning", detail: "3 pods", ...ofPush },
      line: "✓ running      3 pods   1.5 s after the push",
    },
    { given: { name: "RolloutSucceeded", detail: "3 pods" }, line: "✓ succeeded    3 pods" },
    { given: { name: "RolloutSucceeded" }, line: "✓ succeeded" },
    { given: { name: "HoldEnded", detail: "hold; by ann" }, line: "  unblocked    hold; by ann" },
    {
      given: { name: "EvidenceImported", detail: "ana imported the vote of ben" },
      line: "  imported     ana imported the vote of ben",
    },
    { given: { name: "DigestsUnblocked", detail: "1.5.0; by ann" }, line: "  unblocked    1.5.0; by ann" },
    {
      given: { name: "RolledBack", reasons: failed, changes: [aChange(), sideChange] },
      line: "↩ rolled back  to 1.0.0, 4.0.0; 1.1.0, 4.1.0 is blocked here until lookout unblock shop/api",
    },
    {
      given: { name: "RolledBack", reasons: [{ reason: "pull-limited" }], changes: [aChange()] },
      line: "↩ rolled back  to 1.0.0; 1.1.0 comes again later",
    },
    {
      given: { name: "RolloutFailed", reasons: failed, ...ofPush },
      line: "✗ failed       1.1.0: app: ErrImagePull   1.5 s after the push",
    },
    { given: { name: "RolloutFailed", reasons: failed, changes: [] }, line: "✗ failed       app: ErrImagePull" },
  ])("is $line", ({ given, line }) => {
    expect(lines(given)).toEqual([`${given.at === undefined ? "12:00:01.500" : "12:00:01.000"}  ${says} ${line}`]);
  });

  it.each<{ readonly given: Partial<Fact>; readonly line: string }>([
    { given: { name: "WorkloadTracked", reasons: failed }, line: "✗ problem      WHY" },
    { given: { name: "WorkloadChanged", reasons: failed, detail: "x" }, line: "✗ problem      WHY" },
    { given: { name: "RollbackFailed", reasons: failed }, line: "✗ not recovered WHY" },
    { given: { name: "RevertedByUser", reasons: failed }, line: "✗ reverted     WHY" },
    { given: { name: "UpdateSuperseded", reasons: failed }, line: "  superseded   update 1: WHY" },
  ])("shows the reason: $line", ({ given, line }) => {
    expect(lines(given)).toEqual([
      `12:00:01.500  ${says} ${line.replace("WHY", "The new image did not run: app: ErrImagePull")}`,
    ]);
  });

  it("shows twelve characters of a digest in a message of the cluster", () => {
    const detail = `ErrImagePull in container app (registry.test/shop/app:1.1.0@sha256:${"1".repeat(64)})`;

    expect(lines({ name: "RolloutFailed", reasons: [{ reason: "rollout-failed", detail }] })).toEqual([
      `12:00:01.500  ${says} ✗ failed       1.1.0: ErrImagePull in container app (registry.test/shop/app:1.1.0@sha256:111111111111…)`,
    ]);
  });

  it("tells a failure in two lines: what failed, and what runs again", () => {
    const told = ["RolloutFailed", "RollbackStarted", "RolledBack"] as const;
    const blocked = { name: "WorkloadChanged", reasons: [{ reason: "digest-blocked", detail: "1.1.0" }] } as const;

    expect([...told.map((name) => ({ name, reasons: failed })), blocked].flatMap(lines)).toEqual([
      `12:00:01.500  ${says} ✗ failed       1.1.0: app: ErrImagePull`,
      `12:00:01.500  ${says} ↩ rolled back  to 1.0.0; 1.1.0 is blocked here until lookout unblock shop/api`,
    ]);
  });

  it("shows every wait of an update, and its end", () => {
    const until = at("2026-03-02T22:00:00Z");

    expect(lines({ reasons: [{ reason: "planned-freeze", detail: "prod: closing" }] })).toEqual([
      `12:00:01.500  ${says} ⏸ held         A planned freeze of lookout.yaml covers this workload: prod: closing`,
    ]);
    expect(lines({ reasons: [{ reason: "suspended" }, { reason: "window-closed", until }] })).toEqual([
      `12:00:01.500  ${says} ⏸ held         Updates of this workload are suspended · The maintenance window is closed until 2026-03-02T22:00:00.000Z`,
    ]);
  });
});

describe("a printed selection", () => {
  it("shows the push if its sender notified Lookout, and then the selection", () => {
    expect(lines({ name: "UpdateReleased", selected: true, ...ofPush, changes: [aChange(), sideChange] })).toEqual([
      `12:00:00.000  ${says}   pushed       registry.test/shop/app:1.1.0 @ 111111111111  (webhook distribution)`,
      `12:00:00.000  ${says}   pushed       registry.test/shop/side:4.1.0 @ 555555555555  (webhook distribution)`,
      `12:00:01.500  ${says}   selected     1.0.0 → 1.1.0   semver`,
      `12:00:01.500  ${says}   selected     4.0.0 → 4.1.0   semver`,
    ]);
  });

  it("shows a found image without a notification", () => {
    expect(lines({ name: "UpdateReleased", selected: true, ...ofLook })[0]).toBe(
      `12:00:01.000  ${says}   found        registry.test/shop/app:1.1.0 @ 111111111111  (sync)`,
    );
    expect(lines({ name: "UpdateReleased", selected: true })[0]).toBe(
      `12:00:01.500  ${says}   found        registry.test/shop/app:1.1.0 @ 111111111111  ()`,
    );
  });

  it.each([
    { from: "nginx", selected: "latest → 1.1.0" },
    { from: `nginx@${digest("7")}`, selected: "sha256:777777777777… → 1.1.0" },
    { from: "shop/UPPER", selected: "shop/UPPER → 1.1.0" },
  ])("shows a selection over $from: $selected", ({ from, selected }) => {
    expect(lines({ name: "UpdateReleased", selected: true, changes: [aChange({ from })] })[1]).toBe(
      `12:00:01.500  ${says}   selected     ${selected}   semver`,
    );
  });
});

describe("a fact without a line", () => {
  it.each(["UpdateReleased", "RolloutPrepared", "WorkloadChanged", "RolloutWaiting", "RollbackStarted"] as const)(
    "is %s",
    (name) => {
      expect(lines({ name })).toEqual([]);
    },
  );
});

describe("the name in a printed fact", () => {
  it.each([
    { clusters: 0, name: "shop/api" },
    { clusters: 1, name: "shop/api" },
    { clusters: 2, name: "prod/shop/api" },
  ])("has a cluster only if there are several: $clusters", ({ clusters, name }) => {
    const fact = aFact({ name: "RolloutSucceeded" });

    expect(stepsOf(fact).map((step) => stepLine(fact, step, stepClock("UTC"), { names: namesFor(clusters) }))).toEqual([
      `12:00:01.500  ${name.padEnd(18)} ✓ succeeded`,
    ]);
  });
});
