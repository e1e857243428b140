import { describe, expect, it } from "vitest";
import { containersWithOwners } from "#domain/workload/image-owners";
import { containersAt, type ImagePlaces } from "#domain/workload/image-places";

const repository = "registry.test/shop/cache";
const places: ImagePlaces = {
  kind: "fields",
  paths: { server: ["spec", "image"], exporter: ["spec", "metrics", "image"], constructor: ["spec", "other"] },
  initial: { exporter: repository },
};
const server = { list: "containers", index: 0, name: "server", image: "shop/cache:1" };
const first = { list: "containers", index: 1, name: "exporter", image: repository, isUnset: true };

describe("a container with a repository for its first image", () => {
  it.each([
    ["has none", { metrics: {} }],
    ["has an empty text", { metrics: { image: "" } }],
    ["has null", { metrics: { image: null } }],
    ["names another repository elsewhere", { metrics: { repository: "evil/cache", initialImage: "evil/cache" } }],
  ])("runs this repository without a tag if the object %s", (_, spec) => {
    expect(containersAt(places, { spec: { image: "shop/cache:1", ...spec } })).toEqual([server, first]);
  });

  it.each([
    ["no parent", {}],
    ["a text as parent", { metrics: "on" }],
    ["a list as parent", { metrics: [{ image: "" }] }],
    ["an object as image", { metrics: { image: { name: "evil/cache" } } }],
    ["a number as image", { metrics: { image: 7 } }],
  ])("is no container of an object with %s", (_, spec) => {
    expect(containersAt(places, { spec: { image: "shop/cache:1", ...spec } })).toEqual([server]);
  });

  it("keeps an image of the object", () => {
    const written = { spec: { metrics: { image: "shop/exporter:1" } } };

    expect(containersAt(places, written)).toEqual([
      { list: "containers", index: 1, name: "exporter", image: "shop/exporter:1" },
    ]);
  });

  it("has no owner, although kubectl applied the object without the image too", () => {
    const object = { spec: { metrics: {} } };
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(object) };

    expect(containersWithOwners(places, object, { annotations })).toEqual([first]);
  });
});
