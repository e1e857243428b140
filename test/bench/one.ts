import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../cluster/bed/until.ts";
import type { Stage } from "../cluster/stage.ts";
import { patchesSince } from "./audit.ts";
import { type Row, rowOf } from "./figures.ts";
import { preparePushes } from "./pushes.ts";
import { type Sight, watchDeployments } from "./watched.ts";

/** The times of one push, in milliseconds since Lookout received the webhook. */
export interface Passage {
  /** The epoch ms at which Lookout received the webhook, from Lookout's fact. */
  readonly detectedAt: number;
  /** The time at which the registry received the manifest. It is negative. */
  readonly pushed: number;
  /** The time of the API server's response to the patch, from the audit log. */
  readonly patched: number;
  /** The time at which another watch of the API server showed the new image in all pods. */
  readonly runningSeen: number;
  /** The instant of the fact WorkloadRunning. */
  readonly running: number;
}

/** The number of pushes, and of the first pushes that do not count as warm. */
export interface Pushing {
  readonly counted: number;
  readonly warmUp: number;
  /** The number of the run on a stage. Later runs have higher tags. */
  readonly series: number;
}

const workload = "default/api";
const between = 500;

/**
 * Pushes to the repository of the workload `api`, one update after the other. Returns the times of
 * each push.
 */
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
  if (detectedAt < pushedAt) throw new Error(`update ${seq} existed before the push of ${tag}`);
  const [patch] = (await patchesSince(plane.auditLog, detectedAt)).filter(
    ({ workload: name, status }) => name === "api" && status === 200,
  );
  if (patch === undefined) throw new Error(`the audit log has no patch for ${tag}`);
  const mine = (sight: Sight): boolean => sight.image.includes(`:${tag}@`);
  const runs = await until("the watch shows the new image in all pods", async () =>
    sights.find((one) => mine(one) && one.runs),
  );
  return {
    detectedAt,
    pushed: pushedAt - detectedAt,
    patched: patch.answeredAt - detectedAt,
    runningSeen: runs.at - detectedAt,
    running: Date.parse(running.at) - detectedAt,
  };
}

/** Returns the rows of a table from the counted pushes. A fresh process adds its first push. */
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
