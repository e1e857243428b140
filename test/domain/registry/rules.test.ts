import { describe, expect, it } from "vitest";
import { minutes } from "#domain/shared/time";
import { type LimitedEntry, rulesOf } from "#domain/registry/rules";

const circuitBreaker = { enabled: true, failureThreshold: 5, timeout: minutes(1) };
const rateLimiting = { requestsPerSecond: 10, burst: 20 };

describe("the rules of a registry", () => {
  it.each([
    ...["docker.io", "index.docker.io", "registry-1.docker.io", "Registry-1.Docker.io", "registry.hub.docker.com"],
    ...["docker.io:443", "registry-1.docker.io:443"],
  ])("limit Docker Hub under the name %s", (host) => {
    expect(rulesOf(host, [])).toEqual({ host: "docker.io", rateLimiting, circuitBreaker });
  });

  it("limit no registry that lookout.yaml does not name", () => {
    expect(rulesOf("registry.example.com", [])).toEqual({ host: "registry.example.com", circuitBreaker });
  });

  it("limit a public registry also under its usual port", () => {
    expect(rulesOf("ghcr.io:443", [])).toEqual({ host: "ghcr.io", rateLimiting, circuitBreaker });
  });

  it.each([
    { host: "registry-1.docker.io", because: "it is a name of the host" },
    { host: "mirror.example.com", because: "it is an alias" },
  ])("come from the entry for $host: $because", ({ host }) => {
    const entry: LimitedEntry = { host: "docker.io", aliases: ["Mirror.example.com"], rateLimiting: { burst: 3 } };

    expect(rulesOf(host, [entry])).toEqual({
      host: "docker.io",
      rateLimiting: { requestsPerSecond: 10, burst: 3 },
      circuitBreaker,
    });
  });
});
