import { beforeEach, describe, expect, it } from "vitest";
import { explain } from "#app/api/explain";
import { publishChanges } from "#app/notify/state-changed";
import { minutes, seconds } from "#domain/shared/time";
import { evaluatePush } from "#app/evaluate/image-pushed";
import { api, host, trackApi, type World, world, worldWithApi } from "../world.ts";

const base = `${host}/base/java:21`;
const built = { "lookout.dev/base-image": base };
const signal = new AbortController().signal;

let lookout: World;
beforeEach(async () => {
  lookout = await worldWithApi();
});

const moves = (of: World = lookout) =>
  of.facts.filter(({ name }) => name === "BaseImageMoved").map(({ baseImages }) => baseImages);

describe("the move of a base image", () => {
  it("is told once, with both digests, and changes no image", async () => {
    const from = await lookout.push("base/java", "21", { quietly: true });
    const key = await trackApi(lookout, built);
    const digest = await lookout.push("base/java", "21");
    await lookout.tellAgain("base/java", "21");
    await lookout.sweep();
    await lookout.pass(minutes(1));

    expect(moves()).toEqual([[{ image: base, from, digest }]]);
    expect(lookout.factNames(key)).toEqual(["WorkloadTracked", "BaseImageMoved"]);
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect(lookout.failures).toEqual([]);
  });

  it("is told for each workload that is built from it", async () => {
    await lookout.push("base/java", "21", { quietly: true });
    await trackApi(lookout, built);
    await trackApi(lookout, built, { name: "web" });
    await lookout.push("base/java", "21");
    await lookout.pass(minutes(1));

    expect(lookout.facts.filter(({ name }) => name === "BaseImageMoved").map(({ workload }) => workload.name)).toEqual([
      "api",
      "web",
    ]);
  });

  it("is not told of the first digest, or of another tag", async () => {
    await lookout.push("base/java", "21", { quietly: true });
    await trackApi(lookout, built);
    await lookout.push("base/java", "22");
    await lookout.pass(minutes(1));

    expect(moves()).toEqual([]);
  });

  it("is not told of a tag that appears, but of its next digest", async () => {
    await trackApi(lookout, built);
    const from = await lookout.push("base/java", "21");
    await lookout.pass(minutes(1));
    const before = moves();
    const digest = await lookout.push("base/java", "21");
    await lookout.pass(minutes(1));

    expect([before, moves()]).toEqual([[], [[{ image: base, from, digest }]]]);
  });

  it("is found by a sweep if its push was missed", async () => {
    const from = await lookout.push("base/java", "21", { quietly: true });
    await trackApi(lookout, built);
    const digest = await lookout.push("base/java", "21", { quietly: true });
    await lookout.sweep();
    await lookout.pass(seconds(5));

    expect(moves()).toEqual([[{ image: base, from, digest }]]);
  });

  it("repeats the id of its fact when its version is published again", async () => {
    await lookout.push("base/java", "21", { quietly: true });
    const key = await trackApi(lookout, built);
    await lookout.push("base/java", "21");
    await lookout.pass(seconds(5));
    const record = await lookout.record(key);
    await publishChanges([{ id: "again", record }], lookout.ports);
    await lookout.settle();

    const ids = lookout.facts.filter(({ name }) => name === "BaseImageMoved").map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids)).toEqual(new Set([`${record.uid}/0/${record.version}/BaseImageMoved`]));
  });

  it("is stored once when its push is delivered again", async () => {
    await lookout.push("base/java", "21", { quietly: true });
    const key = await trackApi(lookout, built);
    await lookout.push("base/java", "21");
    await lookout.pass(seconds(5));
    const { version } = await lookout.record(key);
    const at = lookout.clock.now();
    const push = {
      name: "ImagePushed",
      id: "again",
      registry: host,
      repository: "base/java",
      source: "test",
      at,
    } as const;
    await evaluatePush({ ...push, tag: "21" }, lookout.ports, signal);
    await evaluatePush(push, lookout.ports, signal);

    expect((await lookout.record(key)).version).toBe(version);
  });

  it("is told of a tag whose push joined the evaluation of another tag", async () => {
    for (const tag of ["21", "22"]) await lookout.push("base/java", tag, { quietly: true });
    const other = `${host}/base/java:22`;
    const key = await trackApi(lookout, { "lookout.dev/base-image": `${base},${other}` });
    await lookout.push("base/java", "21", { quietly: true });
    let ends = 0;
    const pushCoalescing = {
      ...lookout.ports.pushCoalescing,
      end: async () => {
        ends += 1;
        if (ends > 1) return "done" as const;
        await lookout.push("base/java", "22", { quietly: true });
        return "again" as const;
      },
    };
    const push = { registry: host, repository: "base/java", tag: "21", source: "test", at: lookout.clock.now() };
    await evaluatePush({ name: "ImagePushed", id: "one", ...push }, { ...lookout.ports, pushCoalescing }, signal);
    const { baseImages, transitions } = await lookout.record(key);

    expect(baseImages?.map(({ image, told }) => [image, told?.length])).toEqual([
      [base, 1],
      [other, 1],
    ]);
    expect(transitions.map(({ what, baseImages: moved }) => [what, moved?.map(({ image }) => image)])).toEqual([
      ["base-image-moved", [other]],
    ]);
  });

  it("does not disturb an update that rolls out", async () => {
    await lookout.push("base/java", "21", { quietly: true });
    const key = await trackApi(lookout, built);
    await lookout.push("shop/api", "1.1.0");
    await lookout.push("base/java", "21");
    await lookout.pass(minutes(1));

    expect(lookout.factNames(key).filter((name) => name === "BaseImageMoved" || name === "RolloutSucceeded")).toEqual([
      "BaseImageMoved",
      "RolloutSucceeded",
    ]);
    expect(lookout.failures).toEqual([]);
  });
});

describe("base images", () => {
  it("end with the annotation", async () => {
    await lookout.push("base/java", "21", { quietly: true });
    const key = await trackApi(lookout, built);
    const seen = (await lookout.record(key)).baseImages;
    lookout.cluster.annotate(api, { "lookout.dev/base-image": undefined });
    await lookout.sync();
    await lookout.push("base/java", "21");
    await lookout.pass(minutes(1));

    expect(seen?.map(({ image }) => image)).toEqual([base]);
    expect((await lookout.record(key)).baseImages).toBeUndefined();
    expect(moves()).toEqual([]);
  });

  it("are shown with their digests", async () => {
    const digest = await lookout.push("base/java", "21", { quietly: true });
    const key = await trackApi(lookout, { "lookout.dev/base-image": `${base},${host}/base/none:1` });

    expect((await explain(key, lookout.ports, signal))?.baseImages).toEqual([
      { image: base, digest },
      { image: `${host}/base/none:1`, problem: "the registry has no such tag" },
    ]);
  });

  it("of a registry that lookout.yaml does not allow are not asked", async () => {
    const listed = { registryPolicy: "listed", registries: [{ name: "own", host, repositories: ["shop"] }] } as const;
    lookout = world({}, undefined, undefined, listed);
    await lookout.push("shop/api", "1.0.0", { quietly: true });
    await lookout.push("base/java", "21", { quietly: true });
    const key = await trackApi(lookout, built);
    await lookout.push("base/java", "21");
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));

    expect(moves()).toEqual([]);
    expect(lookout.factNames(key)).toContain("RolloutSucceeded");
    expect((await explain(key, lookout.ports, signal))?.baseImages).toEqual([
      {
        image: base,
        problem: "registryPolicy is listed, and repositories of the entry own does not include base/java",
      },
    ]);
  });

  it("with a wrong value hold no update", async () => {
    const key = await trackApi(lookout, { "lookout.dev/base-image": "a@b" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));

    expect(lookout.factNames(key)).toContain("RolloutSucceeded");
  });
});
