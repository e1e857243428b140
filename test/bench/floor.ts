import { readFile } from "node:fs/promises";
import pLimit from "p-limit";
import { Agent, request } from "undici";
import type { ControlPlane } from "../cluster/bed/control-plane.ts";
import { until } from "../cluster/bed/until.ts";
import { type Row, rowOf } from "./figures.ts";
import { watchDeployments, type Watched } from "./watched.ts";

/** The number of concurrent patches, as Lookout has. */
const workers = 10;
const patience = { timeoutMs: 600_000, intervalMs: 100 };

/** The seconds that the cluster needs for an image change of many Deployments, without Lookout. */
export interface Floor {
  readonly lastPatched: readonly number[];
  readonly lastRunning: readonly number[];
}

/**
 * Patches Deployments as fast as possible, with a round per image. Each patch is guarded and writes
 * image and label, as Lookout's patches do. Lookout must not run.
 *
 * @param images - the first image runs now. Each round writes the next image.
 */
export async function measureFloor(
  plane: ControlPlane,
  names: readonly string[],
  images: readonly string[],
  say: (text: string) => void,
): Promise<Floor> {
  const floor: { lastPatched: number[]; lastRunning: number[] } = { lastPatched: [], lastRunning: [] };
  const client = new Agent({
    connect: { ca: await readFile(plane.certificateAuthority, "utf8") },
    connections: workers,
  });
  const watched = await watchDeployments(plane);
  try {
    for (const [round, image] of images.slice(1).entries()) {
      const begun = Date.now();
      await pLimit(workers).map(names, (name) => patchImage(plane, client, name, [images[round] ?? "", image]));
      floor.lastPatched.push((Date.now() - begun) / 1_000);
      floor.lastRunning.push(((await lastRunning(watched, names.length, image, begun)) - begun) / 1_000);
      say(
        `without Lookout, round ${round + 1}: last pod running after ${floor.lastRunning.at(-1)?.toFixed(2) ?? ""} s`,
      );
    }
  } finally {
    watched.stop();
    await client.close();
  }
  return floor;
}

/** Returns the rows of the table. */
export function floorRows({ lastPatched, lastRunning: running }: Floor): readonly Row[] {
  return [
    rowOf("without Lookout: last patched", lastPatched, "s"),
    rowOf("without Lookout: last pod running", running, "s"),
  ];
}

/**
 * Returns the epoch ms at which a watch reported that the last of many Deployments runs an image.
 */
export async function lastRunning(watched: Watched, size: number, image: string, since: number): Promise<number> {
  return until(
    "all run",
    async () => {
      const runs = new Map<string, number>();
      for (const sight of watched.sights)
        if (sight.at >= since && sight.runs && sight.image.startsWith(image) && !runs.has(sight.name))
          runs.set(sight.name, sight.at);
      return runs.size === size ? Math.max(...runs.values()) : undefined;
    },
    patience,
  );
}

async function patchImage(
  { server, tokens }: ControlPlane,
  dispatcher: Agent,
  name: string,
  [from, to]: readonly [string, string],
): Promise<void> {
  const path = "/spec/template/spec/containers/0/image";
  const { statusCode, body } = await request(`${server}/apis/apps/v1/namespaces/default/deployments/${name}`, {
    dispatcher,
    method: "PATCH",
    headers: { authorization: `Bearer ${tokens.admin}`, "content-type": "application/json-patch+json" },
    body: JSON.stringify([
      { op: "test", path, value: from },
      { op: "replace", path, value: to },
      { op: "add", path: "/metadata/labels", value: { floor: to.split(":").at(-1) } },
    ]),
  });
  await body.dump();
  if (statusCode !== 200) throw new Error(`the API server answered ${statusCode} to the patch of ${name}`);
}
