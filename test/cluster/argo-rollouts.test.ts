import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readyKinds } from "#domain/workload/custom/ready-rows";
import { freePorts } from "./bed/ports.ts";
import { type Daemon, startDaemon } from "./bed/processes.ts";
import { programPath } from "./bed/programs.ts";
import { until } from "./bed/until.ts";
import { untilServed } from "./custom-kinds.ts";
import { setStage, type Stage } from "./stage.ts";

/* The real controller of Argo Rollouts runs the steps. `npm run proof:argo-rollouts` builds it. */

const resource = "rollouts.argoproj.io";

let stage: Stage;
let controller: Daemon;
let folder: string;

beforeAll(async () => {
  const program = programPath("rollouts-controller");
  stage = await setStage({ kinds: ["argo-rollouts"] });
  const definitions = join(dirname(program), "..", "crds");
  await stage.plane.kubectl("apply", "--server-side", "-f", definitions);
  await untilServed(stage.plane, readyKinds["argo-rollouts"]);
  folder = await mkdtemp(join(tmpdir(), "argo-rollouts-"));
  const [metrics = 0, health = 0] = await freePorts(2);
  controller = await startDaemon({
    program,
    arguments: [
      ...["--kubeconfig", stage.plane.kubeconfig, "--leader-elect=false", "--loglevel=warn"],
      ...["--metricsport", String(metrics), "--healthzPort", String(health)],
    ],
    log: join(folder, "controller.log"),
    folder,
  });
  // Lookout watches the Rollouts from its start on.
  await stage.restart();
});

afterAll(async () => {
  await stage.stop();
  await controller.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Rollout {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly [{ readonly image: string }] } };
  };
  readonly status?: { readonly phase?: string; readonly pauseConditions?: readonly { readonly reason: string }[] };
}

async function read(name: string): Promise<Rollout> {
  return JSON.parse(await stage.plane.kubectl("get", resource, name, "-o", "json")) as Rollout;
}

/** Waits until the controller shows a phase of the image with a tag. */
async function untilPhase(name: string, phase: string, tag: string): Promise<Rollout> {
  return until(
    `${name} is ${phase} with ${tag}`,
    async () => {
      const found = await read(name);
      const isTag = found.spec.template.spec.containers[0].image.includes(`:${tag}`);
      return isTag && found.status?.phase === phase ? found : undefined;
    },
    { timeoutMs: 60_000 },
  );
}

/** Writes a status as the plugin of kubectl does. */
async function writeStatus(name: string, status: object): Promise<void> {
  const patch = JSON.stringify({ status });
  await stage.plane.kubectl("patch", resource, name, "--subresource=status", "--type=merge", "-p", patch);
}

const promote = (name: string) => writeStatus(name, { pauseConditions: null });
const abort = (name: string) => writeStatus(name, { abort: true });

async function push(name: string, tag: string): Promise<void> {
  await stage.registry.push(`shop/${name}:${tag}`, { seed: `${name} ${tag}` });
}

/** Creates a Rollout with two pods, and waits until Lookout tracks it. */
async function tracked(
  name: string,
  strategy: object,
  annotations: Readonly<Record<string, string>> = {},
): Promise<string> {
  await push(name, "1.0.0");
  const image = `${stage.registry.host}/shop/${name}:1.0.0`;
  const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name: "app", image }] } };
  await stage.plane.apply([
    {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "Rollout",
      metadata: { name, annotations: { "lookout.dev/enabled": "true", ...annotations } },
      spec: { replicas: 2, selector: { matchLabels: { app: name } }, template, strategy },
    },
  ]);
  await untilPhase(name, "Healthy", "1.0.0");
  await stage.lookout.run("cluster", "sync", "test");
  await stage.lookout.fact("WorkloadTracked", `default/${name}`);
  return `default/${name}`;
}

const pausing = { canary: { steps: [{ setWeight: 50 }, { pause: {} }, { setWeight: 100 }] } };

describe("a Rollout of the real controller", () => {
  it("runs its steps to the end", async () => {
    const steps = [{ setWeight: 50 }, { pause: { duration: "2s" } }, { setWeight: 100 }];
    const workload = await tracked("steps", { canary: { steps } });
    await push("steps", "1.1.0");

    const succeeded = await stage.lookout.fact("RolloutSucceeded", workload, 1, 90_000);

    expect(succeeded.detail).toContain("2 pods");
    expect((await read("steps")).status?.phase).toBe("Healthy");
  });

  it("waits at a pause until a person promotes it", async () => {
    const workload = await tracked("pause", pausing);
    await push("pause", "1.1.0");
    const paused = await untilPhase("pause", "Paused", "1.1.0");
    const waiting = await stage.lookout.fact("RolloutWaiting", workload, 1);
    const before = stage.lookout.of(workload).map(({ name }) => name);

    await promote("pause");
    await stage.lookout.fact("RolloutSucceeded", workload, 1, 90_000);

    expect(paused.status?.pauseConditions).toMatchObject([{ reason: "CanaryPauseStep" }]);
    expect(waiting.detail).toBe("the workload is paused: resume it to continue the rollout");
    expect(before).not.toContain("WorkloadRunning");
  });

  it("is rolled back after an abort, and updated by the next image", async () => {
    const workload = await tracked("abort", pausing);
    await push("abort", "1.1.0");
    await untilPhase("abort", "Paused", "1.1.0");
    await abort("abort");

    const failed = await stage.lookout.fact("RolloutFailed", workload, 1);
    await stage.lookout.fact("RolledBack", workload, 1, 90_000);
    const restored = await untilPhase("abort", "Healthy", "1.0.0");
    await push("abort", "1.2.0");
    await untilPhase("abort", "Paused", "1.2.0");
    await promote("abort");
    await stage.lookout.fact("RolloutSucceeded", workload, 2, 90_000);

    expect(failed.detail).toMatch(/^Rollout failed, because status.phase is Degraded: RolloutAborted: /);
    expect(restored.spec.template.spec.containers[0].image).toBe(`${stage.registry.host}/shop/abort:1.0.0`);
  });

  it("is not judged by the abort of the update before", async () => {
    const workload = await tracked("stale", pausing, { "lookout.dev/auto-rollback": "false" });
    await push("stale", "1.1.0");
    await untilPhase("stale", "Paused", "1.1.0");
    await abort("stale");
    await stage.lookout.fact("RolloutFailed", workload, 1);
    await push("stale", "1.2.0");
    await untilPhase("stale", "Paused", "1.2.0");
    await promote("stale");

    await stage.lookout.fact("RolloutSucceeded", workload, 2, 90_000);

    expect(stage.lookout.of(workload).filter(({ name }) => name === "RolloutFailed")).toHaveLength(1);
  });

  it("is rolled back when its canary can't be pulled", async () => {
    const workload = await tracked("unpulled", pausing);
    await push("unpulled", "1.1.66");

    await stage.lookout.fact("RolledBack", workload, 1, 120_000);

    await untilPhase("unpulled", "Healthy", "1.0.0");
  });

  it("replaces all pods at once after a promotion, with the strategy blueGreen", async () => {
    const service = { ports: [{ port: 80 }], selector: { app: "blue" } };
    await stage.plane.apply([{ apiVersion: "v1", kind: "Service", metadata: { name: "blue" }, spec: service }]);
    const workload = await tracked("blue", { blueGreen: { activeService: "blue", autoPromotionEnabled: false } });
    await push("blue", "1.1.0");
    await untilPhase("blue", "Paused", "1.1.0");
    await stage.lookout.fact("RolloutWaiting", workload, 1);

    await promote("blue");

    await stage.lookout.fact("RolloutSucceeded", workload, 1, 90_000);
  });
});
