import { describe, expect, it } from "vitest";
import { longestText, textOf, wordsOf } from "#domain/notify/words";
import { epochMs } from "#domain/shared/time";
import type { Fact, FactName } from "#domain/update/events";
import { factNames } from "#domain/update/events";

const change = {
  ...{ list: "containers", name: "app", imageName: "registry.test/shop/api", tag: "1.3.0" },
  ...{ digest: `sha256:${"a".repeat(64)}`, apply: "pin", from: "registry.test/shop/api:1.2.0" },
  ...{ to: "registry.test/shop/api:1.3.0", policy: "semver ^1", attributes: {} },
} as unknown as Fact["changes"][number];

const fact = (name: FactName, more: Partial<Fact> = {}): Fact => ({
  name,
  id: `u/1/1/${name}`,
  workload: { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" },
  ...{ uid: "u", seq: 1, version: 1, at: epochMs(0), changes: [change], reasons: [] },
  ...more,
});

describe("the words of a fact", () => {
  it("say how much it matters, how the update stands, and what happened", () => {
    const all = factNames.map((name) => {
      const { severity, outcome, text } = wordsOf(fact(name, { detail: "3 pods" }));
      return [name, severity, outcome, text].join(" | ");
    });
    expect(all).toMatchInlineSnapshot(`
      [
        "WorkloadTracked | info | none | prod/shop/api: tracked tracking started",
        "WorkloadChanged | debug | none | prod/shop/api: changed 3 pods",
        "WorkloadUntracked | info | none | prod/shop/api: untracked deleted, or no longer enabled",
        "UpdateHeld | notice | waiting | prod/shop/api: 1.2.0 → 1.3.0 is held:",
        "ApprovalRequested | action | waiting | prod/shop/api: asks for the approval of 1.3.0: lookout approve shop/api",
        "ApprovalGiven | info | waiting | prod/shop/api: 3 pods",
        "ApprovalRejected | warning | rejected | prod/shop/api: rejected",
        "ApprovalExpired | warning | waiting | prod/shop/api: expired the time for approval is over",
        "ApprovalVoided | warning | waiting | prod/shop/api: votes void 3 pods voted on other images or settings",
        "UpdateReleased | debug | in-progress | prod/shop/api: released 1.3.0",
        "RolloutPrepared | debug | in-progress | prod/shop/api: prepared 1.3.0",
        "RolloutStarted | info | in-progress | prod/shop/api: 1.2.0 → 1.3.0 is rolled out",
        "RolloutWaiting | info | in-progress | prod/shop/api: waiting 3 pods",
        "WorkloadRunning | info | in-progress | prod/shop/api: runs 1.3.0, 3 pods",
        "RolloutSucceeded | info | succeeded | prod/shop/api: 1.2.0 → 1.3.0 succeeded, 3 pods",
        "RolloutFailed | error | failed | prod/shop/api: failed 1.3.0:",
        "RollbackStarted | error | failed | prod/shop/api: is rolled back from 1.3.0",
        "RolledBack | error | rolled-back | prod/shop/api: rolled back to 1.2.0; 1.3.0 is blocked here until lookout unblock shop/api",
        "RollbackFailed | critical | rollback-failed | prod/shop/api: not recovered",
        "RevertedByUser | warning | reverted | prod/shop/api: reverted",
        "UpdateSuperseded | debug | superseded | prod/shop/api: superseded update 1:",
        "TierCompleted | info | none | prod/shop/api: tier 3 pods",
        "TierHalted | error | none | prod/shop/api: halted 3 pods",
        "HoldEnded | info | none | prod/shop/api: unblocked 3 pods",
        "DigestsUnblocked | info | none | prod/shop/api: unblocked 3 pods",
        "WorkloadSuspended | notice | none | prod/shop/api: suspended 3 pods",
        "WorkloadResumed | info | none | prod/shop/api: resumed 3 pods",
        "VersionKept | notice | none | prod/shop/api: requested 3 pods",
        "TagSkipped | info | none | prod/shop/api: skips 3 pods",
        "BaseImageMoved | info | none | prod/shop/api: base image moved:",
        "EvidenceImported | info | none | prod/shop/api: imported 3 pods",
      ]
    `);
  });

  it("warn of a wait that needs a person, and not of one that ends by itself", () => {
    const severity = (reason: Fact["reasons"][number]["reason"]) =>
      wordsOf(fact("UpdateHeld", { reasons: [{ reason }] })).severity;
    expect(
      ["window-closed", "cluster-budget", "frozen", "needs-approval"].map((one) => severity(one as never)),
    ).toEqual(Array(4).fill("notice"));
    expect(["problem-in-settings", "quarantined", "registry-denied"].map((one) => severity(one as never))).toEqual(
      Array(3).fill("warning"),
    );
  });

  it("name the command for an approval", () => {
    expect(textOf(fact("ApprovalRequested"))).toBe(
      "prod/shop/api: asks for the approval of 1.3.0: lookout approve shop/api",
    );
  });

  it("are one short line without control characters, whatever an event says", () => {
    const hostile = `a\u0000b\nc\u202ed \u001b[31m${"x".repeat(2_000)}\ud800`;
    const text = textOf(fact("RolloutSucceeded", { detail: hostile }));
    expect(text.length).toBeLessThanOrEqual(longestText);
    expect(text).toMatch(/^prod\/shop\/api: 1.2.0 → 1.3.0 succeeded, a\ufffdb c\\u\{202e\}d/);
    expect(/[\p{Cc}\u202e]/u.test(text)).toBe(false);
  });

  it("tell of registries", () => {
    const about = { registry: "registry.test", since: epochMs(0), at: epochMs(60_000), detail: "no answer" };
    expect(wordsOf({ name: "RegistryUnreachable", id: "r/0/RegistryUnreachable", ...about })).toEqual({
      severity: "warning",
      outcome: "none",
      text: "The registry registry.test can't be reached since 1970-01-01T00:00:00.000Z: no answer",
    });
    expect(wordsOf({ name: "RegistryRecovered", id: "r/0/RegistryRecovered", ...about })).toEqual({
      severity: "info",
      outcome: "none",
      text: "The registry registry.test answers again.",
    });
  });
});
