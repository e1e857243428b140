import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../cluster/bed/until.ts";
import { deploymentManifest } from "../cluster/bed/workloads.ts";
import type { Stage } from "../cluster/stage.ts";
import { mostAtOnce, patchesSince } from "./audit.ts";
import { type Row, rowOf, spreadOf } from "./figures.ts";
import { type Floor, floorRows, lastRunning, measureFloor } from "./floor.ts";
import { preparePushes } from "./pushes.ts";
import { watchDeployments } from "./watched.ts";

const repository = "shop/fleet";
const patience = { timeoutMs: 600_000, intervalMs: 500 };
const quietMs = 4_000;

/**
 * Creates the Deployments from `fleet-<from>` to before `fleet-<to>` on one repository. Waits until
 * all are tracked and run.
 */
export async function createFleet(stage: Stage, from: number, to: number, say: (text: string) => void): Promise<void> {
  if (from === 0) await stage.registry.push(`${repository}:1.0.0`, { seed: `${repository} 1.0.0` });
  const names = Array.from({ length: to - from }, (_, index) => `fleet-${from + index}`);
  for (let at = 0; at < names.length; at += 100) {
    await stage.plane.apply(names.slice(at, at + 100).map((name) => manifestOf(name, stage)));
    say(`${from + at} of ${to} Deployments created`);
  }
  await until("the fleet is tracked", async () => reached(stage, "WorkloadTracked", 0, to), patience);
  await until("the fleet runs", async () => runs(stage, to), patience);
  await untilQuiet(stage);
}

function manifestOf(name: string, { registry }: Stage): object {
  const manifest = deploymentManifest(name, `${registry.host}/${repository}:1.0.0`, 1);
  return { ...manifest, metadata: { name, annotations: { "lookout.dev/enabled": "true" } } };
}

/**
 * Pushes to the repository of the whole fleet, one push after the other. Returns the rows of the
 * table. The same patches without Lookout come first, to measure the cluster itself.
 */
export async function pushToAll(
  stage: Stage,
  size: number,
  rounds: number,
  say: (text: string) => void,
): Promise<readonly Row[]> {
  const names = Array.from({ length: size }, (_, index) => `fleet-${index}`);
  const imageOf = (tag: string): string => `${stage.registry.host}/${repository}:${tag}`;
  // The last round restores the image that Lookout knows.
  const tags = ["1.0.0", ...Array.from({ length: rounds - 1 }, (_, round) => `0.9.${round}`), "1.0.0"];
  const floors: Floor[] = [];
  await stage.restart(async () => {
    floors.push(await measureFloor(stage.plane, names, tags.map(imageOf), say));
  });
  const [floor] = floors;
  if (floor === undefined) throw new Error("there is no measurement without Lookout");
  const prepared = await preparePushes(stage.registry, repository, 1, rounds);
  const watched = await watchDeployments(stage.plane);
  const each: number[] = [];
  const last: number[] = [];
  const atOnce: number[] = [];
  const running: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    await untilQuiet(stage);
    const pushedAt = await prepared.push(`1.${round}.0`);
    await until("the fleet is updated", async () => reached(stage, "RolloutSucceeded", round, size), patience);
    const found = fleetFacts(stage, "WorkloadRunning", round);
    const runningAt = await lastRunning(watched, size, imageOf(`1.${round}.0`), pushedAt);
    const detectedAt = Date.parse(found[0]?.detectedAt ?? "");
    const patches = (await patchesSince(stage.plane.auditLog, pushedAt)).filter(({ status }) => status === 200);
    const after = patches.map(({ answeredAt }) => answeredAt - detectedAt);
    if (patches.length !== size) throw new Error(`${patches.length} patches were written for ${size} workloads`);
    each.push(...after);
    last.push(Math.max(...after) / 1_000);
    atOnce.push(mostAtOnce(patches));
    running.push((runningAt - pushedAt) / 1_000);
    say(`round ${round} of ${rounds}: last patched after ${last.at(-1)?.toFixed(2) ?? ""} s`);
  }
  watched.stop();
  const ratio = spreadOf(running).median / spreadOf(floor.lastRunning).median;
  return [
    rowOf("webhook → patched, each", each),
    rowOf("webhook → last patched (audit log)", last, "s"),
    rowOf("PUT → last pod running (a watch)", running, "s"),
    ...floorRows(floor),
    rowOf("last pod running: ratio of the medians", [ratio], "×"),
    rowOf("peak writes in flight at the API server", atOnce, "requests"),
  ];
}

function fleetFacts({ lookout }: Stage, name: string, seq: number) {
  return lookout.facts.filter(
    (fact) => fact.name === name && fact.seq === seq && fact.workload.name.startsWith("fleet-"),
  );
}

function reached(stage: Stage, name: string, seq: number, wanted: number): true | undefined {
  const names = new Set(fleetFacts(stage, name, seq).map(({ workload }) => workload.name));
  return names.size >= wanted ? true : undefined;
}

async function runs({ plane }: Stage, wanted: number): Promise<true | undefined> {
  const counts = await plane.kubectl("get", "deployments", "-o", "jsonpath={.items[*].status.availableReplicas}");
  const pods = counts.split(" ").filter((count) => count !== "").length;
  return pods >= wanted ? true : undefined;
}

/** Waits until Lookout has published no fact for a while. */
async function untilQuiet({ lookout }: Stage): Promise<void> {
  for (let told = -1; told !== lookout.facts.length;) {
    told = lookout.facts.length;
    await sleep(quietMs);
  }
}
