import { describe, expect, it } from "vitest";
import { isSynthetic, syntheticPush } from "#domain/image/synthetic-push";
import { noon } from "../builders.ts";

describe("a synthetic push", () => {
  const push = syntheticPush("doctor-1", noon);

  it("has an image that no workload uses", () => {
    expect(push).toEqual({
      name: "ImagePushed",
      id: "doctor-1",
      registry: "doctor.lookout.dev",
      repository: "synthetic",
      source: "doctor",
      at: noon,
    });
  });

  it("differs from a registry's push and from a false claim about its registry", () => {
    expect(isSynthetic(push)).toBe(true);
    expect(isSynthetic({ ...push, source: "webhook generic" })).toBe(false);
    expect(isSynthetic({ ...push, registry: "registry.test" })).toBe(false);
  });
});
