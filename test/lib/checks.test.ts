import { describe, expect, it } from "vitest";
import { deployedRoutes, functionName } from "#contracts/routes";
import { deploy, oneCheck } from "./deployed.ts";

const ids = (of: ReturnType<typeof deploy>) =>
  Object.keys((of.template.toJSON() as { readonly Resources: object }).Resources);

describe("a stack without a check", () => {
  const stack = deploy({ checks: [] });

  it("has no queue, function or right of checks", () => {
    const handlers = [...stack.resources("AWS::Lambda::Function").values()].map(({ Handler }) => Handler);
    const routes = deployedRoutes({ channels: [{}], checks: [], tiers: [] });

    expect(handlers.toSorted()).toEqual(routes.map((route) => `${functionName(route)}.handler`).toSorted());
    expect(routes.filter(({ emits }) => emits.includes("AskChecks"))).toEqual([]);
    expect(JSON.stringify(stack.template.toJSON())).not.toMatch(/AskChecks|ask-checks/);
  });

  it("differs from one with a check only in what the check needs, with a second alarm for the eleventh age", () => {
    const own = new Set(ids(stack));
    const more = ids(deploy({ checks: [oneCheck] })).filter((id) => !own.has(id));

    expect(more.map((id) => id.replace(/[0-9A-F]{8}$/, "").replace(/[0-9A-F]{8}$/, "")).toSorted()).toEqual([
      "LookoutAlarmsbacklog1",
      "LookoutAlarmsbacklog2",
      "LookoutQueuesAskChecks",
      "LookoutQueuesAskChecksPolicy",
      "LookoutgateaskchecksFunction",
      "LookoutgateaskchecksFunctionSqsEventSourceTestLookoutQueuesAskChecks",
      "LookoutgateaskchecksLog",
      "LookoutgateaskchecksLogFailedRuns",
      "LookoutgateaskchecksRole",
      "LookoutgateaskchecksRoleDefaultPolicy",
    ]);
  });
});
