import { setTimeout as sleep } from "node:timers/promises";
import { KubeConfig } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clusterOfContext } from "#adapters/kubernetes/kubeconfig";
import type { WorkloadName } from "#domain/workload/workload";
import { type ClusterBed, make, patchOf, type RawObject, readLive, signal } from "#test/contracts/cluster-bed";
import { clusterContract } from "#test/contracts/cluster.contract";
import { giveAccess } from "./access.ts";
import { type ControlPlane, startControlPlane } from "./bed/control-plane.ts";

const one = "registry.test/shop/app:1.0.0";
const two = "registry.test/shop/app:1.1.0";

let plane: ControlPlane;
let bed: ClusterBed & { close(): Promise<void> };

beforeAll(async () => {
  plane = await startControlPlane();
  await giveAccess(plane);
  bed = realBed(plane);
});

afterAll(async () => {
  await bed.close();
  await plane.stop();
});

function clusterOf(kubeconfig: string) {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(kubeconfig);
  return clusterOfContext({ name: "bed", kubeConfig });
}

const words = (map: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(map).map(([key, value]) => `${key}=${value}`);

/**
 * Returns the test bed on a real cluster. Lookout has only its own rights, and people are admins.
 */
function realBed(control: ControlPlane): ClusterBed & { close(): Promise<void> } {
  const cluster = clusterOf(control.kubeconfigFor("lookout"));
  const at = ({ kind, name }: WorkloadName): string => `${kind.toLowerCase()}/${name}`;
  let jobs = 0;
  return {
    cluster,
    name: "bed",
    close: () => cluster.close(),
    now: () => Date.now(),
    pass: () => sleep(100),
    apply: async (manifest) => {
      const apiVersion = manifest.kind === "CronJob" ? "batch/v1" : "apps/v1";
      await control.apply([{ apiVersion, ...manifest }]);
    },
    setImage: async (workload, container, image) => {
      await control.kubectl("set", "image", at(workload), `${container}=${image}`);
    },
    undo: async (workload) => {
      await control.kubectl("rollout", "undo", at(workload));
    },
    annotate: async (workload, annotations) => {
      await control.kubectl("annotate", "--overwrite", at(workload), ...words(annotations));
    },
    label: async (workload, labels) => {
      await control.kubectl("label", "--overwrite", at(workload), ...words(labels));
    },
    resume: async (workload) => {
      await control.kubectl("rollout", "resume", at(workload));
    },
    remove: async (workload) => {
      await control.kubectl("delete", at(workload));
    },
    runJob: async (workload) => {
      jobs += 1;
      await control.kubectl("create", "job", `run-${String(jobs)}`, `--from=cronjob/${workload.name}`);
    },
    deletePods: async (workload) => {
      await control.kubectl("delete", "pod", `--selector=app=${workload.name}`);
    },
    // A restarted server does not remember earlier resource versions.
    forget: () => control.startApiServer(),
    raw: async (workload) => {
      const object = JSON.parse(await control.kubectl("get", at(workload), "--output=json")) as {
        readonly metadata: Omit<RawObject, "spec">;
        readonly spec: RawObject["spec"];
      };
      const { generation, labels, annotations = {} } = object.metadata;
      // The cluster itself writes two annotations.
      const mine = Object.entries(annotations).filter(
        ([key]) => !["deployment.kubernetes.io/revision", "deprecated.daemonset.template.generation"].includes(key),
      );
      return { generation, ...(labels && { labels }), annotations: Object.fromEntries(mine), spec: object.spec };
    },
  };
}

describe("a Kubernetes cluster", () => {
  clusterContract(async () => bed);

  it("rejects an empty image and names the field", async () => {
    const workload = await make(bed, "Deployment", one);
    const patch = patchOf(await readLive(bed, workload), { app: "" }, "abcdef-1");

    expect(await bed.cluster.patch(patch, signal)).toEqual({
      kind: "invalid",
      detail: "spec.template.spec.containers[0].image",
    });
  });

  it.each(["Forbidden", "Invalid"])("names the policy that denies a write with the reason %s", async (reason) => {
    const workload = await make(bed, "Deployment", one, { labels: { policy: reason.toLowerCase() } });
    await denyUpdates(`deny-${reason.toLowerCase()}`, reason);
    const live = await readLive(bed, workload);

    let outcome = await bed.cluster.patch(patchOf(live, { app: two }, "denied-1"), signal);
    for (let look = 0; look < 50 && outcome.kind === "written"; look += 1) {
      await sleep(100);
      const again = await readLive(bed, workload);
      outcome = await bed.cluster.patch(
        patchOf(again, { app: `${two}${String(look)}` }, `denied-${String(look)}`),
        signal,
      );
    }

    expect(outcome).toEqual({
      kind: "denied-by-admission",
      detail: `ValidatingAdmissionPolicy deny-${reason.toLowerCase()}`,
    });
  });

  it("reports a missing right", async () => {
    const workload = await make(bed, "Deployment", one);
    const live = await readLive(bed, workload);
    const nobody = clusterOf(plane.kubeconfigFor("nobody"));
    const host = new URL(plane.server).host;

    const answers = [
      await nobody.read(workload, signal),
      await nobody.list(undefined, signal),
      await nobody.nodes({ labels: [], names: [] }, signal),
      await nobody.patch(patchOf(live, { app: two }, "abcdef-1"), signal),
    ];
    await nobody.close();

    expect(answers).toEqual([
      {
        kind: "denied",
        detail: `Lookout may not get deployments (403 Forbidden from ${host}): run lookout cluster manifests | kubectl apply -f -`,
      },
      {
        kind: "denied",
        detail: `Lookout may not list deployments (403 Forbidden from ${host}): run lookout cluster manifests | kubectl apply -f -`,
      },
      {
        kind: "denied",
        detail: `Lookout may not list nodes (403 Forbidden from ${host}): run lookout cluster manifests | kubectl apply -f -`,
      },
      {
        kind: "denied",
        detail: `Lookout may not patch (403 Forbidden from ${host}): run lookout cluster manifests | kubectl apply -f -`,
      },
    ]);
  });

  it("is denied with a token that the server does not know", async () => {
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromFile(plane.kubeconfig);
    const user = kubeConfig.getCurrentUser();
    const server = kubeConfig.getCurrentCluster();
    if (user === null || server === null) throw new Error("no context");
    kubeConfig.loadFromClusterAndUser(server, { ...user, token: "wrong" });
    const stranger = clusterOfContext({ name: "bed", kubeConfig });

    const answer = await stranger.identity(signal);
    await stranger.close();

    expect(answer).toEqual({
      kind: "denied",
      detail: `${new URL(plane.server).host} does not accept the credential (401); log in again, or test the login: kubectl --context "loaded-context" get --raw /version`,
    });
  });

  it("omits the namespaces of Kubernetes itself", async () => {
    const system = { cluster: "bed", namespace: "kube-system", kind: "Deployment", name: "dns" } as const;

    expect(await bed.cluster.read(system, signal)).toMatchObject({ kind: "denied" });
  });

  it("is unreachable during an outage, and gets no write", async () => {
    const workload = await make(bed, "Deployment", one);
    const live = await readLive(bed, workload);
    await plane.stopApiServer();
    const answers = [
      await bed.cluster.read(workload, signal),
      await bed.cluster.patch(patchOf(live, { app: two }, "abcdef-1"), signal),
    ];
    await plane.startApiServer();

    expect(answers.map(({ kind }) => kind)).toEqual(["unreachable", "unreachable"]);
    expect((await readLive(bed, workload)).containers[0]?.image).toBe(one);
  });

  it("lists more workloads than one page contains", async () => {
    const template = { metadata: { labels: { app: "many" } }, spec: { containers: [{ name: "app", image: one }] } };
    const spec = { replicas: 0, selector: { matchLabels: { app: "many" } }, template };
    const names = Array.from({ length: 520 }, (_, index) => `many-${String(index)}`);
    await plane.kubectl("create", "namespace", "many");
    await plane.apply(
      names.map((name) => ({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace: "many" }, spec })),
    );

    const answer = await bed.cluster.list(undefined, signal);

    expect(
      answer.kind === "workloads" && answer.live.filter(({ workload }) => workload.namespace === "many"),
    ).toHaveLength(520);
  });
});

/**
 * Creates a policy that denies updates of Deployments whose label `policy` is the reason in lower
 * case.
 */
async function denyUpdates(name: string, reason: string): Promise<void> {
  const rule = { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["UPDATE"], resources: ["deployments"] };
  const expression = `object.metadata.?labels.policy.orValue('') != '${reason.toLowerCase()}' || object.spec == oldObject.spec`;
  await plane.apply([
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name },
      spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression, reason, message: "no" }] },
    },
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name },
      spec: { policyName: name, validationActions: ["Deny"] },
    },
  ]);
}
