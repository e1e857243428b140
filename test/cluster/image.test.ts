import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { ChildProcess } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lookoutVersion } from "#contracts/version";
import packageDescription from "../../package.json" with { type: "json" };
import { type ControlPlane, startControlPlane } from "./bed/control-plane.ts";
import { freePorts } from "./bed/ports.ts";
import { type Registry, startRegistry } from "./bed/registry.ts";
import { until } from "./bed/until.ts";
import { deploymentManifest } from "./bed/workloads.ts";
import { only, renderedWith } from "./chart.ts";
import { commandOf, pairsOf, stagesOf, textOf, textsOf } from "./image/dockerfile.ts";
import { buildImage, entrypointWith, type ImageRoot, type Mount, startIn } from "./image/image-root.ts";

interface PodTemplate {
  readonly args: readonly string[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

const account = "/var/run/secrets/kubernetes.io/serviceaccount";
const nonRoot = 65_532;
const secret = "s3cret-of-the-receiver";

let image: ImageRoot;
let plane: ControlPlane;
let registry: Registry;
let folder: string;
let mounts: readonly Mount[];
let port: number;
let words: readonly string[];
let lookout: ChildProcess;
let printed = "";

beforeAll(async () => {
  console.log("not tested here: the digests of the Dockerfile's base images, and arm64");
  [port = 0] = await freePorts(1);
  folder = await mkdtemp(join(tmpdir(), "lookout-pod-"));
  const notify = {
    url: `http://127.0.0.1:${port}/webhooks/registry`,
    headers: { Authorization: `Bearer ${secret}` },
  };
  [image, plane, registry] = await Promise.all([buildImage(), startControlPlane(), startRegistry({ notify })]);
  const objects = await renderedWith({
    secrets: ["receivers"],
    config: {
      receivers: [{ name: "registry", kind: "distribution", secretFile: "/run/lookout/receivers/registry" }],
      registries: [{ host: registry.host, insecure: true, allowPrivateNetwork: true }],
      limits: { settle: "2s" },
    },
  });
  await plane.apply([{ apiVersion: "v1", kind: "Namespace", metadata: { name: "lookout" } }, ...objects]);
  await podFolders(objects);
  lookout = await started();
});

afterAll(async () => {
  lookout.kill("SIGKILL");
  await Promise.all([image.remove(), plane.stop(), registry.stop(), rm(folder, { recursive: true, force: true })]);
});

/** Writes the folders that a kubelet would mount for the chart's pod. */
async function podFolders(objects: Awaited<ReturnType<typeof renderedWith>>): Promise<void> {
  const { data } = only(objects, "ConfigMap") as unknown as { readonly data: Readonly<Record<string, string>> };
  const { spec } = only(objects, "Deployment") as unknown as {
    readonly spec: { readonly template: { readonly spec: { readonly containers: readonly [PodTemplate] } } };
  };
  const [container] = spec.template.spec.containers;
  const files = Object.entries(data).map(([name, text]) => [`config/${name}`, text] as const);
  const written = [
    ...files,
    ["secret-0/registry", secret],
    ["account/token", await plane.kubectl("create", "token", "lookout", "--namespace", "lookout")],
    ["account/ca.crt", await readFile(plane.certificateAuthority, "utf8")],
  ] as const;
  for (const [name, text] of written) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), text, { mode: 0o440 });
    await chown(join(folder, name), 0, nonRoot);
  }
  // A new volume of a disk, after the kubelet set fsGroup.
  await mkdir(join(folder, "state", "lost+found"), { recursive: true, mode: 0o700 });
  await chown(join(folder, "state"), 0, nonRoot);
  await chmod(join(folder, "state"), 0o2775);
  await chmod(folder, 0o755);
  mounts = [
    ...container.volumeMounts
      .filter(({ name }) => name !== "tmp")
      .map(({ name, mountPath }) => ({ from: join(folder, name), to: mountPath, readOnly: name !== "state" })),
    { from: join(folder, "account"), to: account, readOnly: true },
  ];
  words = [...container.args, "--listen", `127.0.0.1:${port}`];
}

async function started(): Promise<ChildProcess> {
  const { hostname, port: apiPort } = new URL(plane.server);
  const environment = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: apiPort };
  const child = await startIn(image, entrypointWith(image, words), mounts, environment);
  process.once("exit", () => child.kill("SIGKILL"));
  printed = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text: Buffer) => (printed += text.toString()));
  await until("Lookout answers", async () => {
    if (child.exitCode !== null) throw new Error(`Lookout ended: ${printed}`);
    return (await fetch(`http://127.0.0.1:${port}/healthz`)).ok ? true : undefined;
  });
  return child;
}

/** Runs a command in the container, as `kubectl exec` does. */
async function exec(...command: readonly string[]): Promise<{ readonly code: number | null; readonly out: string }> {
  const child = await startIn(image, command, mounts);
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text: Buffer) => (out += text.toString()));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, out };
}

const evaluated = (script: string) => exec("/nodejs/bin/node", "--eval", script);

describe("the Dockerfile", () => {
  it("names every base image with a digest", async () => {
    const stages = stagesOf(await readFile(new URL("../../Dockerfile", import.meta.url), "utf8"));

    expect(stages.map(({ from }) => /@sha256:[0-9a-f]{64}(?: AS build)?$/.test(from))).toEqual([true, true]);
  });

  it("has the version and the license of the package in its labels", () => {
    const labels = pairsOf(textOf(image.stage, "LABEL"));

    expect(labels).toMatchObject({
      "org.opencontainers.image.version": lookoutVersion,
      "org.opencontainers.image.licenses": packageDescription.license,
      "org.opencontainers.image.description": packageDescription.description,
    });
  });

  it("runs nothing in the last stage, so one machine builds the image for each platform", () => {
    expect(textsOf(image.stage, "RUN")).toEqual([]);
  });
});

describe("the image, with the chart's configuration and a service account", () => {
  it("has the command lookout", async () => {
    expect(await exec("lookout", "--version")).toEqual({ code: 0, out: `lookout ${lookoutVersion}\n` });
  });

  it("runs as 65532 without capabilities, and can write only to the state and /tmp", async () => {
    const { out } = await evaluated(`
      const { readFileSync, writeFileSync, rmSync } = require("node:fs");
      const writable = (path) => { try { writeFileSync(path, ""); rmSync(path); return "written"; } catch ({ code }) { return code; } };
      const { 1: capabilities } = /CapEff:\\s+(\\w+)/.exec(readFileSync("/proc/self/status", "utf8"));
      const paths = ["/opt/lookout/program/x", "/etc/lookout/x", "/run/lookout/receivers/x", "/x", "/var/lib/lookout/x", "/tmp/x"];
      console.log(JSON.stringify({ ids: [process.getuid(), process.getgid(), process.getgroups()], capabilities, paths: Object.fromEntries(paths.map((path) => [path, writable(path)])) }));
    `);

    expect(JSON.parse(out)).toEqual({
      ids: [nonRoot, nonRoot, [nonRoot]],
      capabilities: "0000000000000000",
      paths: {
        "/opt/lookout/program/x": "EROFS",
        "/etc/lookout/x": "EROFS",
        "/run/lookout/receivers/x": "EROFS",
        "/x": "EROFS",
        "/var/lib/lookout/x": "written",
        "/tmp/x": "written",
      },
    });
  });

  it("is healthy by its own health check", async () => {
    expect(await exec(...commandOf(image.stage, "HEALTHCHECK"))).toEqual({ code: 0, out: "" });
  });

  it("updates a Deployment after a push, with the rights of the chart alone", async () => {
    await registry.push("shop/api:1.0.0", { seed: "api 1.0.0" });
    const manifest = deploymentManifest("api", `${registry.host}/shop/api:1.0.0`);
    const metadata = { ...manifest.metadata, annotations: { "lookout.dev/enabled": "true" } };
    await plane.apply([{ ...manifest, metadata }]);
    await until("tracked", async () => (printed.includes('"WorkloadTracked"') ? true : undefined));
    await registry.push("shop/api:1.1.0", { seed: "api 1.1.0" });
    await until("updated", async () => (printed.includes('"RolloutSucceeded"') ? true : undefined), {
      timeoutMs: 60_000,
    });
    const { code, out } = await exec("lookout", "status", "--output", "json");

    expect(
      await plane.kubectl("get", "deployment", "api", "-o", "jsonpath={.spec.template.spec.containers[0].image}"),
    ).toContain("/shop/api:1.1.0@sha256:");
    expect(code).toBe(0);
    expect(out).toContain('"local/default/deployment/api"');
  });

  it("answers lookout cluster check without a missing right", async () => {
    const { code, out } = await exec("lookout", "cluster", "check", "local");

    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("✓") as string });
  });

  it("passes lookout doctor, which the notes of the chart name", async () => {
    expect(await exec("lookout", "doctor")).toMatchObject({ code: 0 });
  });

  it("answers /metrics to the token of a viewer, which a ServiceMonitor sends", async () => {
    const { out } = await exec("lookout", "token", "create", "prometheus", "--role", "viewer", "--output", "json");
    const { text: token } = JSON.parse(out) as { readonly text: string };
    const asked = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${token}` } });

    expect(asked.status).toBe(200);
    expect(await asked.text()).toContain("lookout_");
  });

  it("ends at SIGTERM, and starts again with its token and its workloads", async () => {
    const token = join(folder, "state", "state", "token");
    const before = await readFile(token, "utf8");
    const ended = new Promise((resolve) => lookout.once("exit", (code, signal) => resolve({ code, signal })));
    lookout.kill("SIGTERM");
    expect(await ended).toEqual({ code: 0, signal: null });
    expect((await exec(...commandOf(image.stage, "HEALTHCHECK"))).code).toBe(1);
    lookout = await started();

    expect(await readFile(token, "utf8")).toBe(before);
    expect((await exec("lookout", "history", "default/api")).out).toContain("1.1.0");
  });
});
