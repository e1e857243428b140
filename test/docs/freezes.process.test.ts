import { afterAll, beforeAll, expect, it } from "vitest";
import { blocksOf, page } from "./markdown.ts";
import { openScratch, type Running, type Scratch } from "./shell.ts";

const commands = blocksOf(page("docs/freezes.md"))
  .filter(({ language }) => language === "sh")
  .flatMap(({ text }) => text.trim().split("\n"));

/** For five commands: npx and the program start anew with each. */
const patience = 120_000;

let scratch: Scratch;
let lookout: Running;

beforeAll(async () => {
  scratch = openScratch({ "lookout.yaml": "listen: 127.0.0.1:0\n" });
  lookout = scratch.start("npm start");
  await lookout.says(/"name":"Started"/);
  await lookout.says(/"WorkloadTracked".*"name":"api"/);
}, patience);

afterAll(() => scratch.close(), patience);

it(
  "the commands of the page freeze a namespace, show it, and release the held push",
  async () => {
    const [freeze = "", push = "", explain = "", freezes = "", unfreeze = "", ...more] = commands;

    expect(await scratch.run(freeze)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^✓ demo\/shop is frozen: no patch starts until .+\.\n {2}It covers 3 workloads/,
      ) as string,
    });
    expect(await scratch.run(push)).toMatchObject({ code: 0 });
    await lookout.says(/"UpdateHeld".*"frozen"/);
    expect((await scratch.run(explain)).stdout).toMatch(
      /⏸ freeze +A freeze covers this workload\. demo\/shop: flash sale, by \S+\. Ends in (?:2 h|1 h 5\d m)/,
    );
    expect((await scratch.run(freezes)).stdout).toMatch(/\ndemo\/shop +\S+ +\d+ s ago +.+ flash sale\n$/);
    expect(await scratch.run(unfreeze)).toMatchObject({
      code: 0,
      stdout: "✓ The freeze of demo/shop has ended. The updates that it held continue.\n",
    });
    await lookout.says(/"RolloutSucceeded".*"name":"api"/);
    expect(more).toEqual([]);
  },
  patience,
);
