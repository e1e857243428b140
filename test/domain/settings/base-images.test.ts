import { describe, expect, it } from "vitest";
import { parseSettings } from "#domain/settings/settings";
import { annotated } from "../builders.ts";

const containers = [{ list: "containers", name: "app", image: "registry.test/shop/api:1.0.0" }] as const;
const parse = (text: string) => parseSettings(annotated({ "base-image": text }), containers);

describe("base-image", () => {
  it("names tags, each once in its normal form", () => {
    expect(parse("node:22, docker.io/library/node:22 ,, registry.test/base/java").baseImages).toEqual([
      { registry: "docker.io", repository: "library/node", tag: "22" },
      { registry: "registry.test", repository: "base/java", tag: "latest" },
    ]);
  });

  it.each([
    ["", "expected images with a tag, such as registry.example.com/base/java:21"],
    [
      `registry.test/base/java@sha256:${"a".repeat(64)}`,
      "a digest never moves: expected images with a tag, such as registry.example.com/base/java:21",
    ],
    [
      "my_host.example/app:1",
      "the registry is not a host: expected images with a tag, such as registry.example.com/base/java:21",
    ],
    [
      "node:22,registry.test/Base/java:21",
      'image 2: "registry.test/Base/java:21": not an image reference: character 15: the repository must be in lower case',
    ],
    [
      "https://registry.test/base/java:21",
      "not an image reference: character 7: expected [host[:port]/]path[:tag][@algorithm:hex]",
    ],
    [Array.from({ length: 11 }, (_, index) => `node:${index}`).join(), "11 base images, and at most 10 are allowed"],
  ])("%j is told, and holds no update", (text, message) => {
    const { problems, isWhole, unreadable, baseImages } = parse(text);

    expect(problems.map(({ key, message: told, closes }) => [key, told, closes])).toEqual([
      ["lookout.dev/base-image", message, false],
    ]);
    expect([isWhole, unreadable, baseImages]).toEqual([true, [], undefined]);
  });

  it("is no setting of a container", () => {
    const { problems } = parseSettings(annotated({ "container.app.base-image": "node:22" }), containers);
    expect(problems.map(({ message, closes }) => [message, closes])).toEqual([
      ["is not a setting of a container, but of the workload: lookout.dev/base-image", false],
    ]);
  });
});
