import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blocksOf, page } from "./markdown.ts";
import { openScratch, type Ran, type Running, type Scratch } from "./shell.ts";
import { picturedLines, pictureFile, withoutTimes } from "../../tools/terminal-picture.ts";

const firstUpdate = "needs a cluster; test/install/first-update.test.ts runs it from an empty folder";

/** Commands that this test can't run as they stand, and why. */
const notRun: Readonly<Record<string, string>> = {
  "npm ci": "needs the network, and replaces what this test runs on",
  "npx lookout outdated -n shop": "needs a cluster; test/cluster/outdated.test.ts has one",
  "npm install --global @lookout-dev/lookout": firstUpdate,
  "lookout cluster add test --context test": firstUpdate,
  "kubectl annotate deployment/api lookout.dev/enabled=true": firstUpdate,
  "lookout start --observe": firstUpdate,
  "lookout release --past observe --all": firstUpdate,
  "npx cdk synth --quiet": "takes a minute; test/deploy/synth.test.ts runs it",
  "npx cdk bootstrap": "needs an AWS account; test/deploy has an emulator of one",
  "npx cdk deploy": "needs an AWS account; test/deploy has an emulator of one",
  "npx lookout cluster manifests | kubectl apply -f -": "needs a cluster; test/cluster/access-page.test.ts has one",
  "npx lookout doctor --before-deploy --stack Lookout":
    "needs an AWS account; test/cli/verbs/doctor.before-deploy.test.ts has a fake of one",
  "npx lookout doctor --stack Lookout": "needs an AWS account",
  "npx lookout status --stack Lookout": "needs an AWS account",
  "npx lookout watch --stack Lookout": "needs an AWS account",
  "npx lookout export --history --stack Lookout lookout.ndjson": "needs an AWS account",
  "npx cdk destroy": "needs an AWS account; test/deploy has an emulator of one",
  'aws ssm put-parameter --type SecureString --name /Lookout/channels/audit --value "$AUDIT_KEY"':
    "needs an AWS account",
  "aws dynamodb update-table --table-name THE-TABLE --no-deletion-protection-enabled": "needs an AWS account",
  "aws dynamodb delete-table --table-name THE-TABLE": "needs an AWS account",
};

/** Commands that this test runs, in the order in which a reader meets them. */
const run = [
  "npx lookout demo",
  "npm start",
  "npx lookout push shop/api:1.3.0",
  "npx lookout status",
  "npx lookout explain shop/api",
  "npx lookout push shop/api:1.4.0 --broken",
  "npx lookout history shop/api",
  "npx lookout unblock shop/api",
] as const;
const [tourOfAll, start, pushRunning, status, explain, pushBroken, history, unblock] = run;

// The page of AWS goes on where the README ends.
const commands = ["README.md", "docs/eks.md"]
  .flatMap((path) => blocksOf(page(path)))
  .filter(({ language }) => language === "sh")
  .flatMap(({ text }) => text.split(/\n| && /))
  .filter((line) => line.trim() !== "");

const picture = readFileSync(pictureFile, "utf8");

/** For a whole command: npx and the program start anew with each. */
const patience = 60_000;

describe("the README", () => {
  it("has only commands that run here, or are listed as exceptions", () => {
    const toRun = commands.filter((command) => notRun[command] === undefined);

    expect([...new Set(toRun)]).toEqual(run);
    expect(Object.keys(notRun).filter((command) => !commands.includes(command))).toEqual([]);
  });
});

describe("the picture of the terminal", () => {
  it("is well-formed XML with a title and a description", () => {
    const open: string[] = [];
    const faults = [...picture.matchAll(/<(\/?)([\w-]+)((?: [\w:-]+="[^"<&]*")*)(\/?)>|[^<>]+|[<>]/g)].filter(
      ([token, closes, name = "", , isEmpty]) => {
        if (closes === "/") return open.pop() !== name;
        if (name === "") return /[<>]|&(?!(?:amp|lt|gt);)/.test(token);
        if (isEmpty !== "/") open.push(name);
        return false;
      },
    );

    expect({ faults, open }).toEqual({ faults: [], open: [] });
    expect(picture).toMatch(/^<svg [\s\S]*<title id="title">\S[\s\S]*<desc id="description">\S/);
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
    tour = scratch.run(tourOfAll);
    lookout = scratch.start(start);
    await lookout.says(/"name":"Started"/);
    await lookout.says(/"WorkloadTracked".*"name":"api"/);
  }, patience);

  afterAll(() => scratch.close(), patience);

  it(
    "pushes an image, and sees it run",
    async () => {
      const pushed = await scratch.run(pushRunning);
      await lookout.says(/"RolloutSucceeded".*"name":"api"/);
      const shown = await scratch.run(status);
      const explained = await scratch.run(explain);

      expect(pushed).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("✓ pushed registry.demo/shop/api:1.3.0") as string,
      });
      expect(shown).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/\nshop\/deployment\/api +1\.3\.0 @ .*✓ up to date/) as string,
      });
      expect(explained).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("✓ policy   semver ^1 selects 1.3.0") as string,
      });
    },
    patience,
  );

  it(
    "pushes one that can't start, sees it rolled back, and unblocks its digest",
    async () => {
      const pushed = await scratch.run(pushBroken);
      await lookout.says(/"RolledBack".*"name":"api"/);
      const told = await scratch.run(history);
      const unblocked = await scratch.run(unblock);

      expect(pushed).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("✓ pushed registry.demo/shop/api:1.4.0") as string,
      });
      expect(told).toMatchObject({ code: 0, stdout: expect.stringMatching(/rolled-back +api 1\.4\.0/) as string });
      expect(unblocked).toMatchObject({
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
      expect(await tour).toMatchObject({ code: 0, stdout: expect.stringContaining("The tour has ended.") as string });
    },
    patience,
  );

  it(
    "sees the tour as the picture shows it; otherwise: npm run picture",
    async () => {
      const { stdout } = await tour;

      expect(picturedLines(picture).map(withoutTimes)).toEqual(stdout.trimEnd().split("\n").map(withoutTimes));
    },
    patience,
  );
});
