import { describe, expect, it } from "vitest";
import { channelPattern, deliverTransform, longestPattern } from "#contracts/messages/channel-pattern";
import { type ChannelFilter, eventGroups } from "#domain/notify/filter";
import { factNames } from "#domain/update/events";

const filter: ChannelFilter = { form: "facts", names: eventGroups.failures, minSeverity: "debug" };
const detailOf = (more: Partial<ChannelFilter>) => channelPattern({ ...filter, ...more }, "ops", "111122223333").detail;

describe("the pattern of a channel", () => {
  it("names the source, the account and the facts", () => {
    expect(channelPattern(filter, "ops", "111122223333")).toEqual({
      source: ["lookout"],
      account: ["111122223333"],
      "detail-type": eventGroups.failures,
      detail: { again: [{ exists: false }] },
    });
  });

  it.each<{ readonly of: string; readonly more: Partial<ChannelFilter>; readonly detail: object }>([
    { of: "a severity", more: { minSeverity: "critical" }, detail: { severity: ["critical", "action"] } },
    { of: "clusters", more: { clusters: ["prod"] }, detail: { workload: { cluster: ["prod"] } } },
    {
      of: "namespaces",
      more: { namespaces: { allow: ["pay", "shop-*"] } },
      detail: { workload: { namespace: ["pay", { wildcard: "shop-*" }] } },
    },
    {
      of: "other namespaces",
      more: { namespaces: { deny: ["pay", "shop-**"] } },
      detail: { workload: { namespace: [{ "anything-but": { wildcard: ["pay", "shop-*"] } }] } },
    },
    {
      of: "allowed namespaces, without the denied ones, which the function ignores",
      more: { namespaces: { allow: ["shop-*"], deny: ["shop-test"] } },
      detail: { workload: { namespace: [{ wildcard: "shop-*" }] } },
    },
    {
      of: "every namespace but a denied one",
      more: { namespaces: { allow: ["*"], deny: ["shop-test"] } },
      detail: { workload: { namespace: [{ "anything-but": { wildcard: ["shop-test"] } }] } },
    },
    {
      of: "the start of a pattern with many wildcards",
      more: { namespaces: { allow: ["shop-*-a-*-b-*"] } },
      detail: { workload: { namespace: [{ wildcard: "shop-*" }] } },
    },
    { of: "no denied pattern with many wildcards", more: { namespaces: { deny: ["*-a-*-b-*"] } }, detail: {} },
    { of: "the channel's name in annotations", more: { onlyNamed: true }, detail: { channels: ["ops"] } },
  ])("has $of", ({ more, detail }) => {
    expect(detailOf(more)).toEqual({ again: [{ exists: false }], ...detail });
  });

  it("takes facts without a workload only for the whole fleet", () => {
    const names = ["RolledBack", "PushDisputed"] as const;
    const severity = ["warning", "error", "critical", "action"];
    expect(detailOf({ names, minSeverity: "warning" })).toEqual({
      severity,
      $or: [{ name: ["RolledBack"], again: [{ exists: false }] }, { name: ["PushDisputed"] }],
    });
    expect(detailOf({ names, minSeverity: "warning", clusters: ["prod"] })).toEqual({
      severity,
      again: [{ exists: false }],
      workload: { cluster: ["prod"] },
    });
  });

  it("takes what changes a message at any severity", () => {
    const incidents = { form: "incidents", minSeverity: "error", clusters: ["prod"] } as const;

    expect(detailOf(incidents)).toEqual({
      workload: { cluster: ["prod"] },
      $or: [
        { name: eventGroups.failures, severity: ["error", "critical", "action"] },
        { name: ["RolloutSucceeded", "RolledBack", "HoldEnded", "DigestsUnblocked", "WorkloadUntracked"] },
      ],
    });
  });

  it("needs no alternatives where all facts have the same conditions", () => {
    const names = ["RolloutStarted", "RolloutSucceeded"] as const;
    const pattern = channelPattern({ form: "updates", names, minSeverity: "debug" }, "ops", "111122223333");

    expect(pattern["detail-type"]).toEqual([
      ...["RolloutStarted", "RolloutSucceeded", "ApprovalRejected", "RolloutFailed", "RolledBack", "RollbackFailed"],
      ...["RevertedByUser", "UpdateSuperseded"],
    ]);
    expect(pattern.detail).toBeUndefined();
  });

  it("has room for all facts, ten clusters and ten namespaces", () => {
    const names = (what: string) => Array.from({ length: 10 }, (_, index) => `${what}-${index}`);
    const whole: ChannelFilter = {
      ...{ form: "updates", names: factNames, minSeverity: "info", clusters: names("cluster") },
      namespaces: { allow: names("namespace").map((name) => `${name}-*`) },
    };

    expect(JSON.stringify(channelPattern(whole, "ops", "111122223333")).length).toBeLessThan(longestPattern);
  });
});

describe("the message of a rule", () => {
  it("is the command, with the fact as an object", () => {
    const { paths, template } = deliverTransform("ops");

    expect(paths).toEqual({ fact: "$.detail" });
    expect(JSON.parse(template.replace("<fact>", '{"id":"f"}'))).toEqual({
      ...{ name: "Deliver", channel: "ops", fact: { id: "f" } },
    });
  });
});
