import { describe, expect, it } from "vitest";
import { type NodeRule, nodeRuleOf } from "#domain/gates/node-rules";
import { askPlatforms } from "#domain/gates/platforms";
import { hours, minutes, plus } from "#domain/shared/time";
import { listedNodes, type NodeFacts } from "#domain/workload/node-facts";
import type { Placement } from "#domain/workload/placement";
import type { ImageChange } from "#domain/workload/patch";
import { aChange, anObserved, aRecord, noon, openFacts, settingsOf } from "../builders.ts";

const node = (architecture: string) => {
  const labels = { "kubernetes.io/arch": architecture };
  return { name: architecture, os: "linux", architecture, labels, taints: [] };
};
const arch = { labels: ["kubernetes.io/arch"], names: [] };
const listed = (...architectures: string[]): NodeFacts => listedNodes(architectures.map(node), arch, undefined, noon);
const denied: NodeFacts = { kind: "denied", at: noon, detail: "the cluster prod denies the list of nodes" };
const only = (architecture: string): Placement => ({ nodeSelector: { "kubernetes.io/arch": architecture } });

interface Case {
  readonly rule?: NodeRule;
  readonly known?: NodeFacts;
  readonly change?: Partial<ImageChange>;
  readonly placement?: Placement;
  readonly now?: typeof noon;
}

const ask = ({ rule = "require", known, change = {}, placement, now = noon }: Case) => {
  const record = aRecord({ observed: anObserved(placement === undefined ? {} : { placement }) });
  const nodes = { rule, ...(known === undefined ? {} : { known }) };
  const changes = [aChange(change)];
  return askPlatforms({ now, record, settings: settingsOf(record), seq: 1, changes, facts: { ...openFacts, nodes } });
};

describe("the gate of the platforms", () => {
  it("is open without a rule, whatever the image offers", () => {
    const record = aRecord();
    const question = { now: noon, record, settings: settingsOf(record), seq: 1, changes: [aChange({ offers: [] })] };

    expect(askPlatforms({ ...question, facts: openFacts })).toEqual({ kind: "open" });
  });

  it("holds an image that lacks a platform of the nodes, and names both", () => {
    expect(ask({ known: listed("amd64", "arm64"), change: { offers: ["linux/amd64", "windows/amd64"] } })).toEqual({
      kind: "closed",
      wait: {
        reason: "platform-missing",
        detail: "container app: 1.1.0 lacks linux/arm64 and has linux/amd64, windows/amd64",
      },
    });
  });

  it("is open for an image that has the platforms of all nodes on which its pods may land", () => {
    const offers = ["linux/amd64", "linux/arm64/v8"];

    expect(ask({ known: listed("amd64", "arm64"), change: { offers } })).toEqual({
      kind: "open",
      detail: "the nodes have linux/amd64, linux/arm64",
    });
    expect(
      ask({ known: listed("amd64", "arm64"), change: { offers: ["linux/arm64"] }, placement: only("arm64") }),
    ).toEqual({ kind: "open", detail: "the nodes have linux/arm64" });
  });

  it.each([
    { offers: ["linux/arm/v7"], opens: true, because: "nodes never tell the variant of arm" },
    { offers: ["linux/amd64/v1"], on: "amd64", opens: true, because: "each amd64 has the first variant" },
    { offers: ["linux/amd64/v3"], on: "amd64", opens: false, because: "not each amd64 has the third variant" },
    { offers: [], on: "amd64", opens: false, because: "an image may name no platform" },
  ])("judges $offers: $because", ({ offers, on = "arm", opens }) => {
    expect(ask({ known: listed(on), change: { offers } }).kind).toBe(opens ? "open" : "closed");
  });

  it("is closed for an image whose platforms were not read", () => {
    expect(ask({ known: listed("amd64") })).toEqual({
      kind: "closed",
      wait: { reason: "platform-unknown", detail: "container app: 1.1.0" },
    });
  });

  it.each([
    { known: undefined, because: "Lookout has not listed the nodes yet" },
    { known: denied, because: "Lookout may not list the nodes (the cluster prod denies the list of nodes)" },
    { known: listed(), because: "no node of the cluster may run the pods" },
    { known: listed("amd64"), placement: only("arm64"), because: "no node of the cluster may run the pods" },
    { known: listed("amd64"), now: plus(noon, hours(1)), because: "the last listing of the nodes is too old" },
  ])("where nodes are required, it is closed while $because", ({ because, known, ...rest }) => {
    const offers = ["linux/amd64", "linux/arm64"];

    expect(ask({ ...(known && { known }), change: { offers }, ...rest })).toEqual({
      kind: "closed",
      wait: { reason: "nodes-unknown", detail: because },
    });
  });

  it("where nodes are preferred, it compares with the running image instead", () => {
    const fromOffers = ["linux/amd64", "linux/arm64"];
    const detail =
      "Lookout may not list the nodes (the cluster prod denies the list of nodes), so Lookout compares with the running image";
    const asked = { rule: "prefer", known: denied } as const;

    expect(ask({ ...asked, change: { fromOffers, offers: fromOffers } })).toEqual({ kind: "open", detail });
    expect(ask({ ...asked, change: { fromOffers, offers: ["linux/amd64"] } })).toEqual({
      kind: "closed",
      wait: { reason: "platform-missing", detail: "container app: 1.1.0 lacks linux/arm64 and has linux/amd64" },
    });
    expect(ask({ ...asked, change: { fromOffers, offers: ["linux/amd64"] }, placement: only("amd64") })).toEqual({
      kind: "open",
      detail,
    });
  });

  it.each([
    { change: {}, because: "the manifest of the running image is gone" },
    { change: { fromOffers: [] }, because: "the running image names no platform" },
    { change: { fromOffers: ["linux/amd64"] }, because: "its platforms are none on which the pods may land" },
  ])("where nodes are preferred, it is closed while $because, and says so", ({ change }) => {
    const asked = { rule: "prefer", known: denied, placement: only("arm64") } as const;

    expect(ask({ ...asked, change: { ...change, offers: ["windows/amd64"] } })).toEqual({
      kind: "closed",
      wait: {
        reason: "nodes-unknown",
        detail:
          "Lookout may not list the nodes (the cluster prod denies the list of nodes); container app runs an image without a known platform for its pods",
      },
    });
  });

  it("where nodes are preferred and known, the nodes count, not the running image", () => {
    const change = { fromOffers: ["linux/amd64", "linux/arm64"], offers: ["linux/amd64"] };

    expect(ask({ rule: "prefer", known: listed("amd64"), change, now: plus(noon, minutes(59)) }).kind).toBe("open");
  });
});

describe("the rule about nodes", () => {
  const rules = {
    clusters: [{ name: "prod", nodePlatforms: "require" }, { name: "edge", nodePlatforms: "ignore" }, { name: "test" }],
    defaults: { nodePlatforms: "prefer" },
  } as const;

  it("of a cluster wins over the default, which counts for all other clusters", () => {
    expect(["prod", "edge", "test", "registered"].map((name) => nodeRuleOf(rules, name))).toEqual([
      "require",
      undefined,
      "prefer",
      "prefer",
    ]);
  });
});
