import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ReadyKind, readyKinds } from "#domain/workload/custom/ready-rows";
import { until } from "./bed/until.ts";
import { definitionOf, untilServed } from "./custom-kinds.ts";
import { setStage, type Stage } from "./stage.ts";

/*
 * The test is the operator: it writes the statuses as the real operators do, and creates the pods.
 */

let stage: Stage;
const caches = { group: "cache.example.com", version: "v1", kind: "Cache", plural: "caches" };

beforeAll(async () => {
  // The cluster has none of the kinds yet, although lookout.yaml names them.
  stage = await setStage({
    kinds: ["argo-rollouts", "knative-services", "clone-sets"],
    ownKinds: (registry) => [
      {
        ...caches,
        images: { server: "spec.image" },
        initialImages: { server: `${registry}/shop/cache` },
        pods: { selector: "spec.selector" },
        replicas: "spec.size",
        ready: [{ condition: "Ready" }],
      },
    ],
  });
  await define("argo-rollouts");
  await define("knative-services");
});

afterAll(async () => {
  await stage.stop();
});

const resourceOf = (kind: ReadyKind): string => `${readyKinds[kind].plural}.${readyKinds[kind].group}`;

async function define(kind: ReadyKind): Promise<void> {
  await stage.plane.apply([definitionOf(readyKinds[kind])]);
  await untilServed(stage.plane, readyKinds[kind]);
}

interface Written {
  readonly metadata: { readonly generation: number; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
  };
}

/** An object of another operator, and its operator. */
interface Operated {
  /** Waits until the object has an image, and returns its generation. */
  untilImage(image: string): Promise<number>;
  /** Writes a status about the present generation. */
  write(status: Readonly<Record<string, unknown>>): Promise<void>;
  /** Creates a ready pod of the object's present image. */
  run(revision: string): Promise<void>;
}

async function create(kind: ReadyKind, name: string, spec: Readonly<Record<string, unknown>> = {}): Promise<Operated> {
  const { group, version, kind: written, revision } = readyKinds[kind];
  const { plane, registry } = stage;
  const resource = resourceOf(kind);
  const image = `${registry.host}/shop/${name}:1.0.0`;
  await registry.push(`shop/${name}:1.0.0`, { seed: `${name} 1.0.0` });
  const labels = { app: name, "serving.knative.dev/service": name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "app", image }] } };
  const metadata = { name, annotations: { "lookout.dev/enabled": "true", "lookout.dev/rollback-timeout": "2m" } };
  const object = {
    apiVersion: `${group}/${version}`,
    kind: written,
    metadata,
    spec: { replicas: 1, selector: { matchLabels: { app: name } }, template, ...spec },
  };
  await plane.apply([object]);
  const read = async (): Promise<Written> =>
    JSON.parse(await plane.kubectl("get", resource, name, "-o", "json")) as Written;
  const imageOf = ({ spec: { template: found } }: Written): string => found.spec.containers[0]?.image ?? "";
  return {
    untilImage: (wanted) =>
      until(`${name} has ${wanted}`, async () => {
        const found = await read();
        return imageOf(found) === wanted ? found.metadata.generation : undefined;
      }),
    write: async (status) => {
      const { metadata: present } = await read();
      const observed = kind === "argo-rollouts" ? String(present.generation) : present.generation;
      const patch = JSON.stringify({ status: { observedGeneration: observed, ...status } });
      await plane.kubectl("patch", resource, name, "--subresource=status", "--type=merge", "-p", patch);
    },
    run: async (hash) => {
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: `${name}-${hash}`, labels: { ...labels, [revision.label]: hash } },
        spec: { containers: [{ name: "app", image: imageOf(await read()) }] },
      };
      await plane.apply([pod]);
      await plane.kubectl("wait", "--for=condition=Ready", `pod/${name}-${hash}`, "--timeout=30s");
    },
  };
}

const healthy = (hash: string) => ({
  phase: "Healthy",
  message: null,
  abort: null,
  currentPodHash: hash,
  stableRS: hash,
  pauseConditions: null,
});

describe("a Rollout of Argo", () => {
  let object: Operated;
  let first: string;

  beforeAll(async () => {
    object = await create("argo-rollouts", "steps");
    await object.write(healthy("a"));
    await object.run("a");
    await stage.lookout.run("cluster", "sync", "test");
    await stage.lookout.fact("WorkloadTracked", "default/steps");
  });

  it("waits at a pause, and succeeds when it is promoted", async () => {
    const { lookout, registry } = stage;
    const digest = await registry.push("shop/steps:1.1.0", { seed: "steps 1.1.0" });
    first = `${registry.host}/shop/steps:1.1.0@${digest}`;
    expect(await object.untilImage(first)).toBe(2);
    await object.run("b");
    await object.write({ phase: "Paused", currentPodHash: "b", pauseConditions: [{ reason: "CanaryPauseStep" }] });
    const waiting = await lookout.fact("RolloutWaiting", "default/steps", 1);
    const before = lookout.of("default/steps").map(({ name }) => name);

    await object.write(healthy("b"));
    await lookout.fact("RolloutSucceeded", "default/steps", 1);

    expect(waiting.detail).toBe("the workload is paused: resume it to continue the rollout");
    expect(before).not.toContain("WorkloadRunning");
    expect((await lookout.run("status", "default/rollout.argoproj.io/steps")).out).toContain("1.1.0");
  });

  it("is rolled back when it is aborted", async () => {
    const { lookout, registry } = stage;
    const digest = await registry.push("shop/steps:1.2.0", { seed: "steps 1.2.0" });
    await object.untilImage(`${registry.host}/shop/steps:1.2.0@${digest}`);
    await object.write({ phase: "Degraded", message: "RolloutAborted: by a person", abort: true, currentPodHash: "c" });
    await object.untilImage(first);
    await object.write(healthy("b"));

    const failed = await lookout.fact("RolloutFailed", "default/steps", 2);
    await lookout.fact("RolledBack", "default/steps", 2);

    expect(failed.detail).toBe("Rollout failed, because status.phase is Degraded: RolloutAborted: by a person");
  });

  it("with a workloadRef shows why it is not updated", async () => {
    const spec = { template: null, workloadRef: { apiVersion: "apps/v1", kind: "Deployment", name: "api" } };
    await create("argo-rollouts", "by-reference", spec);
    await stage.lookout.run("cluster", "sync", "test");
    await stage.lookout.fact("WorkloadTracked", "default/by-reference");

    const { out } = await stage.lookout.run("explain", "default/by-reference");

    expect(out).toContain("spec.workloadRef: the pod template of this Rollout is in another object");
  });
});

describe("a Service of Knative", () => {
  it("succeeds without pods", async () => {
    const { lookout, registry } = stage;
    const ready = (revision: string) => ({
      latestCreatedRevisionName: revision,
      latestReadyRevisionName: revision,
      conditions: [{ type: "Ready", status: "True" }],
    });
    const object = await create("knative-services", "scaled");
    await object.write(ready("scaled-00001"));
    await lookout.run("cluster", "sync", "test");
    await lookout.fact("WorkloadTracked", "default/scaled");
    const digest = await registry.push("shop/scaled:1.1.0", { seed: "scaled 1.1.0" });
    await object.untilImage(`${registry.host}/shop/scaled:1.1.0@${digest}`);

    await object.write(ready("scaled-00002"));
    const succeeded = await lookout.fact("RolloutSucceeded", "default/scaled", 1);

    expect(succeeded.detail).toContain("0 pods");
  });
});

describe("a CloneSet", () => {
  it("is found after its operator was installed, and updated", async () => {
    const { lookout, registry } = stage;
    const ready = (revision: string) => ({
      updateRevision: `cloned-${revision}`,
      updatedReplicas: 1,
      updatedReadyReplicas: 1,
      expectedUpdatedReplicas: 1,
    });
    await define("clone-sets");
    const object = await create("clone-sets", "cloned");
    await object.write(ready("1"));
    // Each sync looks for the operators that the cluster lacked.
    await lookout.run("cluster", "sync", "test");
    await stage.lookout.fact("WorkloadTracked", "default/cloned");
    const digest = await registry.push("shop/cloned:1.1.0", { seed: "cloned 1.1.0" });
    await object.untilImage(`${registry.host}/shop/cloned:1.1.0@${digest}`);
    await object.run("cloned-2");
    await object.write(ready("2"));

    await stage.lookout.fact("RolloutSucceeded", "default/cloned", 1);

    expect(lookout.errors).toEqual([]);
  });
});

describe("an object without an image", () => {
  it("gets its first image from the repository in lookout.yaml", async () => {
    const { lookout, plane, registry } = stage;
    const digest = await registry.push("shop/cache:1.4.0", { seed: "cache 1.4.0" });
    const image = `${registry.host}/shop/cache:1.4.0@${digest}`;
    const labels = { app: "sessions" };
    await plane.apply([definitionOf(caches)]);
    await untilServed(plane, caches);
    const annotations = { "lookout.dev/enabled": "true", "lookout.dev/semver-range": ">=1" };
    const spec = { size: 1, selector: { matchLabels: labels } };
    await plane.apply([
      {
        apiVersion: "cache.example.com/v1",
        kind: "Cache",
        metadata: { name: "sessions", annotations },
        spec,
      },
    ]);
    await lookout.run("cluster", "sync", "test");
    const read = async () =>
      JSON.parse(await plane.kubectl("get", "caches.cache.example.com", "sessions", "-o", "json")) as {
        readonly metadata: { readonly generation: number };
        readonly spec: { readonly image?: string };
      };
    const generation = await until("the object has an image", async () => {
      const found = await read();
      return found.spec.image === undefined ? undefined : found.metadata.generation;
    });
    const pod = { name: "sessions-0", labels };
    await plane.apply([
      { apiVersion: "v1", kind: "Pod", metadata: pod, spec: { containers: [{ name: "server", image }] } },
    ]);
    await plane.kubectl("wait", "--for=condition=Ready", "pod/sessions-0", "--timeout=30s");
    const status = { observedGeneration: generation, conditions: [{ type: "Ready", status: "True" }] };
    const patch = JSON.stringify({ status });
    await plane.kubectl(
      "patch",
      "caches.cache.example.com",
      "sessions",
      "--subresource=status",
      "--type=merge",
      "-p",
      patch,
    );
    await lookout.fact("RolloutSucceeded", "default/sessions", 1);

    expect((await read()).spec).toEqual({ ...spec, image });
    expect(lookout.errors).toEqual([]);
  });
});
