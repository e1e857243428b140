import { describe, expect, it } from "vitest";
import type { SweepView } from "#contracts/api/repositories";
import { reason } from "../views.ts";
import { lines, lookout, notFound } from "../world.ts";

const view: SweepView = {
  at: "2026-11-21T18:45:53.000Z",
  repositories: [
    { imageName: "registry.example.com/shop/api", workloads: 3, missed: true },
    { imageName: "registry.example.com/shop/web", workloads: 1, missed: false },
  ],
  notReached: [],
};
const busy = reason("registry-unreachable", { detail: "answered 429", until: "2026-11-21T18:46:53.000Z" });
const what = "POST /v1/sweep";

describe("lookout sweep", () => {
  it("shows the result of every repository", async () => {
    expect(await lookout(["sweep"], { [what]: { body: view } })).toEqual({
      exitCode: 0,
      stdout: lines(
        "REPOSITORY                      WORKLOADS   FOUND",
        "registry.example.com/shop/api   3           ↻ missed push found: Lookout evaluates the policies",
        "registry.example.com/shop/web   1           ✓ no missed push",
      ),
      stderr: "",
      asked: [{ what, authorization: "Bearer secret", body: {} }],
    });
  });

  it("sweeps the named repository", async () => {
    const { asked } = await lookout(["sweep", "nginx"], { [what]: { body: view } });

    expect(asked.map(({ body }) => body)).toEqual([{ imageName: "nginx" }]);
  });

  it("fails with the reason when a registry can't be reached", async () => {
    const storeProblem = { imageName: "docker.io/library/nginx", workloads: 2, missed: false, problem: busy };
    const both = { ...storeProblem, imageName: "docker.io/library/redis", missed: true };

    expect(
      await lookout(["sweep"], { [what]: { body: { ...view, repositories: [storeProblem, both] } } }),
    ).toMatchObject({
      exitCode: 1,
      stdout: lines(
        "REPOSITORY                WORKLOADS   FOUND",
        "docker.io/library/nginx   2           ! registry can't be reached: answered 429, next try in 1 m",
        "docker.io/library/redis   2           ↻ missed push found: Lookout evaluates the policies · ! registry can't be reached: answered 429, next try in 1 m",
      ),
    });
  });

  it("fails with the names of skipped repositories", async () => {
    const notReached = ["a.test/x", "a.test/y"];

    expect(await lookout(["sweep"], { [what]: { body: { ...view, repositories: [], notReached } } })).toMatchObject({
      exitCode: 1,
      stdout: "! The time limit ended this sweep. The next sweep checks: a.test/x, a.test/y\n",
    });
  });

  it("reports that there is no repository", async () => {
    expect(await lookout(["sweep"], { [what]: { body: { ...view, repositories: [] } } })).toMatchObject({
      exitCode: 0,
      stdout: "Lookout has no repository to sweep: no tracked workload has an image of a registry.\n",
    });
  });

  it("prints JSON, and names", async () => {
    expect(JSON.parse((await lookout(["sweep", "-o", "json"], { [what]: { body: view } })).stdout)).toEqual({
      apiVersion: "lookout.dev/v1",
      kind: "Sweep",
      ...view,
    });
    expect((await lookout(["sweep", "-o", "name"], { [what]: { body: view } })).stdout).toBe(
      lines("registry.example.com/shop/api", "registry.example.com/shop/web"),
    );
  });

  it("ends with 1 for an unused repository", async () => {
    expect(await lookout(["sweep", "nginx"], { [what]: { status: 404, body: notFound(what) } })).toMatchObject({
      exitCode: 1,
    });
  });
});
