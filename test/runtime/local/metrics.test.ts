import { describe, expect, it } from "vitest";
import { summedMetrics } from "#runtime/local/metrics";

describe("the metrics of a process", () => {
  it("sum events and durations, and show the last state of each group of tiers", () => {
    const { port, text } = summedMetrics();
    port.add("UpdatesSucceeded", 1, { workload: "dev/shop/deployment/api" });
    port.add("UpdatesSucceeded", 1, { workload: "prod/shop/deployment/api" });
    port.add("HeldSeconds", 30);
    port.add("TierMembersToUpdate", 3, { group: "shop/api", tag: "1.1.0" });
    port.add("TierMembersToUpdate", 9, { group: 'a"b\\c', tag: "1.1.0" });
    port.add("TierMembersToUpdate", 2, { group: "shop/api", tag: "1.1.0" });
    port.add("TierUpgradingSeconds", 90, { group: "shop/api" });
    port.add("TierUpgradingSeconds", Number.NaN, { group: "shop/web" });

    expect(text().split("\n")).toEqual([
      "# TYPE lookout_updates_succeeded_total counter",
      "lookout_updates_succeeded_total 2",
      "# TYPE lookout_held_seconds summary",
      "lookout_held_seconds_sum 30",
      "lookout_held_seconds_count 1",
      "# TYPE lookout_tier_members_to_update gauge",
      'lookout_tier_members_to_update{group="a\\"b\\\\c"} 9',
      'lookout_tier_members_to_update{group="shop/api"} 2',
      "# TYPE lookout_tier_upgrading_seconds gauge",
      'lookout_tier_upgrading_seconds{group="shop/api"} 90',
      "",
    ]);
  });

  it("show the thousand groups that changed last", () => {
    const { port, text } = summedMetrics();
    for (let group = 0; group < 1_500; group += 1) port.add("TierCurrent", 1, { group: String(group) });
    port.add("TierCurrent", 2, { group: "500" });
    const groups = [...text().matchAll(/group="(\d+)"/g)].map(([, group]) => Number(group));

    expect([groups.length, groups[0], groups.at(-1)]).toEqual([1_000, 501, 500]);
  });
});
