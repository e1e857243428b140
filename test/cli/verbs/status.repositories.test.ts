import { describe, expect, it } from "vitest";
import type { RepositoriesView } from "#contracts/api/repositories";
import { fleet } from "../views.ts";
import { lookout } from "../world.ts";

const answers = {
  "GET /v1/workloads": { body: fleet },
  "GET /v1/freezes": { body: { at: fleet.at, freezes: [], planned: [], inFlight: [] } },
};
const swept = (...repositories: RepositoriesView["repositories"]) => ({
  "GET /v1/repositories": { body: { at: fleet.at, repositories } },
});

describe("lookout status", () => {
  it("names each failing repository, with its start and reason, after the clusters with a problem", async () => {
    const since = "2026-11-21T18:34:00Z";
    const of = (
      name: string,
      reason: "registry-unreachable" | "registry-denied" | "registry-throttled",
      detail: string,
    ) => ({
      ...{ imageName: `registry.test/shop/${name}`, workloads: 1, eventsMissed: 0 },
      problem: { reason, sentence: "", remedy: "", detail, since },
    });
    const repositories = swept(
      of("api", "registry-unreachable", "connect ECONNREFUSED"),
      of("web", "registry-denied", "answered 401"),
      of("busy", "registry-throttled", "registry.test answered 429: too many requests"),
      { imageName: "registry.test/shop/job", workloads: 1, eventsMissed: 0 },
    );

    const { stdout } = await lookout(["status"], { ...answers, ...repositories });

    expect(stdout.split("\n").slice(-8)).toEqual([
      "5 workloads, 1 held, 1 rolling out, 1 with a blocked version, 1 with a problem.",
      "! cluster stage: connect ETIMEDOUT, since 19:34 CET (11 m ago), last synced 12 m ago",
      "! registry registry.test/shop/api can't be reached since 19:34 CET (11 m ago): connect ECONNREFUSED",
      "! registry registry.test/shop/web rejects the credential since 19:34 CET (11 m ago): answered 401",
      "! registry registry.test/shop/busy allows no more requests since 19:34 CET (11 m ago): registry.test answered 429: too many requests",
      "",
      "Lookout at http://127.0.0.1:4040, named by LOOKOUT_SERVER",
      "",
    ]);
  });

  it("prints the entries to paste for registries whose addresses are not public", async () => {
    const detail = (host: string) =>
      `${host} has an address that is not public; to allow the address, set allowPrivateNetwork in an entry of ${host} in lookout.yaml`;
    const of = (host: string, name: string) => ({
      ...{ imageName: `${host}/shop/${name}`, workloads: 1, eventsMissed: 0 },
      problem: {
        reason: "registry-not-allowed" as const,
        sentence: "",
        remedy: "",
        detail: detail(host),
        since: "2026-11-21T18:34:00Z",
      },
    });
    const repositories = swept(
      of("harbor.internal:8443", "api"),
      of("harbor.internal:8443", "web"),
      of("10.0.0.5", "x"),
    );

    const { stdout } = await lookout(["status"], { ...answers, ...repositories });

    expect(stdout.split("\n").slice(-9)).toEqual([
      "To allow addresses that are not public, add to lookout.yaml:",
      "  registries:",
      "    - host: 10.0.0.5",
      "      allowPrivateNetwork: true",
      "    - host: harbor.internal:8443",
      "      allowPrivateNetwork: true",
      "",
      "Lookout at http://127.0.0.1:4040, named by LOOKOUT_SERVER",
      "",
    ]);
  });
});
