import { describe, expect, it } from "vitest";
import { placesOf, templateAt } from "#domain/workload/image-places";
import type { BuiltInKind } from "#domain/workload/kinds";
import { containersOf } from "#domain/workload/pod-template";

const template = (name: string) => ({ spec: { containers: [{ name, image: `${name}:1` }] } });

describe("the pod template of an object", () => {
  it.each<BuiltInKind>(["Deployment", "StatefulSet", "DaemonSet"])("of kind %s is its own", (kind) => {
    expect(templateAt(placesOf(kind), { spec: { template: template("own") } })).toEqual(template("own"));
    expect(templateAt(placesOf(kind), { spec: {} })).toBeUndefined();
  });

  it("of kind CronJob is the template of its Jobs", () => {
    const places = placesOf("CronJob");

    expect(templateAt(places, { spec: { jobTemplate: { spec: { template: template("jobs") } } } })).toEqual(
      template("jobs"),
    );
    expect(templateAt(places, { spec: { template: template("own") } })).toBeUndefined();
  });

  it.each([
    ["no object", "nginx:1"],
    ["without a spec", {}],
    ["whose containers are no list", { spec: { containers: { app: {} } } }],
    ["with a container without a name", { spec: { containers: [{ image: "nginx:1" }] } }],
    ["with an image that is no text", { spec: { containers: [{ name: "app", image: 1 }] } }],
  ])("is none if it is %s", (_, written) => {
    expect(templateAt(placesOf("Deployment"), { spec: { template: written } })).toBeUndefined();
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
