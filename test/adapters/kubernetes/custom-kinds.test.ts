import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { clusterOfContext } from "#adapters/kubernetes/kubeconfig";
import type { CustomKindSpec } from "#domain/workload/custom/kind";
import { readyKinds } from "#domain/workload/custom/ready-rows";
import type { CustomKind } from "#domain/workload/kinds";
import type { Health } from "#domain/workload/health";
import {
  aborted,
  cloneSet,
  type CustomObject,
  knativeService,
  pausedAtStep,
  rollout,
} from "#test/domain/workload/custom/objects";
import { apiServer, sendJson } from "./api-server.ts";

const { signal } = new AbortController();
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The body of an answer to a path, a list of objects, or a status with a body. Other paths get 404. */
type Answers = Record<string, object>;

const listOf = (items: readonly unknown[]) => ({ metadata: { resourceVersion: "10" }, items });
const groups = { kind: "APIGroupList", groups: [{ name: "apps" }, { name: "batch" }] };

/** Starts an API server with some answers, and opens it as the cluster `prod` with these kinds. */
async function clusterWith(answers: Answers, kinds: readonly CustomKindSpec[] = [readyKinds["argo-rollouts"]]) {
  const asked: { readonly what: string; readonly body: unknown; readonly type: string | undefined }[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "", "http://api");
    const sent = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
    asked.push({
      what: `${request.method ?? ""} ${decodeURIComponent(`${url.pathname}${url.search}`)}`,
      body: sent === "" ? undefined : JSON.parse(sent),
      type: request.headers["content-type"],
    });
    const found = answers[url.pathname];
    if (found !== undefined) {
      const { status = 200, body } = found as { readonly status?: unknown; readonly body?: object };
      sendJson(
        response,
        typeof status === "number" ? status : 200,
        body ?? (Array.isArray(found) ? listOf(found) : found),
      );
    } else if (url.searchParams.has("watch")) response.writeHead(200).end();
    else if (url.pathname.startsWith("/apis/apps") || url.pathname.startsWith("/apis/batch"))
      sendJson(response, 200, listOf([]));
    else response.writeHead(404, { "content-type": "text/plain" }).end("404 page not found\n");
  };
  const server = await apiServer((request, response) => void answer(request, response));
  const cluster = clusterOfContext({ name: "prod", kubeConfig: server.kubeConfig, kinds });
  closing.push(
    () => server.close(),
    () => cluster.close(),
  );
  return { cluster, asked };
}

const named = (kind: CustomKind) => ({ cluster: "prod", namespace: "shop", kind, name: "api" }) as const;
const aRollout = named("rollout.argoproj.io");
const path = "/apis/argoproj.io/v1alpha1";
const objectPath = `${path}/namespaces/shop/rollouts/api`;
const podsPath = "/api/v1/namespaces/shop/pods";
const image = "registry.test/shop/api:1.1.0";

/** A pod with the labels of its revision. */
function pod(
  labels: Readonly<Record<string, string>>,
  part: { readonly ready?: boolean; readonly reason?: string } = {},
) {
  const { ready = true, reason } = part;
  const state = reason === undefined ? { running: {} } : { waiting: { reason, message: "back-off" } };
  return {
    metadata: { name: "api-1", namespace: "shop", uid: "p-1", labels: { app: "api", ...labels } },
    spec: { containers: [{ name: "app", image }] },
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: "2026-11-21T12:00:00Z" }],
      containerStatuses: [
        { name: "app", imageID: `registry.test/shop/api@sha256:${"a".repeat(64)}`, restartCount: 0, state },
      ],
    },
  };
}

const argoPod = (part?: Parameters<typeof pod>[1]) => pod({ "rollouts-pod-template-hash": "7d9c8b6f5c" }, part);
const since = Date.parse("2026-11-21T12:00:00Z");

function without(health: Health | { readonly kind: string }) {
  const { live: _, ...rest } = health as Health;
  return rest;
}

describe("objects of another operator", () => {
  it("are listed as workloads beside the kinds of Kubernetes", async () => {
    const { cluster, asked } = await clusterWith({ [`${path}/rollouts`]: [rollout()] });

    const list = await cluster.list(undefined, signal);

    expect(list).toMatchObject({
      kind: "workloads",
      complete: true,
      live: [{ workload: aRollout, uid: "u-1", containers: [{ name: "app", image }] }],
      position: JSON.stringify({
        Deployment: "10",
        StatefulSet: "10",
        DaemonSet: "10",
        CronJob: "10",
        "rollout.argoproj.io": "10",
      }),
    });
    expect(asked.map(({ what }) => what)).toContain(`GET ${path}/rollouts?limit=500`);
  });

  it("are none in a cluster without the custom resource, which each list looks for", async () => {
    const answers: Answers = { "/apis": groups };
    const { cluster, asked } = await clusterWith(answers);

    const list = await cluster.list(undefined, signal);
    const position = list.kind === "workloads" ? list.position : "";
    asked.length = 0;
    const changes = await cluster.list(position, signal);

    expect(list).toMatchObject({ kind: "workloads", complete: true, live: [] });
    expect(JSON.parse(position)).toMatchObject({ "rollout.argoproj.io": "absent" });
    expect(changes).toMatchObject({ kind: "workloads", complete: false, position });
    expect(asked.flatMap(({ what }) => (what.includes("argoproj") ? [what] : []))).toEqual([
      `GET ${path}/rollouts?limit=1`,
    ]);
    answers[`${path}/rollouts`] = [rollout()];
    expect(await cluster.list(position, signal)).toMatchObject({ complete: true, live: [{ workload: aRollout }] });
  });

  it("are none without the right to list them, if the cluster has no such resource", async () => {
    const { cluster } = await clusterWith({
      [`${path}/rollouts`]: { status: 403, body: { reason: "Forbidden" } },
      [path]: { kind: "APIResourceList", resources: [{ name: "experiments" }] },
    });

    expect(await cluster.list(undefined, signal)).toMatchObject({ kind: "workloads", live: [] });
  });

  it("fail the list if the cluster has the resource and denies it", async () => {
    const { cluster } = await clusterWith({
      [`${path}/rollouts`]: { status: 403, body: { reason: "Forbidden" } },
      [path]: { kind: "APIResourceList", resources: [{ name: "rollouts" }] },
    });

    expect(await cluster.list(undefined, signal)).toMatchObject({
      kind: "denied",
      detail: expect.stringMatching(
        /^Lookout may not list rollouts \(403 Forbidden from .*\): run lookout cluster manifests --config lookout\.yaml \| kubectl apply -f - \(or, .*: lookout cluster add NAME --context CONTEXT --config lookout\.yaml\)$/,
      ) as string,
    });
  });

  it("fail the list behind a proxy whose 404 proves nothing", async () => {
    const { cluster } = await clusterWith({});

    expect(await cluster.list(undefined, signal)).toMatchObject({ kind: "unreachable" });
  });

  it("are listed anew when lookout.yaml names other kinds", async () => {
    const { cluster } = await clusterWith({});
    const before = await clusterWith({}, []);
    const list = await before.cluster.list(undefined, signal);
    const position = list.kind === "workloads" ? list.position : "";

    expect((await cluster.list(position, signal)).kind).toBe("unreachable");
    expect(await before.cluster.read(aRollout, signal)).toEqual({ kind: "gone" });
    expect(before.asked.filter(({ what }) => what.includes("argoproj"))).toEqual([]);
  });

  it("are gone when their custom resource is removed", async () => {
    const { cluster } = await clusterWith({ "/apis": groups });

    expect(await cluster.read(aRollout, signal)).toEqual({ kind: "gone" });
    expect(await cluster.health(aRollout, since, signal)).toEqual({ kind: "gone" });
  });

  it("are patched at their own path, guarded as a Deployment is", async () => {
    const { cluster, asked } = await clusterWith({ [objectPath]: rollout() });
    const read = await cluster.read(aRollout, signal);
    if (read.kind !== "found") throw new Error(JSON.stringify(read));
    const to = "registry.test/shop/api:1.2.0";

    const outcome = await cluster.patch(
      {
        workload: aRollout,
        uid: read.live.uid,
        generation: 2,
        existingMaps: read.live.existingMaps,
        images: [{ list: "containers", index: 0, name: "app", from: image, to }],
        updateLabel: { from: undefined, to: "abcdef-1" },
        annotations: {},
        unchangedAnnotations: {},
      },
      signal,
    );

    expect(outcome.kind).toBe("written");
    const container = "/spec/template/spec/containers/0";
    expect(asked.at(-1)).toEqual({
      what: `PATCH ${objectPath}?fieldManager=lookout`,
      type: "application/json-patch+json",
      body: [
        { op: "test", path: "/metadata/uid", value: "u-1" },
        { op: "test", path: "/metadata/generation", value: 2 },
        { op: "test", path: "/metadata/annotations", value: null },
        { op: "test", path: `${container}/name`, value: "app" },
        { op: "test", path: `${container}/image`, value: image },
        { op: "replace", path: `${container}/image`, value: to },
        { op: "test", path: "/metadata/labels", value: null },
        { op: "add", path: "/metadata/labels", value: { "lookout.dev/update": "abcdef-1" } },
      ],
    });
  });

  it("with single images are patched at the paths of lookout.yaml", async () => {
    const cache: CustomKindSpec = {
      ...readyKinds["clone-sets"],
      group: "cache.example.com",
      kind: "Cache",
      plural: "caches",
      images: { kind: "fields", paths: { server: ["spec", "image"] } },
    };
    const at = "/apis/cache.example.com/v1alpha1/namespaces/shop/caches/api";
    const object = cloneSet({}, { image: "cache:1" });
    const { cluster, asked } = await clusterWith({ [at]: object }, [cache]);
    const workload = named("cache.cache.example.com");
    const read = await cluster.read(workload, signal);
    if (read.kind !== "found") throw new Error(JSON.stringify(read));

    expect(read.live.containers).toEqual([{ list: "containers", index: 0, name: "server", image: "cache:1" }]);
    await cluster.patch(
      {
        workload,
        uid: "u-1",
        generation: 2,
        existingMaps: read.live.existingMaps,
        images: [{ list: "containers", index: 0, name: "server", from: "cache:1", to: "cache:2" }],
        updateLabel: { from: undefined, to: "abcdef-1" },
        annotations: {},
      },
      signal,
    );
    expect(asked.at(-1)?.body).toMatchObject([
      { path: "/metadata/uid" },
      { path: "/metadata/generation" },
      { op: "test", path: "/spec/image", value: "cache:1" },
      { op: "replace", path: "/spec/image", value: "cache:2" },
      { path: "/metadata/labels" },
      { path: "/metadata/labels" },
    ]);
  });

  it("say on themselves why Lookout can't update them", async () => {
    const object = rollout({}, { template: undefined, workloadRef: { kind: "Deployment", name: "api" } });
    const { cluster } = await clusterWith({ [objectPath]: object });

    expect(await cluster.read(aRollout, signal)).toMatchObject({
      live: {
        containers: [],
        annotations: { "lookout.dev/unusable-object": expect.stringContaining("spec.workloadRef") as string },
      },
    });
  });

  it("report the digests of the pods of their revision", async () => {
    const old = pod({ "rollouts-pod-template-hash": "5f6d4c9b8d" });
    const { cluster } = await clusterWith({
      [objectPath]: rollout(),
      [podsPath]: [argoPod(), { ...old, status: { ...old.status, containerStatuses: [] } }],
    });
    const read = await cluster.read(aRollout, signal);
    if (read.kind !== "found") throw new Error(JSON.stringify(read));

    expect(await cluster.runningImages(read.live, signal)).toEqual({
      kind: "running",
      images: { app: [`sha256:${"a".repeat(64)}`] },
    });
  });

  it("need rights of their own, where the cluster has the resource", async () => {
    const review = { status: 201, body: { status: { allowed: false } } };
    const reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const missing = async (answers: Answers) => {
      const { cluster } = await clusterWith({ ...answers, [reviews]: review });
      const rights = await cluster.rights(signal);
      return rights.kind === "rights" ? rights.missing.filter((right) => right.includes("rollouts")) : rights;
    };

    expect(await missing({ [path]: { kind: "APIResourceList", resources: [{ name: "rollouts" }] } })).toEqual(
      ["get", "list", "watch", "patch"].map((verb) => `${verb} rollouts.argoproj.io`),
    );
    expect(await missing({ "/apis": groups })).toEqual([]);
  });
});

describe("the health of an object of another operator", () => {
  const rows: readonly (readonly [string, keyof typeof readyKinds, CustomObject, readonly object[], object])[] = [
    [
      "a promoted Rollout is healthy",
      "argo-rollouts",
      rollout(),
      [argoPod()],
      { kind: "healthy", runningSince: since, pods: 1, restarts: 0 },
    ],
    [
      "a Rollout at a pause waits",
      "argo-rollouts",
      rollout(pausedAtStep),
      [argoPod()],
      { kind: "waiting", why: "paused" },
    ],
    [
      "a pod that crashes during a pause fails the Rollout",
      "argo-rollouts",
      rollout(pausedAtStep),
      [argoPod({ ready: false, reason: "InvalidImageName" })],
      {
        kind: "failed",
        detail: `InvalidImageName in container app (${image}) of pod api-1`,
        containers: ["app"],
      },
    ],
    [
      "an aborted Rollout failed",
      "argo-rollouts",
      rollout(aborted),
      [],
      {
        kind: "failed",
        detail:
          "Rollout failed, because status.phase is Degraded: RolloutAborted: Rollout aborted update to revision 2",
      },
    ],
    [
      "a Rollout that its controller has not seen is in progress",
      "argo-rollouts",
      rollout({ observedGeneration: "1" }),
      [],
      {
        kind: "progressing",
        ready: 0,
        wanted: 2,
        detail: "the operator of Rollout has not observed the change yet",
      },
    ],
    [
      "a Rollout without replicas has nothing to verify",
      "argo-rollouts",
      rollout({}, { replicas: 0 }),
      [],
      { kind: "unverifiable", why: "nothing-to-run" },
    ],
    [
      "a Rollout whose pods Lookout can't find is not healthy",
      "argo-rollouts",
      rollout(),
      [pod({})],
      { kind: "progressing", ready: 0, wanted: 2, detail: "no pod of the new revision exists yet" },
    ],
    [
      "a Service of Knative without pods is healthy",
      "knative-services",
      knativeService(),
      [],
      { kind: "healthy", pods: 0, restarts: 0 },
    ],
    [
      "a CloneSet with short hashes is healthy",
      "clone-sets",
      cloneSet(),
      [pod({ "controller-revision-hash": "6c8f7d5b9" })],
      { kind: "healthy", runningSince: since, pods: 1, restarts: 0 },
    ],
    [
      "a CloneSet that replaces its pods is in progress",
      "clone-sets",
      cloneSet({ updatedReadyReplicas: 1 }),
      [pod({ "controller-revision-hash": "api-6c8f7d5b9" }, { ready: false })],
      { kind: "progressing", ready: 0, wanted: 3, detail: "pods are not ready yet" },
    ],
  ];

  it.each(rows)("%s", async (_, row, object, pods, health) => {
    const spec = readyKinds[row];
    const at = `/apis/${spec.group}/${spec.version}/namespaces/shop/${spec.plural}/api`;
    const { cluster } = await clusterWith({ [at]: object, [podsPath]: pods }, [spec]);

    expect(without(await cluster.health(named(`${spec.kind.toLowerCase()}.${spec.group}`), since, signal))).toEqual(
      health,
    );
  });

  it("counts the pods that owner references lead to, through workloads of the operator", async () => {
    const spec: CustomKindSpec = {
      ...readyKinds["clone-sets"],
      pods: { kind: "owner" },
      scalesToZero: false,
      ready: [{ kind: "condition", type: "Ready", status: "True" }],
    };
    const { revision: _, ...byImages } = spec;
    const owned = (uid: string, kind: string) => ({ ownerReferences: [{ uid, kind, name: "x", controller: true }] });
    const own = pod({});
    const object = cloneSet({ conditions: [{ type: "Ready", status: "True" }] });
    const { cluster } = await clusterWith(
      {
        "/apis/apps.kruise.io/v1alpha1/namespaces/shop/clonesets/api": object,
        [podsPath]: [
          { ...own, metadata: { ...own.metadata, ...owned("rs-1", "ReplicaSet") } },
          { ...own, metadata: { ...own.metadata, uid: "p-2", ...owned("rs-2", "ReplicaSet") } },
          { ...own, metadata: { ...own.metadata, uid: "p-3", ...owned("u-1", "CloneSet") } },
          {
            ...own,
            metadata: { ...own.metadata, uid: "p-4", ...owned("u-1", "CloneSet") },
            spec: { containers: [{ name: "app", image: "registry.test/shop/api:1.0.0" }] },
          },
        ],
        "/apis/apps/v1/namespaces/shop/replicasets": [
          { metadata: { name: "rs", uid: "rs-1", ...owned("d-1", "Deployment") } },
          { metadata: { name: "other", uid: "rs-2", ...owned("d-2", "Deployment") } },
        ],
        "/apis/apps/v1/namespaces/shop/deployments": [
          { metadata: { name: "d", uid: "d-1", ...owned("u-1", "CloneSet") } },
        ],
      },
      [byImages],
    );

    expect(without(await cluster.health(named("cloneset.apps.kruise.io"), since, signal))).toEqual({
      kind: "healthy",
      runningSince: since,
      pods: 2,
      restarts: 0,
    });
  });
});
