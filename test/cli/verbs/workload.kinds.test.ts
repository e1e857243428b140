import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lookout } from "../world.ts";

const configuration = `
kinds:
  - argo-rollouts
  - group: cache.example.com
    version: v1
    kind: Cache
    plural: caches
    images: { server: spec.image }
    initialImages: { server: registry.test/shop/cache }
    pods: { selector: spec.selector }
    ready: [{ condition: Ready }]
`;

let cwd = "";
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "lookout-kinds-"));
  writeFileSync(join(cwd, "lookout.yaml"), configuration);
});
afterAll(() => {
  rmSync(cwd, { recursive: true });
});

function parse(
  apiVersion: string,
  kind: string,
  spec: object,
  more: object = {},
  words = ["--config", "lookout.yaml"],
) {
  const annotations = { "lookout.dev/enabled": "true", ...more };
  const object = { apiVersion, kind, metadata: { name: "api", namespace: "shop", annotations }, spec };
  return lookout(
    ["workload", "parse", "-f", "-", ...words],
    {},
    {
      cwd,
      async *stdin() {
        yield JSON.stringify(object);
      },
    },
  );
}

const template = { spec: { containers: [{ name: "app", image: "registry.test/shop/api:1.4.2" }] } };

describe("lookout workload parse with kinds of lookout.yaml", () => {
  it("shows the policies of an object of another operator", async () => {
    const ended = await parse("argoproj.io/v1alpha1", "Rollout", { template });

    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toContain("✓ rollout.argoproj.io shop/api is tracked.");
    expect(ended.stdout).toContain("shop/api:1.4.2");
  });

  it("shows why Lookout can't update an object", async () => {
    const ended = await parse("argoproj.io/v1alpha1", "Rollout", { workloadRef: { name: "api" } });

    expect(ended.exitCode).toBe(2);
    expect(ended.stdout).toContain(
      "Lookout can't update this object: spec.workloadRef: the pod template of this Rollout",
    );
  });

  it("shows what a first image needs", async () => {
    const bare = await parse("cache.example.com/v1", "Cache", {});
    const ranged = await parse("cache.example.com/v1", "Cache", {}, { "lookout.dev/semver-range": ">=1" });

    expect(bare.stdout).toContain(
      "the object has no image: expected lookout.dev/policy or lookout.dev/semver-range, which selects the first one",
    );
    expect([bare.exitCode, ranged.exitCode]).toEqual([0, 0]);
    expect(ranged.stdout).toContain("registry.test/shop/cache");
    expect(ranged.stdout).not.toContain("the object has no image");
  });

  it.each([
    ["another version of the API", "argoproj.io/v1", "Rollout", ["--config", "lookout.yaml"]],
    ["no --config", "argoproj.io/v1alpha1", "Rollout", []],
  ])("knows no object with %s", async (_, apiVersion, kind, words) => {
    const ended = await parse(apiVersion, kind, { template }, {}, words);

    expect(ended.stdout).toContain("Rollout shop/api is not tracked: Lookout does not update objects of kind Rollout");
  });
});
