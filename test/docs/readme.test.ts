import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blocksOf, page } from "./markdown.ts";
import { openScratch, type Ran, type Running, type Scratch } from "./shell.ts";

/** Commands that this test can't run as they stand, and why. */
const notRun: Readonly<Record<string, string>> = {
  "npm ci": "needs the network, and replaces what this test runs on",
  "npx lookout cluster manifests --service-account lookout/lookout | kubectl apply -f -":
    "needs a cluster; test/cluster/access-page.test.ts has one",
  "npx lookout start --kubeconfig ~/.kube/config": "needs a cluster; test/docs/local.test.ts starts one like it",
  "npx lookout start --config lookout.yaml": "needs clusters, a registry and their secrets",
  "npx cdk bootstrap": "needs an AWS account; test/deploy has an emulator of one",
  "npx cdk deploy": "needs an AWS account; test/deploy has an emulator of one",
  "npx lookout cluster manifests | kubectl apply -f -": "needs a cluster; test/cluster/access-page.test.ts has one",
  "npx lookout doctor --stack Lookout": "needs an AWS account",
  "npx lookout status --stack Lookout": "needs an AWS account",
  "npx lookout watch --stack Lookout": "needs an AWS account",
  "npx lookout export --history --stack Lookout lookout.ndjson": "needs an AWS account",
  "npx cdk destroy": "needs an AWS account; test/deploy has an emulator of one",
  "aws dynamodb delete-table --table-name THE-TABLE": "needs an AWS account",
};

/** Commands that this test runs, in the order in which a reader meets them. */
const run = [
  "npm start",
  "npx lookout push shop/api:1.3.0",
  "npx lookout status",
  "npx lookout explain shop/api",
  "npx lookout push shop/api:1.4.0 --broken",
  "npx lookout history shop/api",
  "npx lookout unblock shop/api",
  "npx lookout demo",
  "npx cdk synth --quiet",
] as const;

const commands = blocksOf(page("README.md"))
  .filter(({ language }) => language === "sh")
  .flatMap(({ text }) => text.split(/\n| && /))
  .filter((line) => line.trim() !== "");

/** For a whole command: npx and the program start anew with each. */
const patience = 60_000;

describe("the README", () => {
  it("has no command that is not run here, or said not to be", () => {
    expect(commands.filter((command) => notRun[command] === undefined)).toEqual(run);
    expect(Object.keys(notRun).filter((command) => !commands.includes(command))).toEqual([]);
  });
});

describe("a reader of the README", () => {
  let scratch: Scratch;
  let tour: Promise<Ran>;
  let lookout: Running;

  beforeAll(async () => {
    // The only thing that a reader does not have: a port that nobody else uses.
    scratch = openScratch({ "lookout.yaml": "listen: 127.0.0.1:0\n" });
    // The tour waits for a window to open: it plays while the rest runs.
    tour = scratch.run(run[7]);
    lookout = scratch.start(run[0]);
    await lookout.says(/"name":"Started"/);
    await lookout.says(/"WorkloadTracked".*"name":"api"/);
  }, patience);

  afterAll(() => scratch.close(), patience);

  it(
    "pushes an image, and sees it run",
    async () => {
      const pushed = await scratch.run(run[1]);
      await lookout.says(/"RolloutSucceeded".*"name":"api"/);
      const status = await scratch.run(run[2]);
      const explained = await scratch.run(run[3]);

      expect(pushed).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("✓ pushed registry.demo/shop/api:1.3.0") as string,
      });
      expect(status).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/demo\/shop\/deployment\/api +1\.3\.0 @ .*✓ up to date/) as string,
      });
      expect(explained).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("✓ policy   1.3.0 runs, and is what semver ^1 selects") as string,
      });
    },
    patience,
  );

  it(
    "pushes one that can't start, sees it rolled back, and unblocks its digest",
    async () => {
      const pushed = await scratch.run(run[4]);
      await lookout.says(/"RolledBack".*"name":"api"/);
      const history = await scratch.run(run[5]);
      const lifted = await scratch.run(run[6]);

      expect(pushed).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("✓ pushed registry.demo/shop/api:1.4.0") as string,
      });
      expect(history).toMatchObject({ code: 0, stdout: expect.stringMatching(/rolled-back +api 1\.4\.0/) as string });
      expect(lifted).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("1 blocked digest may be tried again") as string,
      });
    },
    patience,
  );

  it(
    "stops it with Ctrl-C",
    async () => {
      const ended = await lookout.interrupt();

      expect(ended.stderr).toContain("stopping");
      expect(existsSync(join(scratch.folder, ".lookout/server.json"))).toBe(false);
    },
    patience,
  );

  it(
    "watches the tour to its end",
    async () => {
      expect(await tour).toMatchObject({ code: 0, stdout: expect.stringContaining("That was the tour.") as string });
    },
    patience,
  );

  it(
    "looks at the stack without an account",
    async () => {
      const { code, stderr } = await scratch.run(run[8]);

      expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining("ERROR") as string });
      expect(existsSync(join(scratch.folder, "cdk.out/Lookout.template.json"))).toBe(true);
    },
    // Everything is built anew, and checked by three sets of rules.
    2 * patience,
  );
});
