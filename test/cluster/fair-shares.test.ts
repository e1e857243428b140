import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Shape } from "../fair/shapes.ts";
import { until } from "./bed/until.ts";
import { deploymentManifest } from "./bed/workloads.ts";
import { setStage, type Stage } from "./stage.ts";

/** What the hostile Deployments' registries answer, ten Deployments each. */
const attacks: readonly Shape[] = [
  "the same 200,000 tags on each page",
  "16 MiB of white space on each page",
  "headers after 8 s",
];
const deployments = 30;
const pushes = 5;
/**
 * The longest time from the notification of a push to its patch. A busy machine also slows a push
 * without attacks down, so ten times its time comes on top.
 */
const mostMs = (calmMs: number): number => 2_000 + 10 * calmMs;

let stage: Stage;
let hosts: readonly string[];
const children: ChildProcess[] = [];

beforeAll(async () => {
  const program = fileURLToPath(new URL("../fair/hosts.ts", import.meta.url));
  const started = attacks.map(async (shape) => {
    const child = fork(program, [shape, "1"]);
    children.push(child);
    const [[host = ""]] = (await once(child, "message")) as [string[]];
    return host;
  });
  hosts = await Promise.all(started);
  stage = await setStage({ otherRegistries: hosts });
}, 120_000);

afterAll(async () => {
  await stage.stop();
  for (const child of children) child.kill("SIGKILL");
});

/** Pushes for the victim, and returns the milliseconds from the notification to the patch. */
async function waitOfPush(push: number): Promise<number> {
  await stage.registry.push(`shop/victim:1.0.${push}`, { seed: `victim 1.0.${push}` });
  const patched = await stage.lookout.fact("RolloutStarted", "default/victim", push);
  await stage.lookout.fact("RolloutSucceeded", "default/victim", push);
  return Date.parse(patched.at) - Date.parse(patched.detectedAt ?? "");
}

it("beside 30 hostile Deployments, a push is patched within 2 s, five times in a row", async () => {
  await stage.plane.kubectl("create", "namespace", "hostile");
  await stage.tracked("victim");
  const calmMs = await waitOfPush(1);
  const manifests = Array.from({ length: deployments }, (_, index) => {
    const manifest = deploymentManifest(`evil-${index}`, `${hosts[index % hosts.length]}/evil/r${index}:1.0.0`, 1);
    const annotations = { "lookout.dev/enabled": "true" };
    return { ...manifest, metadata: { ...manifest.metadata, namespace: "hostile", annotations } };
  });
  await stage.plane.apply(manifests);

  const waitsMs: number[] = [];
  for (let push = 2; push <= pushes + 1; push += 1) {
    // The hostile workloads change all the time, so they are evaluated all the time.
    await stage.plane.kubectl("-n", "hostile", "annotate", "deployments", "--all", "--overwrite", `round=${push}`);
    waitsMs.push(await waitOfPush(push));
  }

  expect(waitsMs.filter((wait) => wait > mostMs(calmMs))).toEqual([]);
  expect(waitsMs).toHaveLength(pushes);
  const told = await Promise.all(
    attacks.map((_, index) =>
      until(`the reason of evil-${index}`, async () => {
        const { out } = await stage.lookout.run("explain", `hostile/evil-${index}`);
        return /registry|over its budget/.test(out) ? out : undefined;
      }),
    ),
  );
  expect(told.filter((text) => text.includes("up to date"))).toEqual([]);
  process.stdout.write(
    `a push alone: ${calmMs} ms; beside ${deployments} hostile Deployments: ${waitsMs.join(", ")} ms\n`,
  );
}, 300_000);
