import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "./bed/until.ts";
import { deploymentManifest, statefulSetManifest } from "./bed/workloads.ts";
import { patchNumber } from "./bed/fake-kubelet.ts";
import { setStage, type Stage } from "./stage.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
});

afterAll(() => stage.stop());

const makes = { deployment: deploymentManifest, statefulset: statefulSetManifest } as const;

/** Tracks a workload, changes the cluster, pushes an image, and waits until its rollout has begun. */
async function updated(
  kind: keyof typeof makes,
  name: string,
  { tag = "1.1.0", then }: { readonly tag?: string; readonly then: () => Promise<unknown> },
): Promise<string> {
  const settings = { "lookout.dev/rollback-timeout": "8s" };
  const workload = await stage.tracked(name, settings, makes[kind]);
  await then();
  await stage.registry.push(`shop/${name}:${tag}`, { seed: `${name} next` });
  await stage.lookout.fact("RolloutStarted", workload);
  return workload;
}

const remove = (kind: string, name: string) => stage.plane.kubectl("delete", kind, name, "--wait=true");

/** Creates a quota, and waits until the cluster knows its use. */
async function setQuota(pods: number): Promise<void> {
  const hard = { pods: String(pods) };
  await stage.plane.apply([{ apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "team" }, spec: { hard } }]);
  await until("the use of the quota is known", () =>
    stage.plane.kubectl("get", "resourcequota", "team", "-o", "jsonpath={.status.used.pods}"),
  );
}

/** Denies pods with an image, and waits until the policy is in force. */
async function denyPods(part: string): Promise<void> {
  const metadata = { name: "no-such-image" };
  const apiVersion = "admissionregistration.k8s.io/v1";
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] };
  const expression = `object.spec.containers.all(c, !c.image.contains("${part}"))`;
  const policyName = metadata.name;
  await stage.plane.apply([
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicy",
      metadata,
      spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression, message: "not here" }] },
    },
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata,
      spec: { policyName, validationActions: ["Deny"] },
    },
  ]);
  await until("the policy is in force", () =>
    stage.plane.kubectl("run", "probe", `--image=${part}`, "--dry-run=server").then(
      () => undefined,
      () => true,
    ),
  );
}

describe("a quota without room for the new pods", () => {
  it("rolls a Deployment back at its deadline, is named, and blocks no digest", async () => {
    const workload = await updated("deployment", "full", { then: () => setQuota(3) });
    const failed = await stage.lookout.fact("RolloutFailed", workload);
    await stage.lookout.fact("RolledBack", workload);
    await until("the digest is held", async () =>
      stage.lookout.of(workload).find(({ name, seq }) => name === "UpdateHeld" && seq > 1),
    );
    const { out } = await stage.lookout.run("explain", workload);
    await remove("resourcequota", "team");

    expect([failed.reasons[0]?.reason, failed.detail]).toEqual([
      "quota-exceeded",
      "FailedCreate: quota team is exceeded",
    ]);
    expect(await stage.imageOf("deployment", "full")).toBe(`${stage.registry.host}/shop/full:1.0.0`);
    expect(out.replaceAll(/\s+/g, " ")).toContain("1.1.0 is tried again at");
    expect(out.replaceAll(/\s+/g, " ")).toContain("quota");
  });

  it("is named for a StatefulSet too, and the update succeeds when there is room in time", async () => {
    const workload = await updated("statefulset", "tight", { then: () => setQuota(2) });
    const told = await until("the quota is told", async () =>
      stage.lookout.of(workload).find(({ detail }) => detail?.includes("quota") === true),
    );
    await remove("resourcequota", "team");
    await stage.lookout.fact("RolloutSucceeded", workload);

    expect([told.name, told.detail]).toEqual(["RolloutWaiting", "FailedCreate: quota team is exceeded"]);
  });
});

describe("a policy that denies the new pods", () => {
  it("is named, and fails the update at once", async () => {
    const workload = await updated("deployment", "denied", { then: () => denyPods("shop/denied:1.1.0") });
    const failed = await stage.lookout.fact("RolloutFailed", workload);
    await stage.lookout.fact("RolledBack", workload);

    expect([failed.reasons[0]?.reason, failed.detail]).toEqual([
      "pods-denied",
      "FailedCreate: denied by ValidatingAdmissionPolicy no-such-image",
    ]);
  });
});

describe("a PodDisruptionBudget that allows no disruption", () => {
  const setBudget = (name: string) =>
    stage.plane.apply([
      {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name },
        spec: { minAvailable: "100%", selector: { matchLabels: { app: name } } },
      },
    ]);

  it("stops no rollout, because controllers evict no pods", async () => {
    const workload = await updated("deployment", "guarded", { then: () => setBudget("guarded") });

    expect((await stage.lookout.fact("RolloutSucceeded", workload)).reasons).toEqual([]);
  });

  it("stops no rollback of an ordered StatefulSet, because Lookout deletes the failed pods", async () => {
    const workload = await updated("statefulset", "ordered", {
      tag: `1.0.${patchNumber.broken}`,
      then: () => setBudget("ordered"),
    });
    const over = await until("the update is over", async () =>
      stage.lookout.of(workload).find(({ name }) => name === "RolledBack" || name === "RollbackFailed"),
    );

    expect(over.name).toBe("RolledBack");
  });
});
