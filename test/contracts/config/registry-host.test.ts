import { describe, expect, it } from "vitest";
import { parseRegistryHost, parseRepository } from "#contracts/config/registry-host";

describe("a registry's host", () => {
  it.each([
    { text: "ghcr.io", host: "ghcr.io" },
    { text: "Registry.Example.COM", host: "registry.example.com" },
    { text: "localhost", host: "localhost" },
    { text: "registry:5000", host: "registry:5000" },
    { text: "[::1]:5000", host: "[::1]:5000" },
    { text: "index.docker.io", host: "docker.io" },
  ])("$text is $host", ({ text, host }) => {
    expect(parseRegistryHost(text)).toBe(host);
  });

  it.each(["", "registry", "https://ghcr.io", "ghcr.io/team", "ghcr.io:", "user@ghcr.io", "ghcr.io\n", " ghcr.io"])(
    "rejects %j",
    (text) => {
      expect(parseRegistryHost(text)).toBeUndefined();
    },
  );
});

describe("a repository of a host and a path", () => {
  it("is the repository of an image reference", () => {
    expect(parseRepository("GHCR.io", "team/app")).toEqual({ registry: "ghcr.io", repository: "team/app" });
    expect(parseRepository("docker.io", "nginx")).toEqual({ registry: "docker.io", repository: "library/nginx" });
    expect(parseRepository("registry.example.com", "nginx")).toEqual({
      registry: "registry.example.com",
      repository: "nginx",
    });
  });

  it.each([
    { because: "the path has a tag", host: "ghcr.io", path: "app:1" },
    { because: "the path has a digest", host: "ghcr.io", path: `app@sha256:${"a1".repeat(32)}` },
    { because: "the path is in capitals", host: "ghcr.io", path: "App" },
    { because: "the path is too long", host: "ghcr.io", path: "a".repeat(256) },
    { because: "the host would be read as a path on Docker Hub", host: "registry", path: "app" },
    { because: "the host has a path", host: "ghcr.io/team", path: "app" },
  ])("is missing when $because", ({ host, path }) => {
    expect(parseRepository(host, path)).toBeUndefined();
  });
});
