import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Stack } from "aws-cdk-lib";
import { Function, Runtime } from "aws-cdk-lib/aws-lambda";
import { afterAll, describe, expect, it } from "vitest";
import { codeWith } from "#lib/functions/code";
import { configured } from "./deployed.ts";

const folder = mkdtempSync(join(tmpdir(), "lookout-code-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the code of all functions", () => {
  it("is deployed with the configuration, and without source maps", () => {
    const built = join(folder, "functions");
    mkdirSync(join(built, "gate"), { recursive: true });
    for (const name of ["wake.mjs", "wake.mjs.map"]) writeFileSync(join(built, "gate", name), "");
    const app = new App({ outdir: join(folder, "out"), analyticsReporting: false });
    const code = codeWith(configured({}), built);
    new Function(new Stack(app, "Test"), "Wake", {
      ...{ code, runtime: Runtime.NODEJS_24_X, handler: "gate/wake.handler" },
    });
    app.synth();

    const assets = readdirSync(join(folder, "out")).filter((name) => /^asset\.[0-9a-f]+$/.test(name));
    expect(assets.map((name) => readdirSync(join(folder, "out", name), { recursive: true }).toSorted())).toEqual([
      ["configuration.json", "gate", "gate/wake.mjs"],
    ]);
  });
});
