/*
 * Objects as the real operators write them: Argo Rollouts 1.8, Knative Serving 1.17 and OpenKruise 1.8.
 */

const template = (tag: string) => ({
  metadata: { labels: { app: "api" } },
  spec: { containers: [{ name: "app", image: `registry.test/shop/api:${tag}` }] },
});

type Parts = Readonly<Record<string, unknown>>;

/** An object of another operator, with the changed parts of its status. */
export interface CustomObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly generation: number;
  };
  readonly spec: Parts;
  readonly status: Parts;
}

const metadata = { name: "api", namespace: "shop", uid: "u-1", generation: 2 };

const argoConditions = (progressing: Parts) => [
  { type: "Available", status: "True", reason: "AvailableReason", message: "Rollout has minimum availability" },
  { type: "Progressing", status: "True", ...progressing },
];

/** Returns a Rollout whose second revision is stable. */
export function rollout(status: Parts = {}, spec: Parts = {}): CustomObject {
  return {
    metadata,
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: "api" } },
      template: template("1.1.0"),
      strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } },
      ...spec,
    },
    status: {
      observedGeneration: "2",
      phase: "Healthy",
      currentPodHash: "7d9c8b6f5c",
      stableRS: "7d9c8b6f5c",
      currentStepIndex: 2,
      replicas: 2,
      updatedReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      conditions: argoConditions({ reason: "NewReplicaSetAvailable" }),
      ...status,
    },
  };
}

/** The status of a Rollout that waits at the step `pause: {}`. */
export const pausedAtStep: Parts = {
  phase: "Paused",
  message: "CanaryPauseStep",
  stableRS: "5f6d4c9b8d",
  currentStepIndex: 1,
  updatedReplicas: 1,
  controllerPause: true,
  pauseConditions: [{ reason: "CanaryPauseStep", startTime: "2026-11-21T12:00:00Z" }],
  conditions: argoConditions({ status: "Unknown", reason: "RolloutPaused", message: "Rollout is paused" }),
};

/** The status of a Rollout that a person, or an analysis, aborted. */
export const aborted: Parts = {
  phase: "Degraded",
  message: "RolloutAborted: Rollout aborted update to revision 2",
  abort: true,
  abortedAt: "2026-11-21T12:00:00Z",
  stableRS: "5f6d4c9b8d",
  currentStepIndex: 0,
  updatedReplicas: 0,
  conditions: argoConditions({ status: "False", reason: "RolloutAborted" }),
};

/** Returns a Service of Knative whose second revision is ready. */
export function knativeService(status: Parts = {}, spec: Parts = {}): CustomObject {
  return {
    metadata,
    spec: { template: template("1.1.0"), traffic: [{ latestRevision: true, percent: 100 }], ...spec },
    status: {
      observedGeneration: 2,
      latestCreatedRevisionName: "api-00002",
      latestReadyRevisionName: "api-00002",
      conditions: ["ConfigurationsReady", "Ready", "RoutesReady"].map((type) => ({ type, status: "True" })),
      ...status,
    },
  };
}

/** Returns a CloneSet whose second revision is ready. */
export function cloneSet(status: Parts = {}, spec: Parts = {}): CustomObject {
  return {
    metadata,
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "api" } },
      template: template("1.1.0"),
      updateStrategy: { type: "InPlaceIfPossible" },
      ...spec,
    },
    status: {
      observedGeneration: 2,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      updatedReplicas: 3,
      updatedReadyReplicas: 3,
      updatedAvailableReplicas: 3,
      expectedUpdatedReplicas: 3,
      updateRevision: "api-6c8f7d5b9",
      currentRevision: "api-6c8f7d5b9",
      ...status,
    },
  };
}
