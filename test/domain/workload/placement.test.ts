import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayLand, type NodeGroup, type Placement } from "#domain/workload/placement";
import { readPlacement } from "#domain/workload/read-placement";

const asked = { labels: ["disk", "zone", "cpus"], names: ["node-1"] };
const node = (given: Partial<NodeGroup> = {}): NodeGroup => ({
  ...{ os: "linux", architecture: "amd64", labels: { zone: "a", cpus: "8" } },
  ...given,
});
const required = (...nodeSelectorTerms: readonly object[]) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const expression = (key: string, operator: string, ...values: string[]) => ({
  matchExpressions: [{ key, operator, ...(values.length === 0 ? {} : { values }) }],
});
const field = (operator: string, ...values: string[]) => ({
  matchFields: [{ key: "metadata.name", operator, values }],
});
const tolerating = (...tolerations: readonly object[]) => ({ tolerations });
const spot = { key: "spot", value: "yes", effect: "NoSchedule" };

describe("a pod may land on a node", () => {
  it.each([
    { pod: {}, lands: true, because: "nothing limits it" },
    { pod: { nodeSelector: { zone: "a" } }, lands: true, because: "the label has the value" },
    { pod: { nodeSelector: { zone: "b" } }, lands: false, because: "the label has another value" },
    { pod: { nodeSelector: { disk: "ssd" } }, lands: false, because: "the node lacks the label" },
    { pod: { nodeSelector: { zone: "a", disk: "ssd" } }, lands: false, because: "all labels of the selector count" },
    { pod: { nodeSelector: { other: "x" } }, lands: true, because: "the label was not read, so it may be there" },
    { pod: { nodeSelector: { "kubernetes.io/arch": "arm64" } }, lands: false, because: "the node says its own arch" },
    { pod: { nodeSelector: { "beta.kubernetes.io/os": "linux" } }, lands: true, because: "the old label still counts" },
    { pod: { os: { name: "linux" } }, lands: true, because: "the system is the same" },
    { pod: { os: { name: "windows" } }, lands: false, because: "the system is another one" },
    { pod: required(expression("zone", "In", "a", "b")), lands: true, because: "In has the value" },
    { pod: required(expression("zone", "In", "b")), lands: false, because: "In lacks the value" },
    { pod: required(expression("disk", "NotIn", "hdd")), lands: true, because: "NotIn holds without the label" },
    { pod: required(expression("zone", "NotIn", "a")), lands: false, because: "NotIn has the value" },
    { pod: required(expression("zone", "Exists")), lands: true, because: "the label exists" },
    { pod: required(expression("disk", "Exists")), lands: false, because: "the label does not exist" },
    { pod: required(expression("disk", "DoesNotExist")), lands: true, because: "the label is absent" },
    { pod: required(expression("zone", "DoesNotExist")), lands: false, because: "the label is there" },
    { pod: required(expression("cpus", "Gt", "4")), lands: true, because: "8 is greater than 4" },
    { pod: required(expression("cpus", "Gt", "8")), lands: false, because: "8 is not greater than 8" },
    { pod: required(expression("cpus", "Lt", "10")), lands: true, because: "numbers are not compared as texts" },
    { pod: required(expression("zone", "Lt", "10")), lands: false, because: "the label is no number" },
    { pod: required(expression("disk", "Gt", "1")), lands: false, because: "an absent label is no number" },
    { pod: required(expression("zone", "Like", "x")), lands: true, because: "an unknown operator may hold" },
    { pod: required(expression("zone", "In", "b"), expression("zone", "In", "a")), lands: true, because: "one term" },
    { pod: required({ ...expression("zone", "In", "a"), ...field("In", "node-1") }), lands: false, because: "both" },
    { pod: required({}), lands: false, because: "an empty term matches no node" },
    { pod: required(), lands: false, because: "no term matches no node" },
    { pod: required(field("NotIn", "node-1")), lands: true, because: "the node has another name" },
    { pod: required(field("In", "node-9")), lands: true, because: "the name was not read" },
    { pod: { nodeName: "node-1" }, lands: false, because: "the pod names another node" },
    { pod: { nodeName: "node-1" }, on: { name: "node-1", taints: [spot] }, lands: true, because: "no scheduler asks" },
    {
      pod: { nodeName: "node-1", ...required(expression("zone", "In", "b")) },
      on: { name: "node-1" },
      lands: false,
      because: "the node checks the affinity",
    },
    { pod: {}, on: { taints: [spot] }, lands: false, because: "nothing tolerates the taint" },
    { pod: {}, on: { taints: [{ ...spot, effect: "NoExecute" }] }, lands: false, because: "it would be evicted" },
    { pod: {}, on: { taints: [{ ...spot, effect: "PreferNoSchedule" }] }, lands: true, because: "it is a preference" },
    { pod: tolerating({ key: "spot", value: "yes" }), on: { taints: [spot] }, lands: true, because: "Equal is meant" },
    {
      pod: tolerating({ key: "spot", value: "no" }),
      on: { taints: [spot] },
      lands: false,
      because: "the value differs",
    },
    {
      pod: tolerating({ key: "spot", operator: "Exists" }),
      on: { taints: [spot] },
      lands: true,
      because: "of any value",
    },
    {
      pod: tolerating({ operator: "Exists" }),
      on: { taints: [spot] },
      lands: true,
      because: "it tolerates everything",
    },
    {
      pod: tolerating({ key: "spot", operator: "Exists", effect: "NoExecute" }),
      on: { taints: [spot] },
      lands: false,
      because: "the effect differs",
    },
    {
      pod: tolerating({ key: "spot", operator: "Gt", value: "1" }),
      on: { taints: [spot] },
      lands: true,
      because: "an unknown operator may tolerate",
    },
    {
      pod: tolerating({ key: "spot", operator: "Exists" }),
      on: { taints: [spot, { key: "gpu", effect: "NoSchedule" }] },
      lands: false,
      because: "each taint needs a toleration",
    },
  ])("$lands, because $because", ({ pod, on = {}, lands }) => {
    expect(mayLand(readPlacement(pod) ?? {}, node(on), asked)).toBe(lands);
  });

  it("whose labels were too many to keep, unless its own platform forbids it", () => {
    const { labels: _, ...bare } = node();

    expect(mayLand({ nodeSelector: { zone: "b" } }, bare, asked)).toBe(true);
    expect(mayLand({ nodeSelector: { "kubernetes.io/os": "windows" } }, bare, asked)).toBe(false);
  });

  it("even if preferred affinity does not prefer the node", () => {
    const preferred = { preference: expression("zone", "In", "b"), weight: 100 };
    const pod = { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [preferred] } } };

    expect(readPlacement(pod)).toBeUndefined();
  });

  it("with a looser placement, if the pod may land with a stricter placement", () => {
    const key = fc.constantFrom("zone", "disk", "cpus", "unread");
    const value = fc.constantFrom("a", "b", "8");
    const selector = fc.dictionary(key, value, { maxKeys: 3 });
    const taint = fc.record({ key, value, effect: fc.constantFrom("NoSchedule", "NoExecute") });
    const toleration = fc.record({ key, value, operator: fc.constantFrom("Equal", "Exists") }, { requiredKeys: [] });
    const group = fc.record({ labels: fc.dictionary(key, value), taints: fc.array(taint, { maxLength: 2 }) });

    fc.assert(
      fc.property(selector, fc.array(toleration, { maxLength: 3 }), group, (nodeSelector, tolerations, on) => {
        const strict: Placement = { nodeSelector, tolerations };
        const [first, ...rest] = Object.entries(nodeSelector);
        const looser = { nodeSelector: first === undefined ? {} : Object.fromEntries(rest), tolerations };
        const more = { nodeSelector, tolerations: [...tolerations, { operator: "Exists" }] };
        if (!mayLand(strict, node(on), asked)) return;
        expect([looser, more].map((one) => mayLand(one, node(on), asked))).toEqual([true, true]);
      }),
    );
  });
});

describe("a placement", () => {
  it("is read from all its fields, and an empty placement is undefined", () => {
    const pod = {
      nodeName: "node-1",
      nodeSelector: { zone: "a" },
      os: { name: "linux" },
      ...required({ ...expression("disk", "In", "ssd"), ...field("In", "node-2") }),
      ...tolerating({ key: "spot", operator: "Exists", tolerationSeconds: 30 }),
      containers: [],
    };

    expect(readPlacement(pod)).toEqual({
      nodeName: "node-1",
      nodeSelector: { zone: "a" },
      os: "linux",
      affinity: [
        {
          labels: [{ key: "disk", operator: "In", values: ["ssd"] }],
          fields: [{ key: "metadata.name", operator: "In", values: ["node-2"] }],
        },
      ],
      tolerations: [{ key: "spot", operator: "Exists" }],
    });
    expect(readPlacement({ containers: [], nodeSelector: {}, tolerations: [], nodeName: "" })).toBeUndefined();
    expect(readPlacement(undefined)).toBeUndefined();
  });

  it("that is too long limits nothing", () => {
    expect(readPlacement({ nodeSelector: { zone: "x".repeat(9_000) } })).toBeUndefined();
  });
});
