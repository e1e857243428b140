import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "./bed/processes.ts";
import { programPath } from "./bed/programs.ts";
import { until } from "./bed/until.ts";
import { deploymentManifest } from "./bed/workloads.ts";
import type { PrintedFact } from "./lookout.ts";
import { setStage, type Stage } from "./stage.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await setStage({ defaults: { appliers: ["deploy-bot"] } });
});

afterAll(() => stage.stop());

/** Pushes the next image of a workload, and waits until Lookout has updated the workload. */
async function update(name: string): Promise<void> {
  await stage.registry.push(`shop/${name}:1.1.0`, { seed: `${name} 1.1.0` });
  await stage.lookout.fact("RolloutSucceeded", `default/${name}`);
}

/** Creates a workload with 1.0.0, and waits until Lookout has updated it to 1.1.0. */
async function updated(name: string, annotations: Readonly<Record<string, string>> = {}): Promise<string> {
  const workload = await stage.tracked(name, annotations);
  await update(name);
  return workload;
}

const imageOf = (name: string) => stage.imageOf("deployment", name);
const first = (name: string) => `${stage.registry.host}/shop/${name}:1.0.0`;
const explained = async (workload: string): Promise<string> =>
  (await stage.lookout.run("explain", workload)).out.replaceAll(/\s+/g, " ");

/** Runs a command of kubectl with the manifest of 1.0.0 as its input. */
async function withManifest(
  name: string,
  [command, ...flags]: readonly [string, ...string[]],
  annotations: Readonly<Record<string, string>> = {},
): Promise<void> {
  const manifest = deploymentManifest(name, first(name), 2);
  const metadata = { ...manifest.metadata, annotations: { "lookout.dev/enabled": "true", ...annotations } };
  const input = JSON.stringify({ ...manifest, metadata });
  await stage.plane.kubectl(command, ...flags, "--filename", "-", { input });
}

/** Waits until the digest that a manifest took off the object is held. Returns why. */
async function heldAgain(workload: string): Promise<NonNullable<PrintedFact["reasons"][number]>> {
  const ended = await stage.lookout.fact("UpdateSuperseded", workload);
  expect(ended.reasons[0]?.reason).toBe("manifest-applied-again");
  return until("the digest is held", async () =>
    stage.lookout
      .of(workload)
      .filter(({ name, seq }) => name === "UpdateHeld" && seq > 1)
      .flatMap(({ reasons }) => reasons)
      .find(({ reason }) => reason === "manifest-applied-again"),
  );
}

const serverSide = ["apply", "--server-side", "--force-conflicts"] as const;

describe.concurrent("a manifest that is applied again after an update", () => {
  it.each([
    { name: "client-side", manager: "kubectl-client-side-apply", again: ["apply"] },
    { name: "replaced", manager: "kubectl-replace", again: ["replace"] },
    { name: "server-side", manager: "kubectl", again: serverSide },
    { name: "listed", manager: "deploy-bot", again: ["apply", "--field-manager=deploy-bot"] },
    { name: "like-terraform-deployment", manager: "HashiCorp", again: ["replace", "--field-manager=HashiCorp"] },
    { name: "like-terraform-manifest", manager: "Terraform", again: [...serverSide, "--field-manager=Terraform"] },
  ] as const)("by kubectl $again holds only the digest that it took off", async ({ name, manager, again }) => {
    const workload = await updated(name);
    await withManifest(name, again);
    const { detail } = await heldAgain(workload);

    expect(await imageOf(name)).toBe(first(name));
    expect(detail).toMatch(new RegExp(`^${manager} restored 1\\.0\\.0 at .*; 1\\.1\\.0 comes again at `));
    expect(await explained(workload)).toContain(`${manager} restored 1.0.0 at`);

    await stage.registry.push(`shop/${name}:1.2.0`, { seed: `${name} 1.2.0` });
    await until("the newer image runs", async () => ((await imageOf(name)).includes(":1.2.0@") ? true : undefined));
  });

  it.each([
    { name: "soon-client-side", again: ["apply"] },
    { name: "soon-replaced", again: ["replace"] },
    { name: "soon-server-side", again: serverSide },
    { name: "soon-listed", again: ["apply", "--field-manager=deploy-bot"] },
    { name: "soon-helm", again: ["replace", "--field-manager=helm"] },
  ] as const)("by kubectl $again comes again after the time of lookout.dev/reapply", async ({ name, again }) => {
    const annotations = { "lookout.dev/reapply": "after 5s" };
    const workload = await updated(name, annotations);
    await withManifest(name, again, annotations);
    const { detail = "" } = await heldAgain(workload);
    const [, comesAt = ""] = /comes again at (\S+)$/.exec(detail) ?? [];
    // The held update gets another number if Lookout sees the two writes of one kubectl apply one by one.
    const again2 = await until("the digest comes again", async () =>
      stage.lookout.of(workload).find((fact) => fact.name === "RolloutSucceeded" && fact.seq > 1),
    );

    expect(await imageOf(name)).toContain(":1.1.0@");
    expect(Date.parse(again2.at)).toBeGreaterThan(Date.parse(comesAt));
  });

  it("by the field manager of Helm waits for a person", async () => {
    const workload = await updated("like-helm");
    await withManifest("like-helm", ["replace", "--field-manager=helm"]);

    expect((await heldAgain(workload)).detail).toMatch(
      /^helm restored 1\.0\.0 at .*; 1\.1\.0 waits for lookout unblock$/,
    );
    await stage.lookout.run("unblock", workload);
    await until("the image comes again", async () =>
      (await imageOf("like-helm")).includes(":1.1.0@") ? true : undefined,
    );
  });

  it("on an object without managers is known by the manifest that was applied last", async () => {
    const workload = await updated("bare");
    const noManagers = JSON.stringify({ metadata: { managedFields: [{}] } });
    await stage.plane.kubectl("patch", "deployment", "bare", "--type=merge", "--patch", noManagers);
    await withManifest("bare", ["apply"]);

    expect((await heldAgain(workload)).detail).toMatch(/^kubectl-client-side-apply restored 1\.0\.0 at /);
  });

  it("is known on an object that kubectl create made", async () => {
    await stage.registry.push("shop/created:1.0.0", { seed: "created 1.0.0" });
    await withManifest("created", ["create"]);
    await stage.lookout.fact("WorkloadTracked", "default/created");
    await update("created");
    await withManifest("created", ["apply"]);

    expect((await heldAgain("default/created")).detail).toMatch(/^kubectl-client-side-apply restored 1\.0\.0 at /);
  });
});

describe.concurrent("a person who restores the image", () => {
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
    { name: "edited", by: (name: string) => ["edit", "deployment", name] },
  ])("with kubectl ($name) holds the workload", async ({ name, by }) => {
    const workload = await updated(name);
    const editor = `sed --in-place 's|image: .*|image: ${first(name)}|'`;
    const environment = {
      KUBECONFIG: stage.plane.kubeconfig,
      HOME: dirname(stage.plane.kubeconfig),
      KUBE_EDITOR: editor,
    };
    await run(programPath("kubectl"), by(name), { environment });

    expect((await stage.lookout.fact("RevertedByUser", workload)).reasons[0]?.reason).toBe("reverted-by-user");
    expect(await imageOf(name)).toBe(first(name));
  });
});
