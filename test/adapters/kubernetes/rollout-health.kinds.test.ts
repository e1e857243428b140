import { describe, expect, it } from "vitest";
import { type CronJob, nextJob } from "#adapters/kubernetes/kinds/cron-job";
import {
  type Deployment,
  deploymentHealth,
  deploymentHealthWithoutPods,
  isUnderway,
  presentReplicaSet,
} from "#adapters/kubernetes/kinds/deployment";
import { type StatefulSet, failedPods } from "#adapters/kubernetes/kinds/stateful-set";
import { liveWorkload } from "./live-object.ts";
import type { Job, Pod, ReplicaSet } from "#adapters/kubernetes/objects";
import { statefulSetHealth } from "#adapters/kubernetes/kinds/stateful-set";
import { epochMs } from "#domain/shared/time";

const app = "registry.test/shop/app";
const template = (tag: string) => ({
  metadata: { labels: { app: "api" } },
  spec: { containers: [{ name: "app", image: `${app}:${tag}` }] },
});
const revision = (number: string) => ({ "deployment.kubernetes.io/revision": number });

function deployment(status: Deployment["status"], part: object = {}): Deployment {
  return {
    metadata: { name: "api", namespace: "shop", uid: "d-1", generation: 2, annotations: revision("2") },
    spec: { replicas: 2, selector: { matchLabels: { app: "api" } }, template: template("1.1.0"), ...part },
    ...(status && { status }),
  };
}

function replicaSet(number: string, tag: string, status: ReplicaSet["status"] = {}): ReplicaSet {
  const owner = { kind: "Deployment", name: "api", uid: "d-1", controller: true };
  const metadata = {
    name: `api-${number}`,
    uid: `r-${number}`,
    annotations: revision(number),
    ownerReferences: [owner],
  };
  return { metadata, spec: { template: template(tag) }, status };
}

function pod(owner: string, part: Partial<Pod["status"]> & { readonly readyAt?: string } = {}): Pod {
  const { readyAt, ...status } = part;
  const ready = { type: "Ready", status: readyAt ? "True" : "False", ...(readyAt && { lastTransitionTime: readyAt }) };
  return {
    metadata: { name: `${owner}-pod`, uid: `${owner}-pod`, ownerReferences: [{ kind: "X", name: owner, uid: owner }] },
    spec: template("1.1.0").spec,
    status: { conditions: [ready], ...status },
  };
}

const name = { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" } as const;
const live = liveWorkload(name, deployment({}));
const done = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };
const available = (at: string) => ({
  type: "Progressing",
  status: "True",
  reason: "NewReplicaSetAvailable",
  lastUpdateTime: at,
});

describe("a Deployment", () => {
  it("runs since its last pod was ready, or since its rollout was complete", () => {
    const pods = [pod("r-2", { readyAt: "2026-11-21T12:00:25Z" }), pod("r-2", { readyAt: "2026-11-21T12:09:00Z" })];

    const health = deploymentHealth(
      live,
      deployment({ ...done, conditions: [available("2026-11-21T12:00:30Z")] }),
      replicaSet("2", "1.1.0"),
      pods,
    );

    expect(health).toEqual({
      kind: "healthy",
      live,
      runningSince: Date.parse("2026-11-21T12:00:30Z"),
      pods: 2,
      restarts: 0,
    });
  });

  it("is not healthy by the counters of an earlier rollout", () => {
    const stale = {
      observedGeneration: 2,
      replicas: 2,
      availableReplicas: 2,
      conditions: [available("2026-11-20T00:00:00Z")],
    };

    expect(deploymentHealth(live, deployment(stale), replicaSet("2", "1.1.0"), []).kind).toBe("progressing");
  });

  it("has not started until its controller has observed the change", () => {
    expect(deploymentHealthWithoutPods(live, deployment({ ...done, observedGeneration: 1 }))).toMatchObject({
      kind: "progressing",
    });
  });

  it.each([
    [{ ...done, observedGeneration: 1 }, {}, true],
    [{ ...done, updatedReplicas: 1 }, {}, true],
    [undefined, {}, true],
    [done, {}, false],
    [{ observedGeneration: 2 }, { paused: true }, false],
    [{ observedGeneration: 2 }, { replicas: 0 }, false],
    [{ observedGeneration: 2, conditions: [{ type: "ReplicaFailure", status: "True" }] }, {}, false],
    [
      {
        observedGeneration: 2,
        conditions: [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" }],
      },
      {},
      false,
    ],
  ] as const)("with the status %j and the spec %j is in progress: %s", (status, spec, underway) => {
    expect(isUnderway(deployment(status, spec))).toBe(underway);
  });

  it("has no ReplicaSet while the revision number is still the old one", () => {
    expect(presentReplicaSet(deployment({}), [replicaSet("2", "1.0.0"), replicaSet("1", "0.9.0")])).toBeUndefined();
  });

  it("tells which quota leaves no room for its pods, without the server's words", () => {
    const condition = {
      type: "ReplicaFailure",
      status: "True",
      reason: "FailedCreate",
      message: "exceeded quota: team, PASSWORD=x",
    };
    const refused = replicaSet("2", "1.1.0", { conditions: [condition] });

    expect(deploymentHealth(live, deployment({ observedGeneration: 2 }), refused, [])).toMatchObject({
      kind: "progressing",
      fault: "quota",
      detail: "FailedCreate: quota team is exceeded",
    });
  });

  it("fails by the deadline of this rollout only", () => {
    const overdue = (set: string) => ({
      observedGeneration: 2,
      conditions: [
        {
          type: "Progressing",
          status: "False",
          reason: "ProgressDeadlineExceeded",
          message: `ReplicaSet "${set}" has timed out progressing.`,
        },
      ],
    });
    const kindOf = (set: string) => deploymentHealth(live, deployment(overdue(set)), replicaSet("2", "1.1.0"), []).kind;

    expect([kindOf("api-2"), kindOf("api-1")]).toEqual(["failed", "progressing"]);
  });

  it("names the exit of a crashing container", () => {
    const waiting = { waiting: { reason: "CrashLoopBackOff", message: "back-off PASSWORD=x" } };
    const lastState = { terminated: { exitCode: 137, reason: "OOMKilled" } };
    const crashing = pod("r-2", { containerStatuses: [{ name: "app", state: waiting, lastState }] });

    expect(
      deploymentHealth(live, deployment({ observedGeneration: 2 }), replicaSet("2", "1.1.0"), [crashing]),
    ).toMatchObject({
      detail: `CrashLoopBackOff in container app (${app}:1.1.0) of pod r-2-pod, last exit 137 (OOMKilled)`,
    });
  });

  it.each([
    { says: `${app}:1.1.0: not found`, kind: "failed", tells: ", the registry has no such image" },
    { says: "denied PASSWORD=x: 401 Unauthorized", fault: "lasting", tells: ", the registry denies the pull" },
    { says: "toomanyrequests: PASSWORD=x", fault: "limited", tells: ", the registry limits pulls (429)" },
    { says: "dial tcp PASSWORD=x", fault: "lasting", tells: "" },
    { says: undefined, fault: "backing-off", tells: "" },
  ])("whose pull ends with $says has the health $kind $fault, without the server's words", (pull) => {
    const { says, kind = "progressing", fault, tells } = pull;
    const message = `Back-off pulling image "${app}:1.1.0"${says === undefined ? "" : `: ErrImagePull: ${says}`}`;
    const state = { waiting: { reason: "ImagePullBackOff", message } };
    const pods = [pod("r-2", { containerStatuses: [{ name: "app", state }] })];
    const detail = `ImagePullBackOff in container app (${app}:1.1.0) of pod r-2-pod${tells}`;

    expect(deploymentHealth(live, deployment({ observedGeneration: 2 }), replicaSet("2", "1.1.0"), pods)).toEqual({
      ...(kind === "failed" ? { kind, live, detail } : { kind, live, ready: 0, wanted: 2, detail, fault }),
      containers: ["app"],
    });
  });

  it("whose pulls a registry limits is not given up at the deadline of Kubernetes", () => {
    const conditions = [
      { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: 'ReplicaSet "api-2"' },
    ];
    const fault = (reason: string, message: string) =>
      deploymentHealth(live, deployment({ observedGeneration: 2, conditions }), replicaSet("2", "1.1.0"), [
        pod("r-2", { containerStatuses: [{ name: "app", state: { waiting: { reason, message } } }] }),
      ]);

    expect(fault("ErrImagePull", "toomanyrequests")).toMatchObject({ kind: "progressing", fault: "limited" });
    expect(fault("ErrImagePull", "i/o timeout")).toMatchObject({ kind: "failed" });
  });

  it("names the fault that proves most", () => {
    const waits = (owner: string, reason: string, message: string) =>
      pod(owner, { containerStatuses: [{ name: "app", state: { waiting: { reason, message } } }] });
    const pods = [waits("r-1", "ErrImagePull", "toomanyrequests"), waits("r-2", "ErrImagePull", "manifest unknown")];

    expect(deploymentHealth(live, deployment({ observedGeneration: 2 }), replicaSet("2", "1.1.0"), pods)).toEqual({
      kind: "failed",
      live,
      detail: `ErrImagePull in container app (${app}:1.1.0) of pod r-2-pod, the registry has no such image`,
      containers: ["app"],
    });
  });

  it("names all containers with this fault, and no others", () => {
    const waiting = (reason: string, message: string) => ({ waiting: { reason, message } });
    const statuses = [
      { name: "app", state: waiting("ErrImagePull", "manifest unknown") },
      { name: "side", state: waiting("ErrImagePull", "i/o timeout") },
      { name: "proxy", state: waiting("ImagePullBackOff", "not found") },
    ];
    const pods = [pod("r-2", { containerStatuses: statuses }), pod("r-2", { containerStatuses: statuses })];

    expect(deploymentHealth(live, deployment({ observedGeneration: 2 }), replicaSet("2", "1.1.0"), pods)).toMatchObject(
      {
        kind: "failed",
        containers: ["app", "proxy"],
      },
    );
  });

  it("names the image volume whose pull failed, and not the container that waits for it", () => {
    const reference = "registry.test/shop/models:1.1.0";
    const failing = (image: string) => {
      const message = `Back-off pulling image "${image}": ErrImagePull: failed to resolve: ${image}: not found`;
      const waits = pod("r-2", {
        containerStatuses: [{ name: "app", state: { waiting: { reason: "ImagePullBackOff", message } } }],
      });
      const volumes = [{ name: "data" }, { name: "models", image: { reference } }];
      const health = deploymentHealth(live, deployment({ observedGeneration: 2 }), replicaSet("2", "1.1.0"), [
        { ...waits, spec: { ...waits.spec, volumes } },
      ]);
      return health.kind === "failed" && health.containers;
    };

    expect(failing(reference)).toEqual(["volume.models"]);
    expect(failing(`${reference}-rc1`)).toEqual(["app"]);
    expect(failing(`${app}:1.1.0`)).toEqual(["app"]);
  });

  it("waits for a crash loop beside ready pods", () => {
    const state = { waiting: { reason: "CrashLoopBackOff", message: "back-off" } };
    const crashing = pod("r-2", { containerStatuses: [{ name: "app", state }] });
    const healthOf = (...pods: Pod[]) =>
      deploymentHealth(live, deployment({ observedGeneration: 2 }), replicaSet("2", "1.1.0"), pods);

    expect(healthOf(crashing)).toMatchObject({ kind: "failed" });
    expect(healthOf(crashing, pod("r-2", { readyAt: "2026-11-21T12:00:25Z" }))).toMatchObject({
      kind: "progressing",
      ready: 1,
      fault: "lasting",
    });
  });

  it("waits when no node accepts its pods", () => {
    const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes" }];
    const health = deploymentHealth(live, deployment({ observedGeneration: 2 }), replicaSet("2", "1.1.0"), [
      pod("r-2", { phase: "Pending", conditions }),
    ]);

    expect(health).toEqual({ kind: "progressing", live, ready: 0, wanted: 2, detail: "1 pods wait for a node" });
  });
});

const set: StatefulSet = {
  metadata: { name: "db", namespace: "shop", uid: "s-1", generation: 3 },
  spec: { replicas: 1, selector: {}, template: template("1.1.0") },
  status: { observedGeneration: 3, updateRevision: "db-new", currentRevision: "db-old" },
};

function ordered(hash: string, part: Parameters<typeof pod>[1]): Pod {
  const one = pod("s-1", part);
  return { ...one, metadata: { ...one.metadata, name: "db-0", labels: { "controller-revision-hash": hash } } };
}

describe("a StatefulSet", () => {
  const setLive = {
    ...liveWorkload({ ...name, kind: "StatefulSet", name: "db" }, set),
    lastWriter: { manager: "lookout", at: epochMs(Date.parse("2026-11-21T12:00:00Z")) },
  };
  const warning = (at: string) => ({
    metadata: { name: "e", uid: "e" },
    reason: "FailedCreate",
    message: "exceeded quota: team",
    lastTimestamp: at,
  });

  it("shows a quota by an event, but not by an event from before the change", () => {
    const faultAt = (at: string) => {
      const health = statefulSetHealth(setLive, set, [], [warning(at)]);
      return health.kind === "progressing" ? health.fault : health.kind;
    };

    expect([faultAt("2026-11-21T12:00:00Z"), faultAt("2026-11-21T11:59:59Z")]).toEqual(["quota", undefined]);
  });

  it("does not fail by an event of rejected pods after its pods exist", () => {
    expect(statefulSetHealth(setLive, set, [ordered("db-new", {})], [warning("2026-11-21T12:00:01Z")]).kind).toBe(
      "progressing",
    );
  });

  it("waits for a pull that is denied, unless its pods are rejected", () => {
    const state = { waiting: { reason: "ErrImagePull", message: "pull access denied" } };
    const denied = ordered("db-new", { containerStatuses: [{ name: "app", state }] });

    expect(statefulSetHealth(setLive, set, [denied], [])).toMatchObject({ kind: "progressing", fault: "lasting" });
  });

  it("deletes only failed pods of the failed revision", () => {
    const broken = ordered("db-broken", {});
    const well = ordered("db-broken", { readyAt: "2026-11-21T12:00:00Z" });
    const present = ordered("db-new", {});
    const leaving = { ...broken, metadata: { ...broken.metadata, deletionTimestamp: "2026-11-21T12:00:00Z" } };

    expect(failedPods(set, [`${app}:1.1.0`], [broken, well, present, leaving])).toEqual([broken]);
    expect(failedPods(set, [`${app}:9.9.9`], [broken])).toEqual([]);
  });
});

describe("the next Job of a CronJob", () => {
  const cronJob: CronJob = {
    metadata: { name: "report", namespace: "shop", uid: "c-1" },
    spec: { jobTemplate: { spec: { template: template("1.1.0") } } },
  };
  const job = (second: string, tag: string, owner = "c-1"): Job => ({
    metadata: {
      name: `report-${second}`,
      uid: second,
      creationTimestamp: `2026-11-21T12:00:${second}Z`,
      ownerReferences: [{ kind: "CronJob", name: "report", uid: owner, controller: true }],
    },
    spec: { template: template(tag) },
  });
  const since = Date.parse("2026-11-21T12:00:10.700Z");

  it("is the first of its template since the change, or the second", () => {
    const jobs = [
      job("12", "1.1.0"),
      job("10", "1.0.0"),
      job("09", "1.1.0"),
      job("11", "1.1.0"),
      job("10", "1.1.0", "other"),
    ];

    expect(nextJob(cronJob, jobs, since)?.metadata.name).toBe("report-11");
  });

  it("is missing while only older Jobs exist", () => {
    expect(nextJob(cronJob, [job("09", "1.1.0"), job("10", "1.0.0")], since)).toBeUndefined();
  });
});
