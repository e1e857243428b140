import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lookout } from "../world.ts";

let cwd = "";
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "lookout-notes-"));
});
afterAll(() => {
  rmSync(cwd, { recursive: true });
});

/** Parses a Deployment with annotations, and returns the words of the output and the exit code. */
async function parse(annotations: Readonly<Record<string, string>>, output: readonly string[] = []) {
  const metadata = { name: "api", namespace: "shop", annotations: { "lookout.dev/enabled": "true", ...annotations } };
  const containers = [
    { name: "api", image: "shop/api:1.4.2" },
    { name: "side", image: "shop/side:1.4.2" },
  ];
  const object = { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { template: { spec: { containers } } } };
  writeFileSync(join(cwd, "deploy.yaml"), JSON.stringify(object));
  const { stdout, exitCode } = await lookout(["workload", "parse", "-f", "deploy.yaml", ...output], {}, { cwd });
  return { stdout, words: stdout.replaceAll(/\s+/g, " "), exitCode };
}

describe("lookout workload parse of a workload that names a registry", () => {
  const named = { "lookout.dev/registry": "lookout-system/ecr-production" };
  const message =
    "the registry ecr-production is not checked here: Lookout holds updates unless an entry of registries in lookout.yaml has this name and serves the image";

  it("says once that it did not check the name", async () => {
    const { words, exitCode } = await parse(named);

    expect(exitCode).toBe(0);
    expect(words.split(message)).toHaveLength(2);
  });

  it("says so in JSON", async () => {
    const { stdout } = await parse(named, ["-o", "json"]);

    expect(JSON.parse(stdout)).toMatchObject([
      {
        problems: [],
        notices: [{ annotation: "lookout.dev/registry", value: "ecr-production", message }],
      },
    ]);
  });
});

describe("lookout workload parse of the policy service-image", () => {
  it("notes that a ServiceImage names the tag, because only a cluster has them", async () => {
    const { stdout, exitCode } = await parse({ "lookout.dev/policy": "service-image" }, ["-o", "json"]);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      {
        problems: [],
        notices: [
          {
            ...{ annotation: "lookout.dev/policy", value: "service-image" },
            message: "a ServiceImage of the namespace names the tag",
          },
        ],
      },
    ]);
  });
});

it("lookout workload parse of the policy service-image prints a note, and no problem", async () => {
  const { words, exitCode } = await parse({ "lookout.dev/policy": "service-image" });

  expect(exitCode).toBe(0);
  expect(words).toContain('note lookout.dev/policy "service-image": a ServiceImage of the namespace names the tag');
  expect(words).not.toContain("problem");
});

describe("lookout workload parse of approval annotations", () => {
  const by = { "lookout.dev/approved-by": "ana" };
  const image = { "lookout.dev/approved-image": "1.5.0" };

  it.each([
    { annotations: {}, says: "of 1 person" },
    { annotations: { ...by, ...image }, says: "of 1 person; ana agreed to 1.5.0" },
    { annotations: by, says: "of 1 person; ana agreed to no image: lookout.dev/approved-image is missing" },
    { annotations: image, says: "of 1 person; 1.5.0 is approved by nobody: lookout.dev/approved-by is missing" },
    { annotations: { "lookout.dev/approve": "1.5.0" }, says: "of 1 person; lookout.dev/approve agreed to 1.5.0" },
    {
      annotations: { "lookout.dev/approve": `api=shop/api:1.5.0@sha256:${"1".repeat(64)},init:m=shop/m:1.5.0` },
      says: "of 1 person; lookout.dev/approve agreed to api=shop/api:1.5.0@sha256:",
    },
  ])("says: $says", async ({ annotations, says }) => {
    const { words, exitCode } = await parse({ "lookout.dev/approval-required": "true", ...annotations });

    expect(words).toContain(`approval ${says}`);
    expect(exitCode).toBe(0);
  });

  it.each(["api=", "=shop/api:1.5.0", "api=shop/api:1.5.0,", "api=a=b", "Api=shop/api:1.5.0", "2 containers"])(
    "refuses a text that names no images: %s",
    async (text) => {
      const { words, exitCode } = await parse({ "lookout.dev/approve": text });

      expect(words).toContain("expected a tag or an image, such as 1.4.2");
      expect(exitCode).toBe(2);
    },
  );
});
