import { describe, expect, it } from "vitest";
import { ownHost, withOwnHosts } from "#domain/workload/registry-aliases";
import type { LiveContainer } from "#domain/workload/workload";
import { aLive } from "../builders.ts";

const aliases = new Map([
  ["mirror.example:5000", "registry.example"],
  ["pull.example", "registry.example"],
]);

function container(image: string): LiveContainer {
  return { list: "containers", index: 0, name: "app", image };
}

describe("a registry with an alias", () => {
  it.each([
    { host: "mirror.example:5000", own: "registry.example" },
    { host: "Mirror.Example:5000", own: "registry.example" },
    { host: "pull.example:443", own: "registry.example" },
    { host: "registry.example", own: "registry.example" },
    { host: "Other.example", own: "Other.example" },
  ])("$host is known by $own", ({ host, own }) => {
    expect(ownHost(host, aliases)).toBe(own);
  });

  it("is stored for the containers whose image names the alias", () => {
    const live = aLive({
      containers: [
        container("mirror.example:5000/a:1"),
        container("registry.example/a:1"),
        container("docker.io/library/a"),
        container("no image"),
      ],
    });

    expect(withOwnHosts(live, aliases)).toStrictEqual({
      ...live,
      containers: [
        { ...container("mirror.example:5000/a:1"), registry: "registry.example" },
        container("registry.example/a:1"),
        container("docker.io/library/a"),
        container("no image"),
      ],
    });
  });

  it("is not looked for in a pod with more containers than are read", () => {
    const most = Array.from({ length: 200 }, () => container("pull.example/a:1"));
    const read = withOwnHosts(aLive({ containers: most }), aliases);
    const tooMany = aLive({ containers: [...most, container("pull.example/a:1")] });

    expect(read.containers).toEqual(most.map((one) => ({ ...one, registry: "registry.example" })));
    expect(withOwnHosts(tooMany, aliases)).toBe(tooMany);
  });
});
