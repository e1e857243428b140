import { describe, expect, it } from "vitest";
import { isSynthetic, syntheticPush } from "#domain/image/synthetic-push";
import { noon } from "../builders.ts";

describe("a synthetic push", () => {
  const push = syntheticPush("doctor-1", noon);

  it("is of an image that nobody has", () => {
    expect(push).toEqual({
      name: "ImagePushed",
      id: "doctor-1",
      registry: "doctor.lookout.dev",
      repository: "synthetic",
      source: "doctor",
      at: noon,
    });
  });

  it("is told from those that registries send, and from what somebody else says of its registry", () => {
    expect(isSynthetic(push)).toBe(true);
    expect(isSynthetic({ ...push, source: "webhook generic" })).toBe(false);
    expect(isSynthetic({ ...push, registry: "registry.test" })).toBe(false);
  });
});
