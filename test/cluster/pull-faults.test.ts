import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patchNumber } from "./bed/fake-kubelet.ts";
import { until } from "./bed/until.ts";
import { setStage, type Stage } from "./stage.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
});

afterAll(() => stage.stop());

const imageOf = (name: string) => stage.imageOf("deployment", name);

/** Starts an update to an image whose pulls fail, and waits until its rollout has begun. */
async function updated(name: string, annotations: Readonly<Record<string, string>> = {}): Promise<string> {
  const workload = await stage.tracked(name, annotations);
  await stage.registry.push(`shop/${name}:1.0.${patchNumber.broken}`, { seed: `${name} next` });
  await stage.lookout.fact("RolloutStarted", workload);
  return workload;
}

/** Lets the pods that wait for their image run, as after a pull that works. */
async function pullsWork(name: string): Promise<void> {
  const stdout = await stage.plane.kubectl("get", "pods", `--selector=app=${name}`, "-o", "json");
  const { items } = JSON.parse(stdout) as {
    items: { metadata: { name: string }; spec: { containers: { image: string }[] }; status: { phase: string } }[];
  };
  const at = new Date().toISOString().replace(/\.\d+/, "");
  for (const { metadata, spec, status } of items) {
    if (status.phase !== "Pending") continue;
    const conditions = ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map((type) => ({
      type,
      status: "True",
      lastTransitionTime: at,
    }));
    const { image = "" } = spec.containers[0] ?? {};
    const container = { name: "app", image, imageID: image, ready: true, started: true, restartCount: 0 };
    const containerStatuses = [{ ...container, state: { running: { startedAt: at } } }];
    const patch = JSON.stringify({ status: { phase: "Running", conditions, containerStatuses } });
    await stage.plane.kubectl("patch", "pod", metadata.name, "--subresource=status", "--type=merge", "--patch", patch);
  }
}

describe("a pull that fails", () => {
  it("and works within its grace, lets the update succeed", async () => {
    const workload = await updated("denied");
    await until("the fault is told", async () =>
      stage.lookout.of(workload).find(({ detail }) => detail?.includes("the registry denies the pull") === true),
    );

    await until("the update succeeds", async () => {
      await pullsWork("denied");
      return stage.lookout.of(workload).find(({ name }) => name === "RolloutSucceeded");
    });

    expect(await imageOf("denied")).toContain(`:1.0.${patchNumber.broken}@`);
    expect(stage.lookout.of(workload).map(({ name }) => name)).not.toContain("RolloutFailed");
  });

  it("for longer than lookout.dev/pull-grace is rolled back", async () => {
    const workload = await updated("denied-long", { "lookout.dev/pull-grace": "3s" });
    const failed = await stage.lookout.fact("RolloutFailed", workload);
    await stage.lookout.fact("RolledBack", workload);

    expect(failed.reasons[0]?.reason).toBe("rollout-failed");
    expect(await imageOf("denied-long")).toBe(`${stage.registry.host}/shop/denied-long:1.0.0`);
  });

  it("because of a limit is rolled back at the deadline, and the digest is tried again", async () => {
    const settings = { "lookout.dev/pull-grace": "1s", "lookout.dev/rollback-timeout": "8s" };
    const workload = await updated("limited", settings);
    const started = Date.now();
    const failed = await stage.lookout.fact("RolloutFailed", workload);
    await stage.lookout.fact("RolledBack", workload);
    await until("the digest is held", async () =>
      stage.lookout.of(workload).find(({ name, seq }) => name === "UpdateHeld" && seq > 1),
    );
    const { out } = await stage.lookout.run("explain", workload);

    expect(Date.now() - started).toBeGreaterThan(4_000);
    expect(failed.reasons[0]?.reason).toBe("pull-limited");
    expect(await imageOf("limited")).toBe(`${stage.registry.host}/shop/limited:1.0.0`);
    expect(out.replaceAll(/\s+/g, " ")).toContain(`1.0.${patchNumber.broken} is tried again at`);
  });
});
