import { describe, expect, it } from "vitest";
import { labelsAt } from "#domain/workload/node-groups";

describe("the labels of a node", () => {
  it("are the labels that placements use, in the order of the keys", () => {
    const labels = { zone: "a", rack: "r1", pool: "" };

    expect(Object.entries(labelsAt(labels, ["pool", "gpu", "zone"]))).toEqual([
      ["pool", ""],
      ["zone", "a"],
    ]);
  });

  it("are none for a key that only the prototype of an object has", () => {
    expect(labelsAt({ zone: "a" }, ["constructor"])).toEqual({});
  });
});
