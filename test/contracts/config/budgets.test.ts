import { describe, expect, it } from "vitest";
import { parseConfiguration } from "#contracts/config/configuration";

/** The path and message of each problem of a budget. */
function problemsOf(budget: object, clusters: readonly object[] = []): readonly string[] {
  const parsed = parseConfiguration({ clusters, budgets: [budget] });
  return parsed.ok ? [] : parsed.problem.map(({ path, message }) => `${path}: ${message}`);
}

const prod = { name: "prod", namespaces: { allow: ["shop", "pay"] } };
const dev = { name: "dev" };

describe("an entry of budgets", () => {
  it.each(["evaluations", "requestsPerMinute", "cpuSecondsPerMinute", "memoryMiB"])(
    "may not have %s of 0",
    (member) => {
      const [problem] = problemsOf({ namespaces: ["shop"], [member]: 0 });

      expect(problem).toMatch(
        new RegExp(
          `^budgets\\[0\\]\\.${member}: expected a whole number from 1 to \\d+; to stop updates, use freezes$`,
        ),
      );
    },
  );

  it.each([
    { evaluations: -1 },
    { evaluations: 251 },
    { requestsPerMinute: 1.5 },
    { cpuSecondsPerMinute: 61 },
    { memoryMiB: "16" },
  ])("may not have %o", (limit) => {
    expect(problemsOf({ namespaces: ["shop"], ...limit })).toHaveLength(1);
  });

  it("limits something", () => {
    expect(problemsOf({ namespaces: ["shop"] })).toEqual([
      "budgets[0]: limits nothing: add evaluations, requestsPerMinute, cpuSecondsPerMinute or memoryMiB",
    ]);
  });

  it.each([
    { pattern: "stage/shop", clusters: [prod, dev], says: "is in no cluster of this file; its clusters are prod, dev" },
    {
      pattern: "prod/lab",
      clusters: [prod, dev],
      says: "is no namespace that Lookout tracks; namespaces.allow has shop, pay",
    },
    { pattern: "lab", clusters: [prod], says: "is no namespace that Lookout tracks; namespaces.allow has shop, pay" },
  ])("names a namespace that exists: $pattern", ({ pattern, clusters, says }) => {
    expect(problemsOf({ namespaces: ["shop", pattern], evaluations: 1 }, clusters)).toEqual([
      `budgets[0].namespaces[1]: ${says}`,
    ]);
  });

  it.each([
    { pattern: "lab", clusters: [prod, dev] },
    { pattern: "dev/lab", clusters: [prod, dev] },
    { pattern: "p*/sh*", clusters: [prod] },
    { pattern: "*/pay", clusters: [prod] },
    { pattern: "*", clusters: [prod] },
    { pattern: "stage/shop", clusters: [] },
  ])("may have the pattern $pattern", ({ pattern, clusters }) => {
    expect(problemsOf({ namespaces: [pattern], evaluations: 1 }, clusters)).toEqual([]);
  });
});
