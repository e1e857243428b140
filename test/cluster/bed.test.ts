import { readFile } from "node:fs/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startControlPlane } from "./bed/control-plane.ts";
import type { ControlPlane } from "./bed/control-plane.ts";
import { patchNumber } from "./bed/fake-kubelet.ts";
import { until } from "./bed/until.ts";
import { cronJobManifest, daemonSetManifest, deploymentManifest, statefulSetManifest } from "./bed/workloads.ts";

const healthy = "registry.example/shop/api:1.4.0";
const broken = `registry.example/shop/api:1.4.${patchNumber.broken}`;
const crash = `registry.example/shop/api:1.4.${patchNumber.crash}`;
const slow = `registry.example/shop/api:1.4.${patchNumber.slow}`;
const digest = `sha256:${"ab".repeat(32)}`;

describe("the control plane", () => {
  let controlPlane: ControlPlane;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
  });

  afterAll(async () => {
    await controlPlane.stop();
  });

  const kubectl: ControlPlane["kubectl"] = (...words) => controlPlane.kubectl(...words);

  const waitingReasons = async (selector: string): Promise<readonly string[]> => {
    const path = "{range .items[*]}{.status.containerStatuses[*].state.waiting.reason}{'\\n'}{end}".replaceAll(
      "'",
      '"',
    );
    const lines = await kubectl("get", "pods", "--selector", selector, "--output", `jsonpath=${path}`);
    return lines.split("\n").filter((line) => line !== "");
  };

  const untilWaiting = (selector: string, reason: string) =>
    until(`a pod of ${selector} waits: ${reason}`, async () => {
      const reasons = await waitingReasons(selector);
      return reasons.includes(reason) || undefined;
    });

  it("has three Ready nodes", async () => {
    const path = '{range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}';

    const nodes = await kubectl("get", "nodes", "--output", `jsonpath=${path}`);

    expect(nodes.trim().split("\n")).toEqual(["node-0 True", "node-1 True", "node-2 True"]);
  });

  it("denies all reads until a role is bound", async () => {
    const list = () => kubectl("get", "deployments", "--kubeconfig", controlPlane.kubeconfigFor("lookout"));

    await expect(list()).rejects.toThrow('User "lookout" cannot list resource "deployments"');
    await kubectl("create", "clusterrolebinding", "lookout-reads", "--clusterrole=view", "--user=lookout");

    await expect(until("lookout may list", list)).resolves.toBe("");
  });

  it("makes a Deployment of three pods available, and shows the digest that runs", async () => {
    await controlPlane.apply([deploymentManifest("shop", `${healthy}@${digest}`)]);

    await kubectl("wait", "--for=condition=Available", "deployment/shop", "--timeout=30s");

    await kubectl("rollout", "status", "deployment/shop", "--timeout=30s");
    const path = "jsonpath={.items[*].status.containerStatuses[*].imageID}";
    const images = await kubectl("get", "pods", "--selector=app=shop", "--output", path);
    expect(images.split(" ")).toEqual(Array.from({ length: 3 }, () => `${healthy}@${digest}`));
  });

  it("keeps the old pods when the new image can't be pulled", async () => {
    await controlPlane.apply([deploymentManifest("unlucky", healthy)]);
    await kubectl("rollout", "status", "deployment/unlucky", "--timeout=30s");

    await kubectl("set", "image", "deployment/unlucky", `app=${broken}@${digest}`);

    await untilWaiting("app=unlucky", "ImagePullBackOff");
    const available = await kubectl("get", "deployment/unlucky", "--output=jsonpath={.status.availableReplicas}");
    expect(available).toBe("3");
  });

  it("shows a container that keeps crashing", async () => {
    await controlPlane.apply([deploymentManifest("crashing", crash, 1)]);

    await untilWaiting("app=crashing", "CrashLoopBackOff");

    const path = "jsonpath={.items[*].status.containerStatuses[*].restartCount}";
    expect(Number(await kubectl("get", "pods", "--selector=app=crashing", "--output", path))).toBeGreaterThan(0);
  });

  it("makes pods of a slow image ready after a delay", async () => {
    await controlPlane.apply([deploymentManifest("slow", slow, 1)]);
    await until("the pod is scheduled", async () => {
      const node = await kubectl("get", "pods", "--selector=app=slow", "--output=jsonpath={.items[*].spec.nodeName}");
      return node === "" ? undefined : node;
    });

    const before = await kubectl("get", "deployment/slow", "--output=jsonpath={.status.availableReplicas}");
    await kubectl("rollout", "status", "deployment/slow", "--timeout=30s");

    expect(before).toBe("");
  });

  it("rolls a StatefulSet and a DaemonSet", async () => {
    await controlPlane.apply([statefulSetManifest("store", healthy), daemonSetManifest("agent", healthy)]);
    await kubectl("rollout", "status", "statefulset/store", "--timeout=30s");
    await kubectl("rollout", "status", "daemonset/agent", "--timeout=30s");

    await kubectl("set", "image", "statefulset/store", "daemonset/agent", "app=registry.example/shop/api:1.5.0");
    await kubectl("rollout", "status", "statefulset/store", "--timeout=30s");
    await kubectl("rollout", "status", "daemonset/agent", "--timeout=30s");

    const path = "jsonpath={range .items[*]}{.spec.containers[0].image}|{end}";
    const images = await kubectl("get", "pods", "--selector=app in (store, agent)", "--output", path);
    expect(new Set(images.split("|"))).toEqual(new Set(["registry.example/shop/api:1.5.0", ""]));
  });

  it("completes a Job of a CronJob, unless its image can't be pulled or its container fails", async () => {
    await controlPlane.apply([
      cronJobManifest("nightly", healthy),
      cronJobManifest("nightly-broken", broken),
      cronJobManifest("nightly-crash", crash),
    ]);

    for (const name of ["nightly", "nightly-broken", "nightly-crash"])
      await kubectl("create", "job", name, `--from=cronjob/${name}`);

    await kubectl("wait", "--for=condition=Complete", "job/nightly", "--timeout=30s");
    await untilWaiting("job-name=nightly-broken", "ImagePullBackOff");
    await until("a pod of the crashing Job has failed", async () => {
      const failed = await kubectl("get", "job/nightly-crash", "--output=jsonpath={.status.failed}");
      return Number(failed) > 0 || undefined;
    });
  });

  it("keeps a pod from starting when an init container's image can't be pulled", async () => {
    const template = {
      metadata: { labels: { app: "prepared" } },
      spec: { initContainers: [{ name: "prepare", image: broken }], containers: [{ name: "app", image: healthy }] },
    };
    const spec = { replicas: 1, selector: { matchLabels: { app: "prepared" } }, template };
    await controlPlane.apply([{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "prepared" }, spec }]);

    await untilWaiting("app=prepared", "PodInitializing");

    const path = "jsonpath={.items[*].status.initContainerStatuses[*].state.waiting.reason}";
    expect(await kubectl("get", "pods", "--selector=app=prepared", "--output", path)).toBe("ImagePullBackOff");
  });

  it("records who changed a workload", async () => {
    await controlPlane.apply([deploymentManifest("audited", healthy, 1)]);

    const event = await until("the write is in the audit log", async () => {
      const lines = (await readFile(controlPlane.auditLog, "utf8")).trimEnd().split("\n");
      const line = lines.find((one) => one.includes('"verb":"create"') && one.includes('"name":"audited"'));
      return line === undefined ? undefined : (JSON.parse(line) as { readonly user: { readonly username: string } });
    });

    expect(event.user.username).toBe("admin");
  });

  it("returns after an outage with all its objects", async () => {
    await controlPlane.apply([deploymentManifest("survivor", healthy)]);
    await kubectl("rollout", "status", "deployment/survivor", "--timeout=30s");

    await controlPlane.stopApiServer();
    await expect(kubectl("get", "nodes")).rejects.toThrow("connection");
    await controlPlane.startApiServer();

    await kubectl("set", "image", "deployment/survivor", "app=registry.example/shop/api:1.5.0");
    await kubectl("rollout", "status", "deployment/survivor", "--timeout=60s");
    const path = "jsonpath={.status.updatedReplicas}";
    expect(await kubectl("get", "deployment/survivor", "--output", path)).toBe("3");
  });
});
