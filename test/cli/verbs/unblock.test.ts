import { describe, expect, it } from "vitest";
import { problemOf } from "#contracts/problem";
import { digests } from "../views.ts";
import { lines, lookout } from "../world.ts";

const api = "prod/shop/deployment/api";

const named = (tag: string, digest: string) => ({ imageName: "registry.example.com/shop/api", tag, digest });
const [newer, older] = [named("1.5.0", digests.new), named("1.4.9", digests.other)];
const nothingLeft = { hold: false, digests: [] };

const what = `POST /v1/workloads/${api}/unblock`;
const answer = (body: object) => ({ [what]: { body: { workload: api, ...body } } });

describe("lookout unblock", () => {
  it.each([
    {
      view: { hold: true, blocked: 2, digests: [older, newer], rejected: 0, left: nothingLeft },
      says: "the hold has ended, and 2 blocked digests may be tried again: 1.4.9 @ 77aa0c12f3b9, 1.5.0 @ 4d5e6f708192. Lookout evaluates the policy again.",
    },
    {
      view: { hold: true, blocked: 0, digests: [], rejected: 0, left: nothingLeft },
      says: "the hold has ended. Lookout evaluates the policy again.",
    },
    {
      view: { hold: false, blocked: 1, digests: [newer], rejected: 0, left: nothingLeft },
      says: "1 blocked digest may be tried again: 1.5.0 @ 4d5e6f708192. Lookout evaluates the policy again.",
    },
    {
      view: { hold: false, blocked: 0, digests: [], rejected: 1, left: { hold: false, digests: [newer] } },
      says: "The rejected digest stays blocked. A decider can run lookout approvals ask.",
    },
    {
      view: { hold: false, blocked: 0, digests: [], rejected: 0, left: nothingLeft },
      says: "the workload has no hold and no blocked digest.",
    },
    {
      view: { hold: false, blocked: 0, digests: [], rejected: 0, left: { hold: false, digests: [newer] } },
      says: "Still blocked: 1.5.0 @ 4d5e6f708192.",
    },
  ])("reports: $says", async ({ view, says }) => {
    expect(await lookout(["unblock", api], answer(view))).toEqual({
      exitCode: 0,
      stdout: `✓ ${api}: ${says}\n`,
      stderr: "",
      asked: [{ what, authorization: "Bearer secret", body: { by: "ana" } }],
    });
  });

  it("unblocks one digest, and tells of the hold and the digests that stay", async () => {
    const view = {
      ...{ hold: false, blocked: 1, digests: [newer], rejected: 0 },
      left: { hold: true, digests: Array.from({ length: 7 }, (_, index) => named(`1.4.${index}`, digests.other)) },
    };
    const { stdout, asked } = await lookout(["unblock", api, "--digest", "1.5.0"], answer(view));

    expect(asked.map(({ body }) => body)).toEqual([{ by: "ana", digest: "1.5.0" }]);
    expect(stdout).toBe(
      `✓ ${api}: 1 blocked digest may be tried again: 1.5.0 @ 4d5e6f708192. Lookout evaluates the policy again. ` +
        `The hold stays. To end it: lookout unblock ${api} --hold. ` +
        "Still blocked: 1.4.6 @ 77aa0c12f3b9, 1.4.5 @ 77aa0c12f3b9, 1.4.4 @ 77aa0c12f3b9, 1.4.3 @ 77aa0c12f3b9, 1.4.2 @ 77aa0c12f3b9, and 2 earlier ones.\n",
    );
  });

  it.each([
    {
      hold: true,
      says: "the hold has ended. Lookout evaluates the policy again. Still blocked: 1.5.0 @ 4d5e6f708192.",
    },
    { hold: false, says: "the workload has no hold. Still blocked: 1.5.0 @ 4d5e6f708192." },
  ])("ends only the hold: $says", async ({ hold, says }) => {
    const view = { hold, blocked: 0, digests: [], rejected: 0, left: { hold: false, digests: [newer] } };
    const { stdout, asked } = await lookout(["unblock", api, "--hold"], answer(view));

    expect(asked.map(({ body }) => body)).toEqual([{ by: "ana", hold: true }]);
    expect(stdout).toBe(`✓ ${api}: ${says}\n`);
  });

  it("refuses a digest and the hold together", async () => {
    expect(await lookout(["unblock", api, "--hold", "--digest", "1.5.0"], {})).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: lines(
        "✗ --digest and --hold exclude each other: --hold unblocks no digest.",
        "  To end the hold and unblock all digests, use neither.",
      ),
      asked: [],
    });
  });

  it("prints no control character of a tag", async () => {
    const view = {
      hold: false,
      blocked: 1,
      digests: [named("1\u001b[2J", digests.new)],
      rejected: 0,
      left: nothingLeft,
    };

    expect((await lookout(["unblock", api], answer(view))).stdout).not.toContain("\u001b");
  });

  it("reports an untracked workload", async () => {
    const body = problemOf("not-found", `${api} is not tracked`);
    const answers = { [`POST /v1/workloads/${api}/unblock`]: { status: 404, body } };

    expect(await lookout(["unblock", api], answers)).toMatchObject({
      exitCode: 2,
      stderr: `✗ ${api} is not tracked\n  To see all tracked workloads:  lookout status\n`,
    });
  });
});
