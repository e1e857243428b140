import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../cluster/bed/until.ts";
import type { Stage } from "../cluster/stage.ts";
import { patchesSince } from "./audit.ts";
import { type Row, rowOf } from "./figures.ts";
import { preparePushes } from "./pushes.ts";
import { type Sight, watchDeployments } from "./watched.ts";

/** One push as everyone saw it, in milliseconds since Lookout had the webhook. */
export interface Passage {
  /** When Lookout had the webhook: epoch ms, of its own fact. */
  readonly detectedAt: number;
  /** Negative: when the registry was sent the manifest. */
  readonly pushed: number;
  /** When the API server had answered the patch, by its audit log. */
  readonly patched: number;
  /** When another watcher of the API server was told that all pods run the new image. */
  readonly runningSeen: number;
  /** The instant of the fact WorkloadRunning. */
  readonly running: number;
}

/** How often is pushed, and what is not counted: the first pushes find code that never ran. */
export interface Pushing {
  readonly counted: number;
  readonly warmUp: number;
  /** Tells the runs of one stage apart; the tags of a later one are higher. */
  readonly series: number;
}

const workload = "default/api";
const between = 500;

/** Pushes to the repository of the workload `api`, one update after the other, and answers how long each took. */
export async function pushOneByOne(
  stage: Stage,
  { counted, warmUp, series }: Pushing,
  say: (text: string) => void,
): Promise<readonly Passage[]> {
  const prepared = await preparePushes(stage.registry, "shop/api", series, counted + warmUp);
  const watched = await watchDeployments(stage.plane, "api");
  await sleep(3_000);
  const before = Math.max(0, ...stage.lookout.of(workload).map(({ seq }) => seq));
  const passages: Passage[] = [];
  try {
    for (let number = 1; number <= counted + warmUp; number += 1) {
      const tag = `1.${100 * series + number}.0`;
      const pushedAt = await prepared.push(tag);
      const passage = await passageOf(stage, tag, before + number, pushedAt, watched.sights);
      say(`push ${number} of ${counted + warmUp}: patched after ${passage.patched.toFixed(1)} ms`);
      passages.push(passage);
      await sleep(between);
    }
  } finally {
    watched.stop();
  }
  return passages;
}

async function passageOf(
  { lookout, plane }: Stage,
  tag: string,
  seq: number,
  pushedAt: number,
  sights: readonly Sight[],
): Promise<Passage> {
  await lookout.fact("RolloutSucceeded", workload, seq);
  const running = await lookout.fact("WorkloadRunning", workload, seq);
  const detectedAt = Date.parse(running.detectedAt ?? "");
  if (detectedAt < pushedAt) throw new Error(`update ${seq} was there before ${tag} was pushed`);
  const [patch] = (await patchesSince(plane.auditLog, detectedAt)).filter(
    ({ workload: name, status }) => name === "api" && status === 200,
  );
  if (patch === undefined) throw new Error(`the audit log has no patch for ${tag}`);
  const mine = (sight: Sight): boolean => sight.image.includes(`:${tag}@`);
  const runs = await until("the watch tells that it runs", async () => sights.find((one) => mine(one) && one.runs));
  return {
    detectedAt,
    pushed: pushedAt - detectedAt,
    patched: patch.answeredAt - detectedAt,
    runningSeen: runs.at - detectedAt,
    running: Date.parse(running.at) - detectedAt,
  };
}

/** Writes the rows of a table from the passages that count; of a process that just started also the very first. */
export function rowsOf(passages: readonly Passage[], warmUp: number, fresh: boolean): readonly Row[] {
  const counted = passages.slice(warmUp);
  const [first] = passages;
  const row = (to: string, pick: (passage: Passage) => number): Row => rowOf(to, counted.map(pick));
  return [
    row("webhook → patched (audit log)", ({ patched }) => patched),
    row("webhook → all pods run (a watch)", ({ runningSeen }) => runningSeen),
    row("webhook → running (WorkloadRunning)", ({ running }) => running),
    row("registry's PUT → patched (audit log)", ({ patched, pushed }) => patched - pushed),
    ...(first === undefined || !fresh ? [] : [rowOf("webhook → patched, first push after the start", [first.patched])]),
  ];
}
