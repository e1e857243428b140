import { describe, expect, it } from "vitest";
import { askPullLimit } from "#domain/gates/pull-limit";
import { type EpochMs, minutes, plus } from "#domain/shared/time";
import type { LimitedDigest } from "#domain/workload/pull-limit";
import { aChange, aNewerChange, aRecord, digest, imageName, noon, openFacts, settingsOf } from "../builders.ts";

const quarter = plus(noon, minutes(15));
const limited = {
  imageName,
  digest: digest("1"),
  tag: "1.1.0",
  reason: "pull-limited",
  times: 1,
  until: quarter,
} as const;

function ask(among: readonly LimitedDigest[] | undefined, now: EpochMs = noon, changes = [aChange()]) {
  const record = aRecord(among === undefined ? {} : { limited: among });
  return askPullLimit({ now, record, settings: settingsOf(record), seq: 1, changes, facts: openFacts });
}

describe("the gate of a registry's limit of pulls", () => {
  it("says when the digest is tried again", () => {
    expect(ask([limited])).toEqual({
      kind: "closed",
      wait: { reason: "pull-limited", detail: "1.1.0 is tried again at 2026-03-02T12:15:00.000Z", until: quarter },
    });
  });

  it("opens at this time", () => {
    expect(ask([limited], plus(noon, minutes(14))).kind).toBe("closed");
    expect(ask([limited], quarter)).toEqual({ kind: "open" });
  });

  it("opens for other digests and repositories", () => {
    expect(ask([limited], noon, [aNewerChange()])).toEqual({ kind: "open" });
    expect(ask([{ ...limited, imageName: "registry.test/shop/web" }])).toEqual({ kind: "open" });
    expect(ask(undefined)).toEqual({ kind: "open" });
  });

  it.each(["quota-exceeded", "webhook-unavailable"] as const)("names %s as the reason", (reason) => {
    expect(ask([{ ...limited, reason }])).toMatchObject({ kind: "closed", wait: { reason } });
  });

  it("waits for the last of several digests", () => {
    const later = { ...limited, digest: digest("2"), tag: "1.2.0", until: plus(noon, minutes(30)) };

    expect(ask([limited, later], noon, [aChange(), aNewerChange()])).toMatchObject({
      wait: { detail: "1.2.0 is tried again at 2026-03-02T12:30:00.000Z" },
    });
    expect(ask([later, limited], noon, [aChange(), aNewerChange()])).toMatchObject({ wait: { until: later.until } });
  });
});
