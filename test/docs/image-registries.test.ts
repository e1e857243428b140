import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { definitionsOf } from "#cli/manifests/definitions/index";
import { registryConditions } from "#domain/definitions/registry-status";
import { epochMs } from "#domain/shared/time";
import { lookout } from "../cli/world.ts";
import { blocksOf, page } from "./markdown.ts";

const registries = page("docs/image-registries.md");
const [objects = "", entries = ""] = blocksOf(registries)
  .filter(({ language }) => language === "yaml")
  .map(({ text }) => text);

describe("the page of ImageRegistry objects", () => {
  it("shows the entries that the command prints for its objects", async () => {
    const cwd = await mkdtemp(join(tmpdir(), "lookout-registries-"));
    await writeFile(join(cwd, "registries.yaml"), objects);
    const { stdout, exitCode } = await lookout(["registry", "import", "-f", "registries.yaml"], {}, { cwd });
    await rm(cwd, { recursive: true });

    expect({ stdout: stdout.trimEnd(), exitCode }).toEqual({ stdout: entries.trimEnd(), exitCode: 0 });
  });

  it("names the conditions of the definition, in its order", () => {
    const rows = [...registries.text.matchAll(/^\| `(\w+)`/gm)].map(([, type = ""]) => type);
    const conditions = registryConditions({ name: "a", namespace: "b", spec: {} }, [], {}, epochMs(0));

    expect(rows).toEqual(conditions.map(({ type }) => type));
    expect(JSON.stringify(definitionsOf())).toContain(`Conditions for kubectl wait: ${rows.join(", ")}.`);
  });

  it("has commands that exist", async () => {
    const { stdout } = await lookout(["cluster", "manifests", "--help"], {});

    expect(stdout).toContain("--definitions");
    expect(registries.text.match(/lookout cluster manifests --definitions \| kubectl apply/g)).toHaveLength(1);
  });

  it("has at most 500 words", () => {
    expect(registries.text.split(/[\s|]+/).length).toBeLessThanOrEqual(500);
  });
});
