import { describe, expect, it } from "vitest";
import { ownAnnotations } from "#domain/definitions/annotation-parts";
import { aLive } from "../builders.ts";

const annotations = { "lookout.dev/enabled": "true", "lookout.dev/hold": "freeze" };

describe("the own annotations of a workload", () => {
  it("are those that no definition declares", () => {
    expect(ownAnnotations(aLive({ annotations, declared: ["lookout.dev/enabled"] }))).toEqual({
      "lookout.dev/hold": "freeze",
    });
  });

  it("are all without a definition", () => {
    expect(ownAnnotations(aLive({ annotations }))).toEqual(annotations);
  });
});
