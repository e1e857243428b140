import { describe, expect, it } from "vitest";
import { problemOf } from "#contracts/problem";
import { lookout } from "../world.ts";

const api = "prod/shop/deployment/api";

describe("lookout unblock", () => {
  it.each([
    {
      hold: true,
      blocked: 2,
      rejected: 0,
      says: "the hold has ended, and 2 blocked digests may be tried again. Lookout evaluates the policy again.",
    },
    { hold: true, blocked: 0, rejected: 0, says: "the hold has ended. Lookout evaluates the policy again." },
    {
      hold: false,
      blocked: 1,
      rejected: 0,
      says: "1 blocked digest may be tried again. Lookout evaluates the policy again.",
    },
    {
      ...{ hold: false, blocked: 0, rejected: 1 },
      says: "The rejected digest stays blocked. A decider can run lookout approvals ask.",
    },
    { hold: false, blocked: 0, rejected: 0, says: "the workload has no hold and no blocked digest." },
  ])("reports: $says", async ({ says, ...counts }) => {
    const what = `POST /v1/workloads/${api}/unblock`;

    expect(await lookout(["unblock", api], { [what]: { body: { workload: api, ...counts } } })).toEqual({
      exitCode: 0,
      stdout: `✓ ${api}: ${says}\n`,
      stderr: "",
      asked: [{ what, authorization: "Bearer secret", body: { by: "ana" } }],
    });
  });

  it("reports an untracked workload", async () => {
    const body = problemOf("not-found", `${api} is not tracked`);
    const answers = { [`POST /v1/workloads/${api}/unblock`]: { status: 404, body } };

    expect(await lookout(["unblock", api], answers)).toMatchObject({
      exitCode: 1,
      stderr: `✗ ${api} is not tracked\n`,
    });
  });
});
