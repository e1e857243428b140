import { expect, it } from "vitest";
import { isApplier, isHelm } from "#domain/workload/appliers";

it.each([
  ["kubectl-client-side-apply", "Update", true],
  ["kubectl-replace", "Update", true],
  ["helm", "Update", true],
  ["HashiCorp", "Update", true],
  ["terraform-provider-helm_v2.12.1_x5", "Update", true],
  ["kubectl", "Apply", true],
  ["anything", "Apply", true],
  ["kubectl", "Update", false],
  ["kubectl-edit", "Update", false],
  ["kubectl-set", "Update", false],
  ["kubectl-patch", "Update", false],
  ["my-terraform-provider-helm", "Update", false],
  ["helmsman", "Update", false],
] as const)("%s (%s) applies manifests: %s", (manager, operation, expected) => {
  expect(isApplier({ manager, operation })).toBe(expected);
});

it.each([
  ["helm", true],
  ["terraform-provider-helm", true],
  ["kubectl", false],
  ["HashiCorp", false],
] as const)("%s is Helm: %s", (manager, expected) => {
  expect(isHelm(manager)).toBe(expected);
});
