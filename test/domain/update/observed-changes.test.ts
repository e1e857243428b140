import { describe, expect, it } from "vitest";
import { observedFrom } from "#domain/update/decide/observed-changes";
import { aContainer, aLive, aLiveContainer, anObserved, aPatched, digest, image, noon } from "../builders.ts";

/** A container that nobody met before: all that is known is what the manifest says. */
const blank = {
  list: "containers",
  name: "app",
  image: image("1.0.0"),
  seenAt: noon,
  applied: image("1.0.0"),
} as const;

describe("the known state of an object after a read", () => {
  it("is the known digest of the same image text, unless the image is pinned", () => {
    const known = observedFrom(aLive(), { app: [digest("5")] }, anObserved(), noon);
    const pinned = observedFrom(
      aLive({ containers: [aLiveContainer({ image: image("1.0.0", "7") })] }),
      { app: [digest("5")] },
      anObserved(),
      noon,
    );

    expect(known.containers).toStrictEqual([aContainer()]);
    expect(pinned.containers).toEqual([
      { list: "containers", name: "app", image: image("1.0.0", "7"), digest: digest("7"), seenAt: noon },
    ]);
  });

  it("of a restarted container is the digest that its pods report now", () => {
    const live = aLive({ restartedAt: "now" });

    expect(observedFrom(live, { app: [digest("5")] }, anObserved(), noon).containers).toStrictEqual([
      { list: "containers", name: "app", image: image("1.0.0"), digest: digest("5") },
    ]);
  });

  it.each([
    { live: aLive(), running: {}, because: "its pods report nothing" },
    { live: aLive(), running: { app: [] }, because: "its pods report no digest" },
    {
      live: aLive({ containers: [aLiveContainer({ name: "renamed" })] }),
      running: undefined,
      because: "it has another name now",
    },
    {
      live: aLive({ containers: [aLiveContainer({ image: "shop/UPPER" })] }),
      running: undefined,
      because: "its image can't be understood",
    },
  ])("has no digest of a container if $because", ({ live, running }) => {
    const before = running === undefined ? anObserved() : undefined;
    const shown = live.containers.map(({ name, image: text }) => ({ ...blank, name, image: text }));
    const seen = observedFrom(live, running, before, noon).containers;

    expect(seen.map((container) => ({ ...container, applied: blank.applied }))).toStrictEqual(shown);
  });

  it("separates a container from an init container of the same name", () => {
    const seen = observedFrom(
      aLive({ containers: [aLiveContainer({ list: "initContainers" })] }),
      undefined,
      anObserved(),
      noon,
    );

    expect(seen.containers).toEqual([{ ...blank, list: "initContainers" }]);
  });

  it("includes its label, its restart and its controller", () => {
    const seen = observedFrom(
      aPatched(image("1.1.0", "1"), { restartedAt: "then", controller: "Rollout/api" }),
      undefined,
      undefined,
      noon,
    );

    expect(seen).toMatchObject({ updateLabel: "abc123-1", restartedAt: "then", controller: "Rollout/api" });
  });

  it("has the registry's own host if the image names an alias", () => {
    const live = aLive({ containers: [aLiveContainer({ registry: "registry.test" })] });

    expect(observedFrom(live, undefined, undefined, noon).containers).toStrictEqual([
      { ...blank, registry: "registry.test" },
    ]);
  });

  it.each([
    { owner: { manager: "kubectl-edit", operation: "Update" }, applied: image("2.0.0"), because: "anyone wrote it" },
    { owner: { manager: "lookout", operation: "Update" }, applied: image("1.0.0"), because: "Lookout wrote it" },
    { owner: undefined, applied: image("1.0.0"), because: "nobody shows who wrote it" },
  ] as const)("has $applied as the applied image if $because", ({ owner, applied }) => {
    const live = aLive({
      containers: [aLiveContainer({ image: image("2.0.0"), ...(owner && { imageOwner: owner }) })],
    });
    const before = anObserved({ containers: [aContainer({ applied: image("1.0.0") })] });

    expect(observedFrom(live, undefined, before, noon).containers).toMatchObject([{ applied }]);
  });
});
