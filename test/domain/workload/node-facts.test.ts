import { describe, expect, it } from "vitest";
import { hours, minutes, plus } from "#domain/shared/time";
import { areOtherNodes, dueListing, listedNodes, neededPlatforms, type NodeFacts } from "#domain/workload/node-facts";
import type { ClusterNode } from "#domain/workload/node-groups";
import { noon } from "../builders.ts";

const asked200 = Array.from({ length: 200 }, (_, index) => `label-${String(index)}`);
const asked = { labels: ["zone"], names: ["arm-1"] };
const node = (name: string, given: Partial<ClusterNode> = {}): ClusterNode => ({
  ...{ name, os: "linux", architecture: name.startsWith("arm") ? "arm64" : "amd64" },
  labels: { zone: "a", "kubernetes.io/hostname": name },
  taints: [],
  ...given,
});

describe("a listing of nodes", () => {
  it("keeps one group of nodes that no placement can tell apart, with the asked labels alone", () => {
    const spot = { key: "spot", effect: "NoSchedule" };
    const nodes = [node("amd-1"), node("amd-2"), node("amd-3", { taints: [spot] }), node("arm-1"), node("arm-2")];

    expect(listedNodes(nodes, asked, undefined, noon)).toEqual({
      kind: "listed",
      at: noon,
      asked,
      labelsSince: { zone: noon },
      names: ["arm-1"],
      groups: [
        { os: "linux", architecture: "amd64", labels: { zone: "a" }, taints: [spot] },
        { os: "linux", architecture: "amd64", labels: { zone: "a" } },
        { os: "linux", architecture: "arm64", labels: { zone: "a" }, name: "arm-1" },
        { os: "linux", architecture: "arm64", labels: { zone: "a" } },
      ],
      gone: [],
    });
  });

  it.each([
    { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" },
    { key: "node.kubernetes.io/not-ready", effect: "NoExecute" },
    { key: "node.cloudprovider.kubernetes.io/uninitialized", effect: "NoSchedule" },
    { key: "spot", effect: "PreferNoSchedule" },
  ])("ignores the taint $key, because a node with it may get pods soon", (taint) => {
    const { groups } = listedNodes([node("amd-1", { taints: [taint] })], asked, undefined, noon);

    expect(groups).toEqual([{ os: "linux", architecture: "amd64", labels: { zone: "a" } }]);
  });

  it("leaves out only the label that makes more groups than Lookout keeps", () => {
    const nodes = Array.from({ length: 300 }, (_, index) =>
      node(`amd-${String(index)}`, { labels: { rack: String(index % 150), pool: index < 10 ? "gpu" : "cpu" } }),
    );
    const { groups, labelsSince } = listedNodes(nodes, { labels: ["rack", "pool"], names: [] }, undefined, noon);
    const hosts = nodes.map((one) => ({ ...one, labels: { ...one.labels, "kubernetes.io/hostname": one.name } }));
    const both = { labels: ["kubernetes.io/hostname", "pool"], names: [] };

    expect(labelsSince).toEqual({ pool: noon, rack: noon });
    expect(groups).toHaveLength(160);
    expect(listedNodes(hosts, both, undefined, noon)).toMatchObject({
      asked: both,
      labelsSince: { pool: noon },
      groups: [{ labels: { pool: "cpu" } }, { labels: { pool: "gpu" } }],
    });
  });

  it("drops taints that make more groups than Lookout keeps, so that more nodes count", () => {
    const nodes = Array.from({ length: 300 }, (_, index) =>
      node(`amd-${String(index)}`, { taints: [{ key: `team-${String(index)}`, effect: "NoSchedule" }] }),
    );

    expect(listedNodes(nodes, asked, undefined, noon).groups).toEqual([
      { os: "linux", architecture: "amd64", labels: { zone: "a" } },
    ]);
  });

  it("stays small, whatever labels and taints nodes have", () => {
    const nodes = Array.from({ length: 400 }, (_, index) =>
      node(`amd-${String(index)}`, {
        architecture: index === 0 ? "x".repeat(100_000) : `arch${String(index)}`,
        labels: Object.fromEntries(asked200.map((key) => [key, `${String(index)}-${"v".repeat(50)}`])),
      }),
    );
    const first = listedNodes(
      nodes,
      { labels: asked200, names: nodes.slice(0, 200).map(({ name }) => name) },
      undefined,
      noon,
    );
    const next = listedNodes([node("amd-1")], first.asked, first, plus(noon, minutes(10)));

    expect(JSON.stringify(first).length).toBeLessThan(120_000);
    expect(JSON.stringify(next).length).toBeLessThan(120_000);
  });

  it("remembers for 14 days the groups whose nodes an autoscaler removed", () => {
    const before = listedNodes([node("amd-1"), node("arm-2")], asked, undefined, noon);
    const scaled = listedNodes([node("amd-1")], asked, before, plus(noon, hours(1)));
    const arm = { nodeSelector: { "kubernetes.io/arch": "arm64" } };

    expect(neededPlatforms(arm, scaled)).toEqual(["linux/arm64"]);
    expect(neededPlatforms({}, scaled)).toEqual(["linux/amd64"]);
    const last = listedNodes([node("amd-1")], asked, scaled, plus(noon, hours(14 * 24)));
    expect(last.gone).toEqual([]);
    expect(neededPlatforms(arm, last)).toEqual([]);
  });

  it("remembers these groups while a workload starts and stops using another label", () => {
    const pools = { labels: ["pool"], names: [] };
    const amd = node("amd-1", { labels: { team: "shop" } });
    const arm = node("arm-1", { labels: { pool: "arm" } });
    const more = { labels: ["pool", "team"], names: [] };
    const at = (count: number) => plus(noon, minutes(10 * count));
    const first = listedNodes([amd, arm], pools, undefined, noon);
    const gone = listedNodes([amd], pools, first, at(1));
    const begun = listedNodes([amd], more, gone, at(2));
    const ended = listedNodes([amd], pools, begun, at(3));

    for (const listing of [gone, begun, ended]) {
      expect(listing.gone).toEqual([
        { group: { os: "linux", architecture: "arm64", labels: { pool: "arm" } }, seenAt: noon },
      ]);
      expect(neededPlatforms({ nodeSelector: { pool: "arm" } }, listing)).toEqual(["linux/arm64"]);
    }
    // Whether the arm nodes had the other label was never read.
    expect(neededPlatforms({ nodeSelector: { team: "arm" } }, begun)).toEqual(["linux/arm64"]);
    expect(neededPlatforms({ nodeSelector: { team: "shop" } }, begun)).toEqual(["linux/amd64"]);
  });

  it("remembers no names of removed nodes, because names do not return", () => {
    const hosts = { labels: ["kubernetes.io/hostname"], names: ["arm-1", "arm-2"] };
    const first = listedNodes([node("amd-1"), node("arm-1"), node("arm-2")], hosts, undefined, noon);
    const { gone } = listedNodes([node("amd-1")], hosts, first, plus(noon, minutes(10)));

    expect(gone).toEqual([{ group: { os: "linux", architecture: "arm64", labels: {} }, seenAt: noon }]);
  });

  it("is due after ten minutes, or when a placement uses a label that it lacks", () => {
    const known = listedNodes([node("amd-1")], asked, undefined, noon);
    const more = { labels: ["zone", "disk"], names: [] };

    const sync = { asked, complete: false, requested: false };
    expect(dueListing(undefined, sync, noon)).toEqual(asked);
    expect(dueListing(known, sync, plus(noon, minutes(9.9)))).toBeUndefined();
    expect(dueListing(known, sync, plus(noon, minutes(10)))).toEqual(asked);
    expect(dueListing(known, { ...sync, requested: true }, noon)).toEqual(asked);
    // The clock was ahead.
    expect(dueListing({ ...known, at: plus(noon, minutes(6)) }, sync, noon)).toEqual(asked);
    expect(dueListing({ ...known, at: plus(noon, minutes(5)) }, sync, noon)).toBeUndefined();
    expect(dueListing(known, { ...sync, asked: more }, noon)).toEqual({ labels: ["zone", "disk"], names: ["arm-1"] });
    expect(dueListing(known, { ...sync, asked: more, complete: true }, noon)).toEqual(more);
    expect(dueListing({ ...known, crowded: true }, { ...sync, complete: true }, noon)).toEqual(asked);
  });

  it("differs when its groups differ, and not when only time passed", () => {
    const before = listedNodes([node("amd-1")], asked, undefined, noon);
    const later = plus(noon, minutes(10));
    const denied: NodeFacts = { kind: "denied", at: noon, detail: "no" };

    expect(areOtherNodes(before, listedNodes([node("amd-2")], asked, before, later))).toBe(false);
    const turned = { labels: asked.labels.toReversed(), names: asked.names };
    expect(areOtherNodes(before, listedNodes([node("amd-1")], turned, before, later))).toBe(false);
    expect(areOtherNodes(before, listedNodes([node("arm-2")], asked, before, later))).toBe(true);
    expect(areOtherNodes(before, denied)).toBe(true);
    expect(areOtherNodes(denied, { ...denied, at: later })).toBe(false);
    expect(areOtherNodes(undefined, before)).toBe(true);
  });
});
