import { afterAll, beforeAll, expect, it } from "vitest";
import { blocksOf, page } from "./markdown.ts";
import { openScratch, type Running, type Scratch } from "./shell.ts";

const commands = blocksOf(page("docs/history.md"))
  .filter(({ language }) => language === "sh")
  .flatMap(({ text }) => text.trim().split("\n"));

/** For six commands: npx and the program start anew with each. */
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
  "the commands of the page show who froze a namespace and why, what an update did, and where an image runs",
  async () => {
    const [freeze = "", unfreeze = "", push = "", history = "", chain = "", images = "", ...more] = commands;

    expect(await scratch.run(freeze)).toMatchObject({ code: 0 });
    expect(await scratch.run(unfreeze)).toMatchObject({ code: 0 });
    expect(await scratch.run(push)).toMatchObject({ code: 0 });
    await lookout.says(/"RolloutSucceeded".*"name":"api"/);
    const told = await scratch.run(history);
    expect(told).toMatchObject({ code: 0 });
    expect(told.stdout).toMatch(/ – +succeeded +1 +demo\/shop\/deployment\/api +1\.3\.0 @ [0-9a-f]{12}/);
    expect(told.stdout).toMatch(/ \S+ +unfreeze +– +demo\/shop +sold out\n/);
    expect(told.stdout).toMatch(/ \S+ +freeze +– +demo\/shop +flash sale\n/);
    expect((await scratch.run(chain)).stdout).toMatch(/ succeeded [^]* patched [^]* released /);
    expect((await scratch.run(images)).stdout).toMatch(
      /registry\.demo\/shop\/api +1\.3\.0 @ [0-9a-f]{12} +demo\/shop\/deployment\/api api +\d+ s ago, update 1\n/,
    );
    expect(more).toEqual([]);
  },
  patience,
);
