import { describe, expect, it } from "vitest";
import { durationMs, minutes } from "#domain/shared/time";
import { api, host, trackApi, type World, worldWithApi } from "../world.ts";

const labelsOf = (lookout: World) => lookout.cluster.object(api)?.spec.template?.metadata?.labels;
const generationOf = async (lookout: World) => {
  const read = await lookout.cluster.read({ cluster: "prod", ...api }, new AbortController().signal);
  return read.kind === "found" ? read.live.generation : read;
};
const versioned = { "lookout.dev/attribute-labels": "version=tag" };

describe("labels of pods with attributes", () => {
  it("come with the image, in one patch, and no pod starts twice", async () => {
    const lookout = await worldWithApi();
    const key = await trackApi(lookout, versioned);
    const before = Number(await generationOf(lookout));
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));

    expect(lookout.factNames(key)).toContain("RolloutSucceeded");
    expect(labelsOf(lookout)).toEqual({ "attribute.lookout.dev/version": "1.1.0" });
    expect(await generationOf(lookout)).toBe(before + 1);
  });

  it("are not written by the annotation alone", async () => {
    const lookout = await worldWithApi();
    await trackApi(lookout);
    await trackApi(lookout, versioned);
    await lookout.pass(minutes(1));

    expect(labelsOf(lookout)).toBeUndefined();
  });

  it("are as before after a rollback", async () => {
    const lookout = await worldWithApi();
    const key = await trackApi(lookout, versioned);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));
    await lookout.push("shop/api", "1.2.0", { broken: true });
    await lookout.pass(durationMs(500));
    const broken = labelsOf(lookout);
    await lookout.pass(minutes(15));

    expect(broken).toEqual({ "attribute.lookout.dev/version": "1.2.0" });
    expect(lookout.factNames(key)).toContain("RolledBack");
    expect(labelsOf(lookout)).toEqual({ "attribute.lookout.dev/version": "1.1.0" });
  });

  it("go with the rollback of the first update that wrote them", async () => {
    const lookout = await worldWithApi();
    const key = await trackApi(lookout, versioned);
    await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.pass(minutes(15));

    expect(lookout.factNames(key)).toContain("RolledBack");
    expect(labelsOf(lookout)).toBeUndefined();
  });

  it("have the groups of the pattern, and a group without a match has no label", async () => {
    const lookout = await worldWithApi();
    const annotations = {
      "lookout.dev/policy": "numerical",
      "lookout.dev/tag-pattern": "^(?:pr-(?P<pr>[0-9]+)-)?b(?P<build>[0-9]+)$",
      "lookout.dev/filter-extract": "$build",
      "lookout.dev/attribute-labels": "pr,build",
    };
    await lookout.push("shop/api", "b1", { quietly: true });
    await trackApi(lookout, annotations, { image: `${host}/shop/api:b1` });
    await lookout.push("shop/api", "pr-12-b2");
    await lookout.pass(minutes(1));
    const ofPull = labelsOf(lookout);
    await lookout.push("shop/api", "b3");
    await lookout.pass(minutes(1));

    expect(ofPull).toEqual({ "attribute.lookout.dev/pr": "12", "attribute.lookout.dev/build": "2" });
    expect(labelsOf(lookout)).toEqual({ "attribute.lookout.dev/build": "3" });
  });
});
