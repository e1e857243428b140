import { describe, expect, it } from "vitest";
import type { ImageView } from "#contracts/api/schema";
import { digests, noRows, workload } from "../views.ts";
import { lines, lookout } from "../world.ts";

describe("lookout push", () => {
  const what = "POST /v1/demo/push";
  const runs = (imageName: string, policy?: string) => ({
    ...{ container: "api", image: `${imageName}:1.2.0`, imageName },
    ...(policy === undefined ? {} : { policy }),
  });
  const listing = (...images: readonly ImageView[]) => ({
    "GET /v1/workloads": {
      body: {
        at: "2026-11-21T18:45:53.000Z",
        ...noRows,
        workloads: [workload("demo/shop/deployment/api", { runs: images })],
        clusters: [],
      },
    },
  });
  const done = { [what]: { status: 202, body: { image: "registry.demo/shop/api:1.3.0", digest: digests.new } } };
  const answers = { ...done, ...listing(runs("registry.demo/shop/api", "semver")) };

  it.each(["shop/api:1.3.0", "registry.demo/shop/api:1.3.0"])("pushes %s to the demo's registry", async (image) => {
    const { stdout, asked } = await lookout(["push", image], answers);

    expect({ stdout, body: asked[0]?.body }).toEqual({
      stdout: lines("✓ pushed registry.demo/shop/api:1.3.0 @ 4d5e6f708192", "  To see its update:  lookout status"),
      body: { image: "shop/api:1.3.0" },
    });
  });

  it("pushes an image that can't start", async () => {
    const { asked } = await lookout(["push", "shop/api:1.3.0", "--broken"], answers);

    expect(asked[0]?.body).toEqual({ image: "shop/api:1.3.0", broken: true });
  });

  const pushed = "✓ pushed registry.demo/shop/api:1.3.0 @ 4d5e6f708192";
  const warning = "  ! No workload tracks registry.demo/shop/api, so this push updates nothing.";
  const others = ["a", "b", "c", "d", "e\u001b[2J", "f"].map((name) => runs(`registry.demo/${name}`, "semver"));

  it.each([
    { because: "no workload is tracked", images: [], says: lines(pushed, warning) },
    {
      because: "its container is not tracked",
      images: [runs("registry.demo/shop/api"), runs("registry.demo/shop/web", "semver")],
      says: lines(pushed, warning, "    Tracked: registry.demo/shop/web"),
    },
    {
      because: "only other repositories are tracked",
      images: others,
      says: lines(
        ...[pushed, warning],
        "    Tracked: registry.demo/a, registry.demo/b, registry.demo/c, registry.demo/d, registry.demo/e\ufffd[2J, …",
      ),
    },
  ])("promises no update if $because", async ({ images, says }) => {
    const { stdout, exitCode } = await lookout(["push", "shop/api:1.3.0"], { ...done, ...listing(...images) });

    expect({ stdout, exitCode }).toEqual({ stdout: says, exitCode: 0 });
  });

  it.each(["shop/api", "shop/api:", `shop/api:1@${digests.new}`, "Shop/api:1", ""])("rejects %j", async (image) => {
    expect(await lookout(["push", image], answers)).toMatchObject({
      exitCode: 2,
      stderr: lines(`✗ "${image}" is not an image to push: expected path:tag.`, "  For example: shop/api:1.3.0"),
      asked: [],
    });
  });

  it.each([
    ["push", "shop/api:1.3.0"],
    ["push", "registry.example.com/shop/api:1.3.0", "--broken"],
  ])("needs the demo for %j %j", async (...typed) => {
    expect(await lookout(typed, {})).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: lines(
        "✗ This Lookout is not the demo, so it has no registry.",
        "  Lookout at http://127.0.0.1:4040, named by LOOKOUT_SERVER.",
        "  Push to your own registry with your own tools, then report it: lookout push REGISTRY/PATH:TAG",
      ),
    });
  });

  it("takes a registry with a port", async () => {
    const view = { at: "2026-11-21T18:45:53.000Z", repositories: [], notReached: [] };
    const { exitCode, asked } = await lookout(["push", "localhost:5000/shop/api:1.3.0"], {
      "POST /v1/sweep": { body: view },
    });

    expect({ exitCode, body: asked.at(-1)?.body }).toEqual({
      exitCode: 0,
      body: { imageName: "localhost:5000/shop/api" },
    });
  });

  it("lets a Lookout of a cluster read the repository of a pushed image now", async () => {
    const repositories = [{ imageName: "registry.example.com/shop/api", workloads: 2, missed: true }];
    const view = { at: "2026-11-21T18:45:53.000Z", repositories, notReached: [] };
    const { stdout, exitCode, asked } = await lookout(["push", "registry.example.com/shop/api:1.3.0"], {
      "POST /v1/sweep": { body: view },
    });

    expect({ stdout, exitCode, body: asked.at(-1)?.body }).toEqual({
      stdout: lines(
        "REPOSITORY                      WORKLOADS   FOUND",
        "registry.example.com/shop/api   2           ↻ missed push found: Lookout evaluates the policies",
        "  To see its update:  lookout status",
      ),
      exitCode: 0,
      body: { imageName: "registry.example.com/shop/api" },
    });
  });
});
