import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "./bed/until.ts";
import { deploymentManifest } from "./bed/workloads.ts";
import { setStage, type Stage } from "./stage.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
});

afterAll(() => stage.stop());

const imageOf = (name: string) => stage.imageOf("deployment", name);
const image = (name: string, tag = "1.0.0") => `${stage.registry.host}/shop/${name}:${tag}`;
const serverSide = ["apply", "--server-side"] as const;

/** Runs a command of kubectl with a manifest. Undefined: the manifest has no image. */
async function write(
  name: string,
  [command, ...flags]: readonly [string, ...string[]],
  written: string | undefined,
): Promise<void> {
  const manifest = deploymentManifest(name, written ?? "", 2);
  const template = {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: "app", ...(written === undefined ? {} : { image: written }) }] },
  };
  const metadata = { ...manifest.metadata, annotations: { "lookout.dev/enabled": "true" } };
  const input = JSON.stringify({ ...manifest, metadata, spec: { ...manifest.spec, template } });
  await stage.plane.kubectl(command, ...flags, "--filename", "-", { input });
}

/** Writes a manifest with 1.0.0, and waits until Lookout tracks the workload. */
async function tracked(name: string, how: readonly [string, ...string[]]): Promise<string> {
  await stage.registry.push(`shop/${name}:1.0.0`, { seed: `${name} 1.0.0` });
  await write(name, how, image(name));
  await stage.lookout.fact("WorkloadTracked", `default/${name}`);
  return `default/${name}`;
}

async function updated(name: string, how: readonly [string, ...string[]]): Promise<string> {
  const workload = await tracked(name, how);
  await stage.registry.push(`shop/${name}:1.1.0`, { seed: `${name} 1.1.0` });
  await stage.lookout.fact("RolloutSucceeded", workload);
  return workload;
}

const explained = async (workload: string): Promise<string> =>
  (await stage.lookout.run("explain", workload)).out.replaceAll(/\s+/g, " ");

describe.concurrent("server-side apply", () => {
  it("is told that its next apply will fail, before and after an update", async () => {
    const workload = await tracked("warned", serverSide);
    expect(await explained(workload)).toContain(
      'kubectl applies the image of container app server-side: after an update by Lookout, its next apply fails with a conflict with "lookout".',
    );

    await stage.registry.push("shop/warned:1.1.0", { seed: "warned 1.1.0" });
    await stage.lookout.fact("RolloutSucceeded", workload);
    expect(await explained(workload)).toContain(
      "Container app runs 1.1.0, and the manifest that kubectl applied server-side names 1.0.0",
    );
    await expect(write("warned", serverSide, image("warned"))).rejects.toThrow('conflict with "lookout"');
    expect(await imageOf("warned")).toContain(":1.1.0@");
  });

  it("with the running image, or without an image, works after an update", async () => {
    await updated("followed", serverSide);
    const running = await imageOf("followed");

    await write("followed", serverSide, undefined);
    expect(await imageOf("followed")).toBe(running);
    await write("followed", serverSide, running);
    expect(await imageOf("followed")).toBe(running);
  });

  it("without an image is refused before the first update", async () => {
    await tracked("too-early", serverSide);

    await expect(write("too-early", serverSide, undefined)).rejects.toThrow("image: Required value");
  });
});

describe.concurrent("a manifest without an image", () => {
  it.each([
    { name: "left-out-of-apply", how: ["apply"] },
    { name: "left-out-of-replace", how: ["replace"] },
  ] as const)("is refused by kubectl $how", async ({ name, how }) => {
    await updated(name, ["apply"]);

    await expect(write(name, how, undefined)).rejects.toThrow("image: Required value");
    expect(await imageOf(name)).toContain(":1.1.0@");
  });
});

describe.concurrent("a manifest with the running image", () => {
  it.each([
    { name: "written-in-apply", how: ["apply"] },
    { name: "written-in-replace", how: ["replace"] },
  ] as const)("is taken by kubectl $how, and updates go on", async ({ name, how }) => {
    await updated(name, ["apply"]);
    await write(name, how, image(name, "1.1.0"));
    await stage.registry.push(`shop/${name}:1.2.0`, { seed: `${name} 1.2.0` });
    const newer = await until("the newer image runs", async () => {
      const shown = await imageOf(name);
      return shown.includes(":1.2.0@") ? shown : undefined;
    });

    expect(newer).toContain(image(name, "1.2.0"));
  });
});
