import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "./bed/processes.ts";
import { programPath } from "./bed/programs.ts";
import { until } from "./bed/until.ts";
import { deploymentManifest } from "./bed/workloads.ts";
import { setStage, type Stage } from "./stage.ts";

let stage: Stage;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lookout-helm-"));
  stage = await setStage();
});

afterAll(async () => {
  await stage.stop();
  await rm(folder, { recursive: true, force: true });
});

type Helm = "helm3" | "helm4";

function helm(program: Helm, ...words: readonly string[]): Promise<string> {
  const environment = { KUBECONFIG: stage.plane.kubeconfig, HOME: folder };
  return run(programPath(program), words, { environment });
}

const image = (name: string, tag = "1.0.0") => `${stage.registry.host}/shop/${name}:${tag}`;
const imageOf = (name: string) => stage.imageOf("deployment", name);
const explained = async (workload: string): Promise<string> =>
  (await stage.lookout.run("explain", workload)).out.replaceAll(/\s+/g, " ");

/** Writes a chart with the image and the replicas as values. Returns its folder. */
async function chartOf(name: string, annotations: Readonly<Record<string, string>> = {}): Promise<string> {
  const chart = join(folder, name);
  await mkdir(join(chart, "templates"), { recursive: true });
  const manifest = deploymentManifest(name, "{{ .Values.image }}", 2);
  const metadata = { ...manifest.metadata, annotations: { "lookout.dev/enabled": "true", ...annotations } };
  await writeFile(join(chart, "Chart.yaml"), `apiVersion: v2\nname: ${name}\nversion: 0.1.0\n`);
  await writeFile(join(chart, "values.yaml"), `image: ${image(name)}\nreplicas: 2\n`);
  const template = JSON.stringify({ ...manifest, metadata }).replace(
    /"replicas":2/,
    '"replicas":{{ .Values.replicas }}',
  );
  await writeFile(join(chart, "templates", "deployment.yaml"), template);
  return chart;
}

/** Installs a chart with 1.0.0, and waits until Lookout has updated its workload to 1.1.0. */
async function updated(program: Helm, name: string, annotations: Readonly<Record<string, string>> = {}) {
  await stage.registry.push(`shop/${name}:1.0.0`, { seed: `${name} 1.0.0` });
  const chart = await chartOf(name, annotations);
  await helm(program, "install", name, chart);
  const workload = `default/${name}`;
  await stage.lookout.fact("WorkloadTracked", workload);
  await stage.registry.push(`shop/${name}:1.1.0`, { seed: `${name} 1.1.0` });
  await stage.lookout.fact("RolloutSucceeded", workload);
  return { workload, chart };
}

/** Waits until the digest that Helm took off is held for a person. */
async function waitsForPeople(workload: string, name: string): Promise<void> {
  expect((await stage.lookout.fact("UpdateSuperseded", workload)).reasons[0]?.reason).toBe("manifest-applied-again");
  const held = await until("the digest is held", async () =>
    stage.lookout
      .of(workload)
      .filter(({ name: fact, seq }) => fact === "UpdateHeld" && seq > 1)
      .flatMap(({ reasons }) => reasons)
      .find(({ reason }) => reason === "manifest-applied-again"),
  );
  expect(held.detail).toMatch(/^helm restored 1\.0\.0 at .*; 1\.1\.0 waits for lookout unblock$/);
  expect(await imageOf(name)).toBe(image(name));
}

describe.concurrent("Helm 3", () => {
  it.each([
    { name: "helm3-unchanged", values: [] },
    { name: "helm3-changed", values: ["--set", "replicas=3"] },
  ])("restores the image with helm upgrade ($name), and the digest waits for a person", async ({ name, values }) => {
    const { workload, chart } = await updated("helm3", name);
    expect(await explained(workload)).toContain(
      "the manifest that helm applied names 1.0.0: its next apply sets it back",
    );
    await helm("helm3", "upgrade", name, chart, ...values);

    await waitsForPeople(workload, name);
    await stage.registry.push(`shop/${name}:1.2.0`, { seed: `${name} 1.2.0` });
    await until("the newer image runs", async () => ((await imageOf(name)).includes(":1.2.0@") ? true : undefined));
  });

  it("restores the image with helm rollback, and the digest waits for a person", async () => {
    const { workload } = await updated("helm3", "helm3-rollback");
    await helm("helm3", "rollback", "helm3-rollback", "1");

    await waitsForPeople(workload, "helm3-rollback");
    await stage.lookout.run("unblock", workload);
    await until("the image comes again", async () =>
      (await imageOf("helm3-rollback")).includes(":1.1.0@") ? true : undefined,
    );
  });

  it("keeps the image of a chart that names it", async () => {
    const { chart } = await updated("helm3", "helm3-followed");
    const running = await imageOf("helm3-followed");
    await helm("helm3", "upgrade", "helm3-followed", chart, "--set", `image=${running}`);

    expect(await imageOf("helm3-followed")).toBe(running);
  });
});

describe.concurrent("Helm 4", () => {
  it("fails with a conflict, which is told before, until --force-conflicts restores the image", async () => {
    const { workload, chart } = await updated("helm4", "helm4-upgrade");
    expect(await explained(workload)).toContain("the manifest that helm applied server-side names 1.0.0");
    await expect(helm("helm4", "upgrade", "helm4-upgrade", chart)).rejects.toThrow('conflict with "lookout"');
    expect(await imageOf("helm4-upgrade")).toContain(":1.1.0@");
    await helm("helm4", "upgrade", "helm4-upgrade", chart, "--force-conflicts");

    await waitsForPeople(workload, "helm4-upgrade");
  });

  it("restores the image with helm rollback --force-conflicts, and the digest waits for a person", async () => {
    const { workload } = await updated("helm4", "helm4-rollback");
    await helm("helm4", "rollback", "helm4-rollback", "1", "--force-conflicts");

    await waitsForPeople(workload, "helm4-rollback");
  });

  it("comes again after the time of lookout.dev/reapply", async () => {
    const { workload, chart } = await updated("helm4", "helm4-soon", { "lookout.dev/reapply": "after 5s" });
    await helm("helm4", "upgrade", "helm4-soon", chart, "--force-conflicts");
    await stage.lookout.fact("RolloutSucceeded", workload, 2);

    expect(await imageOf("helm4-soon")).toContain(":1.1.0@");
  });

  it("keeps the image of a chart that names it", async () => {
    const { chart } = await updated("helm4", "helm4-followed");
    const running = await imageOf("helm4-followed");
    await helm("helm4", "upgrade", "helm4-followed", chart, "--set", `image=${running}`);

    expect(await imageOf("helm4-followed")).toBe(running);
  });
});
