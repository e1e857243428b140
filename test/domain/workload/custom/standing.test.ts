import { describe, expect, it } from "vitest";
import type { CustomKindSpec } from "#domain/workload/custom/kind";
import { readyKinds } from "#domain/workload/custom/ready-rows";
import { isPausedBySpec, replicasOf, standingOf, whyUnusable } from "#domain/workload/custom/standing";
import { aborted, cloneSet, knativeService, pausedAtStep, rollout } from "./objects.ts";

const argo = readyKinds["argo-rollouts"];
const knative = readyKinds["knative-services"];
const kruise = readyKinds["clone-sets"];
const condition = (type: string, status: string, reason?: string) => ({ type, status, ...(reason && { reason }) });

describe("the rollout of a Rollout of Argo", () => {
  it.each([
    ["ready when its new revision is the stable one", rollout(), { kind: "ready" }],
    ["unseen before the controller observed the template", rollout({ observedGeneration: "1" }), { kind: "unseen" }],
    ["unseen without a status", rollout({ observedGeneration: undefined }), { kind: "unseen" }],
    ["paused at a step without a duration", rollout(pausedAtStep), { kind: "paused" }],
    ["paused when a person paused it", rollout({ phase: "Paused" }, { paused: true }), { kind: "paused" }],
    [
      "underway between steps",
      rollout({ phase: "Progressing", stableRS: "5f6d4c9b8d", updatedReplicas: 1 }),
      { kind: "underway" },
    ],
    [
      "underway after a promotion, until the old pods are gone",
      rollout({ phase: "Progressing", message: "old replicas are pending termination" }),
      { kind: "underway" },
    ],
    ["underway if a healthy revision is not yet stable", rollout({ stableRS: "5f6d4c9b8d" }), { kind: "underway" }],
    [
      "failed when it was aborted",
      rollout(aborted),
      {
        kind: "failed",
        detail:
          "Rollout failed, because status.phase is Degraded: RolloutAborted: Rollout aborted update to revision 2",
      },
    ],
    [
      "failed when an abort was asked for, and the phase does not show it yet",
      rollout({ ...pausedAtStep, abort: true, message: undefined }),
      { kind: "failed", detail: "Rollout failed, because status.abort is true" },
    ],
    [
      "failed after its deadline, with at most 200 characters of the message",
      rollout({ phase: "Degraded", message: "x".repeat(300) }),
      { kind: "failed", detail: `Rollout failed, because status.phase is Degraded: ${"x".repeat(200)}…` },
    ],
  ])("is %s", (_, object, standing) => {
    expect(standingOf(argo, object)).toEqual(standing);
  });
});

describe("the rollout of a Service of Knative", () => {
  it.each([
    ["ready when its newest revision is ready", knativeService(), { kind: "ready" }],
    [
      "underway while an older revision still serves",
      knativeService({
        latestReadyRevisionName: "api-00001",
        conditions: [condition("Ready", "Unknown", "Deploying")],
      }),
      { kind: "underway" },
    ],
    [
      "underway while the older revision is still the one that is ready",
      knativeService({ latestReadyRevisionName: "api-00001" }),
      { kind: "underway" },
    ],
    [
      "failed when its revision can't run",
      knativeService({
        latestReadyRevisionName: "api-00001",
        conditions: [condition("ConfigurationsReady", "False", "RevisionFailed"), condition("Ready", "False")],
      }),
      {
        kind: "failed",
        detail: "Service failed, because the condition ConfigurationsReady is False (RevisionFailed)",
      },
    ],
    ["underway without conditions", knativeService({ conditions: undefined }), { kind: "underway" }],
    ["underway with conditions of another form", knativeService({ conditions: { Ready: true } }), { kind: "underway" }],
    ["unseen", knativeService({ observedGeneration: 1 }), { kind: "unseen" }],
  ])("is %s", (_, object, standing) => {
    expect(standingOf(knative, object)).toEqual(standing);
  });
});

describe("the rollout of a CloneSet", () => {
  it.each([
    ["ready when all pods are new", cloneSet(), { kind: "ready" }],
    [
      "ready when the pods above the partition are new",
      cloneSet({ updatedReplicas: 1, updatedReadyReplicas: 1, expectedUpdatedReplicas: 1 }),
      { kind: "ready" },
    ],
    ["underway while pods are replaced", cloneSet({ updatedReadyReplicas: 1 }), { kind: "underway" }],
    [
      "underway while the operator omits that none is ready",
      cloneSet({ updatedReadyReplicas: undefined, updatedReplicas: undefined }),
      { kind: "underway" },
    ],
    ["paused", cloneSet({ updatedReadyReplicas: 1 }, { updateStrategy: { paused: true } }), { kind: "paused" }],
  ])("is %s", (_, object, standing) => {
    expect(standingOf(kruise, object)).toEqual(standing);
  });
});

it("a pause in the spec counts before a rollout, and a pause of a step does not", () => {
  expect(isPausedBySpec(argo, rollout({}, { paused: true }))).toBe(true);
  expect(isPausedBySpec(argo, rollout(pausedAtStep))).toBe(false);
  expect(isPausedBySpec(kruise, cloneSet({}, { updateStrategy: { paused: true } }))).toBe(true);
});

it("the wanted pods are one without a number in the spec, and none without one in the status", () => {
  expect(replicasOf(argo, rollout({}, { replicas: undefined }))).toBe(1);
  expect(replicasOf(argo, rollout({}, { replicas: 0 }))).toBe(0);
  expect(replicasOf(kruise, cloneSet({ expectedUpdatedReplicas: undefined }))).toBe(0);
  expect(replicasOf(knative, knativeService())).toBeUndefined();
  expect(replicasOf(argo, rollout({}, { replicas: "2" }))).toBeUndefined();
});

describe("an object without an image that Lookout can write", () => {
  const cache: CustomKindSpec = {
    ...kruise,
    kind: "Cache",
    images: { kind: "fields", paths: { server: ["spec", "image"], exporter: ["spec", "metrics", "image"] } },
  };

  it.each([
    [
      "a Rollout of another object's template",
      argo,
      rollout({}, { template: undefined, workloadRef: { kind: "Deployment", name: "api" } }),
      "spec.workloadRef: the pod template of this Rollout is in another object, and a change there has no steps: move the template to spec.template",
    ],
    [
      "a Rollout without a template",
      argo,
      rollout({}, { template: undefined }),
      "spec.template: this Rollout has no pod template with named containers there",
    ],
    [
      "a Service of Knative with a named revision",
      knative,
      knativeService({}, { template: { metadata: { name: "api-v1" }, spec: { containers: [] } } }),
      "spec.template.metadata.name: Knative takes no change of a template with a name of its own: remove the name",
    ],
    [
      "a template without images",
      kruise,
      cloneSet({}, { template: { spec: { containers: [{ name: "app" }] } } }),
      "spec.template: no container of this CloneSet has an image",
    ],
    [
      "an object without the field",
      cache,
      cloneSet(),
      "spec.image: this Cache has no image there, such as registry.example/api:1.4.2",
    ],
    [
      "an object with something else there",
      cache,
      cloneSet({}, { image: 3, metrics: { image: { name: "x" } } }),
      "spec.metrics.image: this Cache has no image there, such as registry.example/api:1.4.2",
    ],
  ])("says why: %s", (_, spec, object, why) => {
    expect(whyUnusable(spec, object)).toBe(why);
  });

  it("says nothing if one of its images is there", () => {
    expect(whyUnusable(cache, cloneSet({}, { image: "cache:1" }))).toBeUndefined();
    expect(whyUnusable(argo, rollout())).toBeUndefined();
  });
});
