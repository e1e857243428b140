import { describe, expect, it } from "vitest";
import { containersOf, podTemplateOf } from "#domain/workload/pod-template";
import type { WorkloadKind } from "#domain/workload/kinds";

describe("the pod template of an object", () => {
  it.each<WorkloadKind>(["Deployment", "StatefulSet", "DaemonSet"])("of kind %s is its own", (kind) => {
    expect(podTemplateOf(kind, { spec: { template: "own" } })).toBe("own");
    expect(podTemplateOf(kind, { spec: {} })).toBeUndefined();
  });

  it("of kind CronJob is the template of its Jobs", () => {
    expect(podTemplateOf("CronJob", { spec: { jobTemplate: { spec: { template: "of its Jobs" } } } })).toBe(
      "of its Jobs",
    );
    expect(podTemplateOf("CronJob", { spec: { template: "own" } })).toBeUndefined();
  });
});

describe("the containers of a pod template", () => {
  it("are all containers with their place in their list, the init containers last", () => {
    const spec = {
      initContainers: [{ name: "migrate", image: "migrate:1" }],
      containers: [{ name: "app", image: "app:1" }, { name: "injected" }],
    };

    expect(containersOf({ spec })).toEqual([
      { list: "containers", index: 0, name: "app", image: "app:1" },
      { list: "containers", index: 1, name: "injected", image: "" },
      { list: "initContainers", index: 0, name: "migrate", image: "migrate:1" },
    ]);
  });

  it("have the pull policy of the template, if it is one of Kubernetes", () => {
    const containers = ["Always", "IfNotPresent", "Never", "Sometimes", 1, undefined].map((imagePullPolicy, index) => ({
      name: `app-${String(index)}`,
      image: "app:1",
      imagePullPolicy,
    }));

    expect(containersOf({ spec: { containers } }).map((container) => container.pullPolicy)).toEqual([
      "Always",
      "IfNotPresent",
      "Never",
      ...[undefined, undefined, undefined],
    ]);
    expect(containersOf({ spec: { containers: containers.slice(3, 4) } })).toEqual([
      { list: "containers", index: 0, name: "app-3", image: "app:1" },
    ]);
  });

  it("are none where a list is missing, or null", () => {
    expect(containersOf({ spec: { containers: null } })).toEqual([]);
  });
});
