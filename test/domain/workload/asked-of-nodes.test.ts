import { describe, expect, it } from "vitest";
import { askedBy, askedOfBoth } from "#domain/workload/asked-of-nodes";
import type { Placement } from "#domain/workload/placement";

const placed = (namespace: string, placement: Placement) => ({ namespace, placement });
const selecting = (...keys: readonly string[]): Placement => ({
  nodeSelector: Object.fromEntries(keys.map((key) => [key, "x"])),
});
const keysOf = (count: number, prefix: string): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(3, "0")}`);

describe("the node labels and names of workloads", () => {
  it("are the labels and names that they use, each once", () => {
    const requirement = { key: "zone", operator: "Exists", values: [] };
    const name = { key: "metadata.name", operator: "In", values: ["node-2", "node-1"] };
    const asked = askedBy([
      placed("shop", selecting("zone", "disk")),
      placed("shop", { nodeName: "node-1", affinity: [{ labels: [requirement], fields: [name] }] }),
    ]);

    expect(asked).toEqual({ labels: ["zone", "disk"], names: ["node-1", "node-2"] });
  });

  it("include labels of each namespace, however many labels another namespace uses", () => {
    const greedy = keysOf(100, "w").map((name) => placed("evil", selecting(...keysOf(250, `a-${name}-`))));
    const { labels } = askedBy([...greedy, placed("shop", selecting("pool", "zone"))]);

    expect(labels.slice(0, 4)).toEqual(["a-w000-000", "pool", "a-w001-000", "zone"]);
    expect(labels).toHaveLength(200);
  });

  it("include labels of each workload of a namespace, and at most 20 of one workload", () => {
    const { labels } = askedBy([placed("shop", selecting(...keysOf(250, "a"))), placed("shop", selecting("pool"))]);

    expect(labels).toEqual(["a000", "pool", ...keysOf(20, "a").slice(1)]);
  });

  it("are limited in characters too, and include no name that Kubernetes rejects", () => {
    const long = keysOf(20, `${"k".repeat(200)}/`).map((key) => placed("evil", selecting(key)));
    const many = [0, 1, 2].flatMap((turn) => long.map((one) => ({ ...one, namespace: `evil-${String(turn)}` })));
    const other = askedBy([placed("shop", { ...selecting("x".repeat(318), "__proto__", "a b"), nodeName: "A b" })]);

    const { labels } = askedBy([
      ...many,
      ...keysOf(40, `${"n".repeat(200)}/`).map((key) => placed("z", selecting(key))),
    ]);
    expect(labels.join("").length).toBeLessThanOrEqual(8_192);
    expect(labels).toHaveLength(40);
    expect(other).toEqual({ labels: [], names: [] });
  });

  it("keep their places for the next listing, and new labels get the remaining places", () => {
    const earlier = { labels: keysOf(199, "a"), names: ["node-1"] };

    expect(askedOfBoth(earlier, { labels: ["pool", "zone"], names: ["node-2"] })).toEqual({
      labels: [...earlier.labels, "pool"],
      names: ["node-1", "node-2"],
    });
  });
});
