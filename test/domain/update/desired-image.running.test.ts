import { describe, expect, it } from "vitest";
import { selectTag } from "#domain/policy/policy";
import { parseSettings } from "#domain/settings/settings";
import type { ContainerState } from "#domain/workload/observed";
import { currentImage, selectsNowhere, followsMoves, repositoryOf } from "#domain/update/decide/desired-image";
import { aContainer, annotated, digest, image, noon, imageName } from "../builders.ts";
import { side } from "./proposing.ts";

describe("the running image", () => {
  it.each([
    { text: "nginx", is: { tag: "latest" }, because: "no tag means latest" },
    { text: "nginx:1.27", is: { tag: "1.27" }, because: "the tag is written" },
    { text: `nginx@${digest("0")}`, is: {}, because: "a bare digest has no tag" },
    { text: `nginx:1.27@${digest("0")}`, is: { tag: "1.27" }, because: "the tag is written beside the digest" },
  ])("is $is for $text: $because", ({ text, is }) => {
    const container: ContainerState = { list: "containers", name: "app", image: text };

    expect(currentImage(container)).toStrictEqual(is);
    expect(currentImage({ ...container, digest: digest("7"), seenAt: noon })).toStrictEqual({
      ...is,
      digest: digest("7"),
      movedAt: noon,
    });
  });

  it("names a imageName, unless it is invalid", () => {
    expect(repositoryOf({ image: "nginx:1.27" })).toMatchObject({ registry: "docker.io", repository: "library/nginx" });
    expect(repositoryOf({ image: "shop/UPPER" })).toBeUndefined();
    expect(repositoryOf({ image: "shop/UPPER", registry: "registry.test" })).toBeUndefined();
  });

  it("is at the registry's own host if it names an alias", () => {
    expect(repositoryOf({ image: "mirror.test/shop/app:1.0.0", registry: "registry.test" })).toMatchObject({
      registry: "registry.test",
      repository: "shop/app",
      tag: "1.0.0",
    });
  });
});

describe("the selection for a container", () => {
  const select = (settings: Record<string, string>, tags: readonly string[]) =>
    selectTag(parseSettings(annotated(settings), [aContainer()]).containers.app!, currentImage(aContainer()), tags);

  it("selects a lower version only if that is allowed", () => {
    expect(select({ "semver-range": "<1" }, ["0.9.0"])).toEqual({ kind: "none", reason: "would-downgrade" });
    expect(select({ "semver-range": "<1", "allow-downgrade": "true" }, ["0.9.0"])).toEqual({
      kind: "selected",
      tag: "0.9.0",
    });
  });

  it("follows the running tag without a listing", () => {
    expect(select({ policy: "digest" }, [])).toEqual({ kind: "unchanged", tag: "1.0.0" });
  });
});

const unreadable: ContainerState = { list: "containers", name: "odd", image: "shop/UPPER" };
/** A workload with settings and containers, as a push asks for it. */
const workload = (settings: Record<string, string>, containers: readonly ContainerState[]) =>
  [{ containers }, parseSettings(annotated(settings), containers)] as const;

describe("a pushed tag", () => {
  it.each<{
    readonly tag: string;
    readonly settings: Record<string, string>;
    readonly containers: readonly ContainerState[];
    readonly nowhere: boolean;
    readonly because: string;
  }>([
    { tag: "1.1.0", settings: {}, containers: [aContainer()], nowhere: false, because: "it is a newer version" },
    { tag: "main", settings: {}, containers: [aContainer()], nowhere: true, because: "it is no version" },
    {
      tag: "1.1.0",
      settings: {},
      containers: [side, unreadable],
      nowhere: true,
      because: "no container is of its repository",
    },
    {
      tag: "1.1.0",
      settings: { "container.app.enabled": "false" },
      containers: [aContainer(), side],
      nowhere: true,
      because: "the container of its repository is not tracked",
    },
    {
      tag: "main",
      settings: { "container.other.policy": "digest" },
      containers: [aContainer(), aContainer({ name: "other", image: image("main") })],
      nowhere: false,
      because: "another container of its repository follows it",
    },
  ])("$tag can be selected nowhere: $nowhere, because $because", ({ tag, settings, containers, nowhere }) => {
    expect(selectsNowhere(tag, imageName, ...workload(settings, containers))).toBe(nowhere);
  });
});

describe("a repository", () => {
  const newest = { policy: "latest" };

  it.each<{
    readonly settings: Record<string, string>;
    readonly containers: readonly ContainerState[];
    readonly follows: boolean;
    readonly because: string;
  }>([
    {
      settings: newest,
      containers: [side, aContainer()],
      follows: true,
      because: "one of its containers asks for what moved last",
    },
    { settings: {}, containers: [aContainer()], follows: false, because: "its container asks for the highest version" },
    { settings: newest, containers: [side, unreadable], follows: false, because: "no container is of it" },
    {
      settings: { ...newest, "container.app.enabled": "false" },
      containers: [aContainer()],
      follows: false,
      because: "its container is not tracked",
    },
  ])("needs moves of tags: $follows, because $because", ({ settings, containers, follows }) => {
    expect(followsMoves(imageName, ...workload(settings, containers))).toBe(follows);
  });
});
