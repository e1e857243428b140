import { describe, expect, it } from "vitest";
import { lookout } from "../cli/world.ts";
import { blocksOf, page } from "./markdown.ts";

const registries = page("docs/image-registries.md");
const [objects = "", entries = ""] = blocksOf(registries)
  .filter(({ language }) => language === "yaml")
  .map(({ text }) => text);

describe("the page of ImageRegistry objects", () => {
  it("shows the entries that the command prints for its objects", async () => {
    const stdin = async function* () {
      yield objects;
    };
    const { stdout, exitCode } = await lookout(["registry", "import", "-f", "-"], {}, { stdin });

    expect({ stdout: stdout.trimEnd(), exitCode }).toEqual({ stdout: entries.trimEnd(), exitCode: 0 });
  });

  it("has commands that exist", async () => {
    const { stdout } = await lookout(["cluster", "manifests", "--help"], {});

    expect(stdout).toContain("--definitions");
    expect(registries.text.match(/lookout cluster manifests --definitions \| kubectl apply/g)).toHaveLength(1);
  });

  it("has at most 450 words", () => {
    expect(registries.text.split(/[\s|]+/).length).toBeLessThanOrEqual(450);
  });
});
