import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lines, lookout } from "../world.ts";

const configuration = `
clusters:
  - { name: dev, context: dev, tier: dev }
  - { name: prod-eu, context: prod-eu }
  - { name: prod-us, context: prod-us }
tierLabel: stage
tiers:
  - name: dev
  - { name: canary, percent: 10 }
  - { name: prod, namespaces: [live] }
`;

let cwd = "";
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "lookout-tiers-"));
  writeFileSync(join(cwd, "lookout.yaml"), configuration);
});
afterAll(() => {
  rmSync(cwd, { recursive: true });
});

const manifest = (metadata: string, namespace = "shop"): string => `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: api
  namespace: ${namespace}
  annotations: { lookout.dev/enabled: "true"${metadata} }
spec: { template: { spec: { containers: [{ name: api, image: "shop/api:1.4.2" }] } } }
`;

function parse(text: string, ...words: readonly string[]) {
  return lookout(
    ["workload", "parse", "-f", "-", ...words],
    {},
    {
      cwd,
      async *stdin() {
        yield text;
      },
    },
  );
}

const withConfig = ["--config", "lookout.yaml"];
const rows = (stdout: string) => stdout.split("\n").filter((line) => /^ {2}. (tier|problem|note)/.test(line));

describe("lookout workload parse --config", () => {
  it("shows the tier and the group of a workload, in one row for each place", async () => {
    const { stdout, exitCode } = await parse(manifest(""), ...withConfig);

    expect(stdout).toBe(
      lines(
        "✓ Deployment shop/api is tracked.",
        "",
        "CONTAINER   IMAGE            STRATEGY     APPLY   POLICY",
        "api         shop/api:1.4.2   tag+digest   pin     semver: any higher version",
        "",
        "  ⏸ tier       in dev: dev of group shop/api",
        "  ⏸ tier       in prod-eu, prod-us: prod of group shop/api, or canary (10 %)",
        "  ✓ rollback   to the previous image, when the rollout takes longer than 10m, or a pull fails for 1m",
      ),
    );
    expect(exitCode).toBe(0);
  });

  it.each([
    {
      by: "an annotation",
      text: manifest(", lookout.dev/tier: canary, lookout.dev/tier-group: web"),
      shows: "canary of group web",
    },
    {
      by: "a label",
      text: manifest("").replace("spec:", "  labels: { stage: dev }\nspec:"),
      shows: "dev of group shop/api",
    },
    { by: "its namespace", text: manifest("", "live"), shows: "prod of group live/api, or canary (10 %)" },
  ])("shows the tier that $by names", async ({ text, shows }) => {
    expect(rows((await parse(text, ...withConfig)).stdout)).toEqual([`  ⏸ tier       ${shows}`]);
  });

  it("ends with 2 for a tier that lookout.yaml does not name", async () => {
    const { stdout, exitCode } = await parse(manifest(", lookout.dev/tier: prd"), ...withConfig);

    expect(stdout.split("\n")[0]).toBe("✗ Deployment shop/api is tracked, but a problem pauses its updates.");
    expect(rows(stdout)).toEqual([
      '  ! problem    lookout.dev/tier is "prd"; the tiers of lookout.yaml are dev, canary, prod; did you mean prod?',
    ]);
    expect(exitCode).toBe(2);
  });

  it("says as JSON what it says as text", async () => {
    const { stdout } = await parse(manifest(""), ...withConfig, "-o", "json");

    expect(JSON.parse(stdout)).toMatchObject([
      {
        tiers: [
          { clusters: ["dev"], tier: "dev", group: "shop/api", shares: [] },
          { clusters: ["prod-eu", "prod-us"], tier: "prod", shares: [{ tier: "canary", percent: 10 }] },
        ],
      },
    ]);
  });

  it("says without a file that the tier is not checked", async () => {
    expect(rows((await parse(manifest(", lookout.dev/tier: prd"))).stdout)).toEqual([
      "  ⏸ tier       prd",
      "  ! note       the tier prd is not checked here: add --config lookout.yaml",
    ]);
    expect(rows((await parse(manifest(""))).stdout)).toEqual([]);
  });

  it("refuses a file that is not there", async () => {
    const { stderr, exitCode } = await parse(manifest(""), "--config", "other.yaml");

    expect([exitCode, stderr]).toEqual([
      2,
      lines("✗ the configuration other.yaml does not exist: name a readable file with --config"),
    ]);
  });
});
