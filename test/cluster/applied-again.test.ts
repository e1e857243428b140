import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "./bed/until.ts";
import { deploymentManifest } from "./bed/workloads.ts";
import { setStage, type Stage } from "./stage.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
});

afterAll(() => stage.stop());

/** Creates a workload with 1.0.0, and waits until Lookout has updated it to 1.1.0. */
async function updated(name: string, annotations: Readonly<Record<string, string>> = {}): Promise<string> {
  const workload = await stage.tracked(name, annotations);
  await stage.registry.push(`shop/${name}:1.1.0`, { seed: `${name} 1.1.0` });
  await stage.lookout.fact("RolloutSucceeded", workload);
  return workload;
}

const imageOf = (name: string) => stage.imageOf("deployment", name);
const first = (name: string) => `${stage.registry.host}/shop/${name}:1.0.0`;

/** Runs a command of kubectl with the manifest of 1.0.0 as its input. */
async function withManifest(name: string, command: string, ...flags: readonly string[]): Promise<void> {
  const manifest = deploymentManifest(name, first(name), 2);
  const metadata = { ...manifest.metadata, annotations: { "lookout.dev/enabled": "true" } };
  const input = JSON.stringify({ ...manifest, metadata });
  await stage.plane.kubectl(command, ...flags, "--filename", "-", { input });
}

describe("a manifest that is applied again after an update", () => {
  it.each([
    { name: "client-side", manager: "kubectl-client-side-apply", again: ["apply"] },
    { name: "replaced", manager: "kubectl-replace", again: ["replace"] },
    { name: "server-side", manager: "kubectl", again: ["apply", "--server-side", "--force-conflicts"] },
  ] as const)("by kubectl $again holds only the digest that it took off", async ({ name, manager, again }) => {
    const workload = await updated(name);
    const [command, ...flags] = again;
    await withManifest(name, command, ...flags);
    const ended = await stage.lookout.fact("UpdateSuperseded", workload);
    await until("the digest is held", async () =>
      stage.lookout.of(workload).find(({ name: fact, seq }) => fact === "UpdateHeld" && seq > 1),
    );

    expect(ended.reasons[0]?.reason).toBe("manifest-applied-again");
    expect(await imageOf(name)).toBe(first(name));
    const explained = await stage.lookout.run("explain", workload);
    expect(explained.out.replaceAll(/\s+/g, " ")).toContain(`${manager} restored 1.0.0 at`);
    expect(explained.out.replaceAll(/\s+/g, " ")).toContain("1.1.0 comes again at");

    await stage.registry.push(`shop/${name}:1.2.0`, { seed: `${name} 1.2.0` });
    await until("the newer image runs", async () => ((await imageOf(name)).includes(":1.2.0@") ? true : undefined));
  });

  it("comes again after the time of lookout.dev/reapply", async () => {
    const workload = await updated("soon", { "lookout.dev/reapply": "after 5s" });
    const manifest = deploymentManifest("soon", first("soon"), 2);
    const annotations = { "lookout.dev/enabled": "true", "lookout.dev/reapply": "after 5s" };
    await stage.plane.apply([{ ...manifest, metadata: { ...manifest.metadata, annotations } }]);
    await stage.lookout.fact("UpdateSuperseded", workload);

    await until("the image comes again", async () => ((await imageOf("soon")).includes(":1.1.0@") ? true : undefined));
  });

  it("on an object without managers is known by the manifest that was applied last", async () => {
    const workload = await updated("bare");
    const noManagers = JSON.stringify({ metadata: { managedFields: [{}] } });
    await stage.plane.kubectl("patch", "deployment", "bare", "--type=merge", "--patch", noManagers);
    await withManifest("bare", "apply");

    expect((await stage.lookout.fact("UpdateSuperseded", workload)).reasons[0]?.reason).toBe("manifest-applied-again");
  });
});

describe("a person who restores the image", () => {
  it.each([
    { name: "undone", by: (name: string) => ["rollout", "undo", `deployment/${name}`] },
    { name: "set", by: (name: string) => ["set", "image", `deployment/${name}`, `app=${first(name)}`] },
    {
      name: "patched",
      by: (name: string) => [
        ...["patch", "deployment", name, "--patch"],
        JSON.stringify({ spec: { template: { spec: { containers: [{ name: "app", image: first(name) }] } } } }),
      ],
    },
  ])("with kubectl ($name) holds the workload", async ({ name, by }) => {
    const workload = await updated(name);
    await stage.plane.kubectl(...by(name));

    expect((await stage.lookout.fact("RevertedByUser", workload)).reasons[0]?.reason).toBe("reverted-by-user");
    expect(await imageOf(name)).toBe(first(name));
  });
});
