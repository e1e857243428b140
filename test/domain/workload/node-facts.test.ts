import { describe, expect, it } from "vitest";
import { hours, minutes, plus } from "#domain/shared/time";
import {
  areOtherNodes,
  askedOfBoth,
  type ClusterNode,
  isListingDue,
  listedNodes,
  neededPlatforms,
  type NodeFacts,
} from "#domain/workload/node-facts";
import { noon } from "../builders.ts";

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
  ])("passes over $key, because such a node may get pods soon", (taint) => {
    const { groups } = listedNodes([node("amd-1", { taints: [taint] })], asked, undefined, noon);

    expect(groups).toEqual([{ os: "linux", architecture: "amd64", labels: { zone: "a" } }]);
  });

  it("drops labels, then taints, of more groups than it keeps, so that more nodes count", () => {
    const each = (given: (index: number) => Partial<ClusterNode>) =>
      Array.from({ length: 300 }, (_, index) => node(`amd-${index}`, given(index)));
    const zones = each((index) => ({ labels: { zone: String(index) } }));
    const taints = each((index) => ({ taints: [{ key: `team-${index}`, effect: "NoSchedule" }] }));

    expect(listedNodes(zones, asked, undefined, noon).groups).toEqual([{ os: "linux", architecture: "amd64" }]);
    expect(listedNodes(taints, asked, undefined, noon).groups).toEqual([{ os: "linux", architecture: "amd64" }]);
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

  it("is due after ten minutes, or when a placement asks for what it lacks", () => {
    const known = listedNodes([node("amd-1")], asked, undefined, noon);
    const more = { labels: ["zone", "disk"], names: [] };

    expect(isListingDue(undefined, asked, noon)).toBe(true);
    expect(isListingDue(known, asked, plus(noon, minutes(9.9)))).toBe(false);
    expect(isListingDue(known, asked, plus(noon, minutes(10)))).toBe(true);
    expect(isListingDue(known, more, noon)).toBe(true);
    expect(askedOfBoth(known, more)).toEqual({ labels: ["disk", "zone"], names: ["arm-1"] });
  });

  it("is another one when its groups are others, and not when only time passed", () => {
    const before = listedNodes([node("amd-1")], asked, undefined, noon);
    const later = plus(noon, minutes(10));
    const denied: NodeFacts = { kind: "denied", at: noon, detail: "no" };

    expect(areOtherNodes(before, listedNodes([node("amd-2")], asked, before, later))).toBe(false);
    expect(areOtherNodes(before, listedNodes([node("arm-2")], asked, before, later))).toBe(true);
    expect(areOtherNodes(before, denied)).toBe(true);
    expect(areOtherNodes(denied, { ...denied, at: later })).toBe(false);
    expect(areOtherNodes(undefined, before)).toBe(true);
  });
});
