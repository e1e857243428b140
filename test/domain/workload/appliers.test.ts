import { expect, it } from "vitest";
import { isApplier, isHelm, personNamedBy } from "#domain/workload/appliers";

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
  ["deploy-bot", "deploy-bot", true],
  ["deploy-bot-2", "deploy-bot", false],
  ["deploy-bot", "deploy-bot-2", false],
  ["spinnaker-v1", "spinnaker-*", true],
  ["spinnaker-", "spinnaker-*", true],
  ["spinnaker", "spinnaker-*", false],
  ["my-spinnaker-v1", "spinnaker-*", false],
] as const)("%s applies manifests if lookout.yaml names %s: %s", (manager, name, expected) => {
  expect(isApplier({ manager, operation: "Update" }, ["other", name])).toBe(expected);
});

it.each([
  ["kubectl", "kubectl"],
  ["kubectl-e*", "kubectl-edit"],
  ["kubectl-set", "kubectl-set"],
  ["kubectl-patch", "kubectl-patch"],
  ["kubectl-rollout", "kubectl-rollout"],
  ["look*", "lookout"],
  ["kubectl-deploy", undefined],
  ["kubectl-client-side-apply", undefined],
  ["deploy-*", undefined],
] as const)("the name %s of an applier also means %s", (name, expected) => {
  expect(personNamedBy(name)).toBe(expected);
});

it.each([
  ["helm", true],
  ["terraform-provider-helm", true],
  ["kubectl", false],
  ["HashiCorp", false],
] as const)("%s is Helm: %s", (manager, expected) => {
  expect(isHelm(manager)).toBe(expected);
});
