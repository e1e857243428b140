import { describe, expect, it } from "vitest";
import { askReapply } from "#domain/gates/reapply";
import { hours, minutes, plus } from "#domain/shared/time";
import type { RestoredDigest } from "#domain/workload/appliers";
import {
  aChange,
  annotated,
  anObserved,
  aRecord,
  digest,
  image,
  imageName,
  noon,
  openFacts,
  settingsOf,
} from "../builders.ts";

const restoredBy = (manager: string, change: Partial<RestoredDigest> = {}): RestoredDigest => {
  const about = { imageName, digest: digest("1"), tag: "1.1.0", image: image("1.0.0") };
  return { ...about, manager, at: noon, isDoubtful: false, ...change };
};

function ask(
  restored: readonly RestoredDigest[],
  { now = noon, reapply }: { now?: typeof noon; reapply?: string } = {},
) {
  const annotations = annotated(reapply === undefined ? {} : { reapply });
  const record = aRecord({ observed: anObserved({ annotations }), restored });
  const changes = [aChange({ digest: digest("1"), imageName })];
  return askReapply({ now, record, settings: settingsOf(record), seq: 1, changes, facts: openFacts });
}

const opensAt = (...asked: Parameters<typeof ask>): unknown => {
  const answer = ask(...asked);
  return answer.kind === "open" ? "now" : (answer.wait.until ?? "after unblock");
};

describe("the gate of a manifest that was applied again", () => {
  it("names the program, both images and the time", () => {
    expect(ask([restoredBy("kubectl-client-side-apply")])).toEqual({
      kind: "closed",
      wait: {
        reason: "manifest-applied-again",
        detail:
          "kubectl-client-side-apply restored 1.0.0 at 2026-03-02T12:00:00.000Z; 1.1.0 comes again at 2026-03-02T13:00:00.000Z",
        until: plus(noon, hours(1)),
      },
    });
  });

  it("opens at this time, and not before", () => {
    const restored = [restoredBy("kubectl-client-side-apply")];

    expect(opensAt(restored, { now: plus(noon, minutes(59)) })).toBe(plus(noon, hours(1)));
    expect(ask(restored, { now: plus(noon, hours(1)) })).toEqual({ kind: "open" });
  });

  it.each([
    ["kubectl-replace", undefined, plus(noon, hours(1))],
    ["kubectl", undefined, plus(noon, hours(1))],
    ["HashiCorp", undefined, plus(noon, hours(1))],
    ["helm", undefined, "after unblock"],
    ["terraform-provider-helm_v2.12.1_x5", undefined, "after unblock"],
    ["argocd-controller", undefined, "after unblock"],
    ["kustomize-controller", undefined, "after unblock"],
    ["helm", "after 10m", plus(noon, minutes(10))],
    ["kubectl-replace", "ask", "after unblock"],
    ["kubectl-replace", " ASK ", "after unblock"],
    ["kubectl-replace", "After 90m", plus(noon, minutes(90))],
  ])("for %s with reapply %s opens %s", (manager, reapply, instant) => {
    expect(opensAt([restoredBy(manager)], reapply === undefined ? {} : { reapply })).toBe(instant);
  });

  it("waits for a person if the pods were not ready", () => {
    expect(ask([restoredBy("kubectl", { isDoubtful: true })], { reapply: "after 1m" })).toMatchObject({
      wait: {
        detail:
          "kubectl restored 1.0.0 at 2026-03-02T12:00:00.000Z, and the pods of 1.1.0 were not ready; 1.1.0 waits for lookout unblock",
      },
    });
  });

  it.each([
    { digest: digest("2"), because: "another digest" },
    { imageName: "registry.test/shop/web" as const, because: "another repository" },
  ])("is open for $because", ({ because: _, ...change }) => {
    expect(ask([restoredBy("kubectl", change)])).toEqual({ kind: "open" });
  });

  it("shows an image without a tag whole", () => {
    expect(ask([restoredBy("kubectl", { image: "shop/UPPER" })])).toMatchObject({
      wait: { detail: expect.stringContaining("kubectl restored shop/UPPER at") as string },
    });
  });
});
