import { expect, it } from "vitest";
import { budgetOf } from "#domain/shares/budget";

const entries = [
  { namespaces: ["team-*"], evaluations: 5, memoryMiB: 16 },
  { namespaces: ["prod/team-a", "lab"], evaluations: 2, requestsPerMinute: 60 },
  { namespaces: ["prod/team-a"], evaluations: 3, cpuSecondsPerMinute: 4 },
];

it.each([
  { payer: "prod/team-a", budget: { evaluations: 2, requestsPerMinute: 60, cpuSecondsPerMinute: 4, memoryMiB: 16 } },
  { payer: "dev/team-a", budget: { evaluations: 5, memoryMiB: 16 } },
  { payer: "dev/lab", budget: { evaluations: 2, requestsPerMinute: 60 } },
  { payer: "prod/shop", budget: {} },
])("the budget of $payer is the smallest of its entries", ({ payer, budget }) => {
  expect(budgetOf(payer, entries)).toEqual(budget);
});
