import type { CustomKind } from "../kinds.ts";
import type { CustomKindSpec } from "./kind.ts";
import type { Statement } from "./statement.ts";

const value = (path: string, ...values: readonly (string | boolean)[]): Statement => ({
  kind: "value",
  path: path.split("."),
  values,
});

const same = (path: string, other: string): Statement => ({
  kind: "same",
  path: path.split("."),
  other: other.split("."),
});

const observedGeneration = ["status", "observedGeneration"];

/** The kinds that `lookout.yaml` switches on by a name. */
export const readyKinds = {
  /** @see https://argo-rollouts.readthedocs.io/en/stable/features/specification/ */
  "argo-rollouts": {
    group: "argoproj.io",
    version: "v1alpha1",
    plural: "rollouts",
    kind: "Rollout",
    images: { kind: "template", path: ["spec", "template"] },
    pods: { kind: "selector", path: ["spec", "selector"] },
    revision: { label: "rollouts-pod-template-hash", path: ["status", "currentPodHash"] },
    replicas: ["spec", "replicas"],
    observedGeneration,
    // Only the last step makes the new revision the stable one.
    ready: [value("status.phase", "Healthy"), same("status.currentPodHash", "status.stableRS")],
    failed: [value("status.phase", "Degraded"), value("status.abort", true)],
    paused: [value("spec.paused", true), value("status.phase", "Paused")],
    message: ["status", "message"],
    scalesToZero: false,
    refused: [
      {
        path: ["spec", "workloadRef"],
        because:
          "the pod template of this Rollout is in another object, and a change there has no steps: move the template to spec.template",
      },
    ],
    annotationsOfOperator: [],
  },
  /** @see https://knative.dev/docs/serving/reference/serving-api/ */
  "knative-services": {
    group: "serving.knative.dev",
    version: "v1",
    plural: "services",
    kind: "Service",
    images: { kind: "template", path: ["spec", "template"] },
    pods: { kind: "labels", labels: { "serving.knative.dev/service": ["metadata", "name"] } },
    revision: { label: "serving.knative.dev/revision", path: ["status", "latestCreatedRevisionName"] },
    observedGeneration,
    ready: [
      { kind: "condition", type: "Ready", status: "True" },
      same("status.latestReadyRevisionName", "status.latestCreatedRevisionName"),
    ],
    failed: [{ kind: "condition", type: "ConfigurationsReady", status: "False" }],
    paused: [],
    scalesToZero: true,
    refused: [
      {
        path: ["spec", "template", "metadata", "name"],
        because: "Knative takes no change of a template with a name of its own: remove the name",
      },
    ],
    annotationsOfOperator: ["serving.knative.dev/lastModifier"],
  },
  /** @see https://openkruise.io/docs/user-manuals/cloneset */
  "clone-sets": {
    group: "apps.kruise.io",
    version: "v1alpha1",
    plural: "clonesets",
    kind: "CloneSet",
    images: { kind: "template", path: ["spec", "template"] },
    pods: { kind: "selector", path: ["spec", "selector"] },
    revision: { label: "controller-revision-hash", path: ["status", "updateRevision"] },
    // A partition keeps some pods at the old revision.
    replicas: ["status", "expectedUpdatedReplicas"],
    observedGeneration,
    ready: [
      same("status.updatedReadyReplicas", "status.expectedUpdatedReplicas"),
      same("status.updatedReplicas", "status.expectedUpdatedReplicas"),
    ],
    failed: [],
    paused: [value("spec.updateStrategy.paused", true)],
    scalesToZero: false,
    refused: [],
    annotationsOfOperator: [],
  },
} as const satisfies Readonly<Record<string, CustomKindSpec>>;

/** The name of a kind that needs no row of its own in `lookout.yaml`. */
export type ReadyKind = keyof typeof readyKinds;

/** The short names that kubectl and people use, and their kinds. */
export const readyShortNames = {
  rollout: "rollout.argoproj.io",
  ro: "rollout.argoproj.io",
  ksvc: "service.serving.knative.dev",
  cloneset: "cloneset.apps.kruise.io",
  clone: "cloneset.apps.kruise.io",
} as const satisfies Readonly<Record<string, CustomKind>>;

/** The names of {@link readyKinds}. */
export const readyKindNames = Object.keys(readyKinds) as readonly ReadyKind[];
