import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openScratch, type Running, type Scratch } from "#test/docs/shell";

const patience = 90_000;
const api = "demo/shop/deployment/api";

let scratch: Scratch;
let demo: Running;

beforeAll(async () => {
  scratch = openScratch({});
  demo = scratch.start("npx lookout start --listen 127.0.0.1:0");
  await demo.says(/"name":"Started"/);
}, patience);
afterAll(() => scratch.close(), patience);

const lookout = (typed: string) => scratch.run(`npx lookout ${typed}`);

async function runs(): Promise<readonly (string | undefined)[]> {
  const { stdout } = await lookout("status --output json");
  const { workloads } = JSON.parse(stdout) as {
    workloads: { workload: string; state: string; runs: { tag: string }[] }[];
  };
  const row = workloads.find(({ workload }) => workload === api);
  return [row?.runs[0]?.tag, row?.state];
}

describe("in the demo", () => {
  it(
    "a rolled back workload stays rolled back after a sweep, and moves on with a new tag",
    async () => {
      expect((await lookout("push shop/api:1.3.0 --wait --timeout 1m")).code).toBe(0);
      expect(await runs()).toEqual(["1.3.0", "up-to-date"]);

      const back = await lookout('rollback shop/api --why "checkout fails" --by ana');
      expect([back.code, back.stdout]).toEqual([
        0,
        expect.stringContaining(`✓ ${api}: It goes back to 1.2.0 @ `) as string,
      ]);
      expect((await lookout("wait shop/api 1.2.0 --timeout 1m")).code).toBe(0);
      expect((await lookout("sweep")).code).toBe(0);
      expect(await runs()).toEqual(["1.2.0", "kept"]);

      expect((await lookout("push shop/api:1.4.0 --wait --timeout 1m")).code).toBe(0);
      expect(await runs()).toEqual(["1.4.0", "up-to-date"]);
    },
    patience,
  );
});
