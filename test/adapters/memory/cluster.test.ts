import { describe, expect, it } from "vitest";
import { memoryCluster, type MemoryCluster } from "#test/model/world/cluster-hands";
import { epochMs } from "#domain/shared/time";
import type { WorkloadName } from "#domain/workload/workload";
import { type ClusterBed, patchOf, readLive, signal } from "#test/contracts/cluster-bed";
import { clusterContract } from "#test/contracts/cluster.contract";

const start = Date.parse("2026-11-21T12:00:00Z");
const one = "registry.test/shop/app:1.0.0";
const two = "registry.test/shop/app:1.1.0";

function makeBed(): ClusterBed & { readonly memory: MemoryCluster } {
  let now = start;
  const memory = memoryCluster({
    name: "demo",
    clock: { now: () => epochMs(now) },
    behaviour: (image) =>
      image.includes("broken") ? "cannot-be-pulled" : image.includes("crash") ? "crashes" : "runs",
  });
  return {
    memory,
    cluster: memory,
    name: "demo",
    now: () => now,
    pass: async () => void (now += 250),
    apply: async (manifest) => void memory.apply(manifest),
    setImage: async (workload, container, image) => memory.setImage(workload, container, image),
    undo: async (workload) => memory.undo(workload),
    annotate: async (workload, annotations) => memory.annotate(workload, annotations),
    label: async (workload, labels) => memory.label(workload, labels),
    resume: async (workload) => memory.resume(workload),
    remove: async (workload) => memory.remove(workload),
    runJob: async (workload) => memory.runJob(workload),
    deletePods: async (workload) => memory.deletePods(workload),
    forget: async () => memory.forget(),
    raw: async (workload) => {
      const object = memory.object(workload);
      if (object === undefined) throw new Error(workload.name);
      const { generation, labels, annotations } = object.metadata;
      return { generation, ...(labels && { labels }), ...(annotations && { annotations }), spec: object.spec };
    },
  };
}

describe("the cluster in memory", () => {
  clusterContract(async () => makeBed());
});

describe("the simulated cluster", () => {
  const api: WorkloadName = { cluster: "demo", namespace: "shop", kind: "Deployment", name: "api" };
  const manifest = (image: string) => ({
    kind: "Deployment" as const,
    metadata: { name: "api", namespace: "shop" },
    spec: { replicas: 2, template: { spec: { containers: [{ name: "app", image }] } } },
  });

  it("answers nothing while it is unreachable", async () => {
    const { memory } = makeBed();
    memory.apply(manifest(one));
    const refused = { kind: "unreachable", detail: "no connection to demo" };
    memory.unreachable(true);
    const away = [
      await memory.read(api, signal),
      await memory.list(undefined, signal),
      await memory.health(api, 0, signal),
    ];
    memory.unreachable(false);

    expect(away).toEqual([refused, refused, refused]);
    expect((await memory.read(api, signal)).kind).toBe("found");
  });

  it("loses the answer to a landed patch", async () => {
    const bed = makeBed();
    bed.memory.apply(manifest(one));
    const patch = patchOf(await readLive(bed, api), { app: two }, "abcdef-1");
    bed.memory.failNext({ kind: "unknown", detail: "no answer" }, true);

    expect(await bed.memory.patch(patch, signal)).toEqual({ kind: "unknown", detail: "no answer" });
    expect((await readLive(bed, api)).labels).toEqual({ "lookout.dev/update": "abcdef-1" });
  });

  it("refuses a patch once on request", async () => {
    const bed = makeBed();
    bed.memory.apply(manifest(one));
    const patch = patchOf(await readLive(bed, api), { app: two }, "abcdef-1");
    bed.memory.failNext({ kind: "denied-by-admission", detail: "ValidatingAdmissionPolicy images" });

    expect((await bed.memory.patch(patch, signal)).kind).toBe("denied-by-admission");
    expect((await bed.memory.patch(patch, signal)).kind).toBe("written");
  });

  it("counts restarts of pods that crash after they were healthy", async () => {
    const bed = makeBed();
    bed.memory.apply(manifest(one));
    for (let step = 0; step < 4; step += 1) await bed.pass();
    const healthy = await bed.memory.health(api, 0, signal);
    bed.memory.crash(api);
    const crashed = await bed.memory.health(api, 0, signal);
    for (let step = 0; step < 4; step += 1) await bed.pass();

    expect(healthy).toMatchObject({ kind: "healthy", restarts: 0, runningSince: start + 1_000 });
    expect(crashed).toMatchObject({ kind: "progressing", ready: 0, wanted: 2 });
    expect(await bed.memory.health(api, 0, signal)).toMatchObject({ kind: "healthy", restarts: 2 });
  });

  it("records the writer of each field", async () => {
    const { memory } = makeBed();
    memory.apply(manifest(one));
    memory.setImage(api, "app", two);
    memory.undo(api);

    expect(memory.history.map(({ manager, what, generation, images }) => [manager, what, generation, images])).toEqual([
      ["kubectl-client-side-apply", "apply", 1, [one]],
      ["kubectl-set", `set image app=${two}`, 2, [two]],
      ["kubectl", "undo", 3, [one]],
    ]);
  });

  it("lets a pull fail for a while", async () => {
    let now = start;
    const memory = memoryCluster({
      name: "demo",
      clock: { now: () => epochMs(now) },
      behaviour: () => ({ kind: "pulled-later", afterMs: 5_000, because: "limit" }),
    });
    memory.apply(manifest(one));
    const healthAt = async (passed: number) => {
      now = start + passed;
      return memory.health(api, 0, signal);
    };
    const limited = {
      kind: "progressing",
      fault: "limited",
      detail: `ImagePullBackOff in container app (${one}) of pod api-1, the registry limits pulls (429)`,
    };

    expect(await healthAt(999)).toMatchObject({ kind: "progressing", detail: "pods are not ready yet" });
    expect(await healthAt(1_000)).toMatchObject(limited);
    expect(await healthAt(5_999)).toMatchObject(limited);
    expect(await healthAt(6_000)).toMatchObject({ kind: "healthy", runningSince: start + 6_000, pods: 2 });
  });

  it("fails a Deployment that makes no progress within its deadline", async () => {
    let now = start;
    const memory = memoryCluster({
      name: "demo",
      clock: { now: () => epochMs(now) },
      behaviour: () => "never-ready",
    });
    memory.apply(manifest(one));
    now += 600_000;
    const before = await memory.health(api, 0, signal);
    now += 1;

    expect(before.kind).toBe("progressing");
    expect(await memory.health(api, 0, signal)).toMatchObject({
      kind: "failed",
      detail: "ProgressDeadlineExceeded: no progress within progressDeadlineSeconds",
    });
  });
});
