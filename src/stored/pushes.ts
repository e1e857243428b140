import pLimit from "p-limit";
import * as z from "zod/mini";
import type { PushStep } from "#domain/history/push-step";
import { sha256 } from "#domain/shared/sha256";
import { compareTexts } from "#domain/shared/text-order";
import { plus } from "#domain/shared/time";
import { endings } from "#domain/update/state/workload";
import { keptInHistory } from "#ports/history";
import type { ItemKey } from "#ports/items";
import type { Pushes } from "#ports/pushes";
import { historyImage } from "./history.ts";
import { isSameKey } from "./keys.ts";
import { itemOf, type Kind, type Storage, valuesOf } from "./kind.ts";
import { instant, keyText, list, maybe, type Members, number } from "./shape.ts";
import { putIf } from "./writes.ts";

/** The kind of what a push led to in a workload. */
export const pushStepKind: Kind<PushStep> = {
  name: "step after a push",
  form: 1,
  shape: z.object({
    push: keyText(900),
    workload: keyText(800),
    seq: number,
    version: number,
    selectedAt: instant,
    ended: maybe(z.enum(endings)),
    endedAt: maybe(instant),
    images: list(historyImage),
  } satisfies Members<PushStep>),
  isAt: (step, key) => isSameKey(pushStepKey(step), key),
};

/** A push of a base image may lead to thousands of updates, and a partition takes 1,000 writes a second. */
const shards = 8;
const putsAtOnce = 8;

/** Returns the key of a step. */
export function pushStepKey({ push, workload }: Pick<PushStep, "push" | "workload">): ItemKey {
  const shard = Number.parseInt(sha256(workload).slice(0, 2), 16) % shards;
  return { pk: partitionOf(push, shard), sk: workload };
}

function partitionOf(push: string, shard: number): string {
  return `PUSH#${push}#${shard}`;
}

/** Returns the partitions of what a push led to. */
export function pushPartitions(push: string): readonly string[] {
  return Array.from({ length: shards }, (_, shard) => partitionOf(push, shard));
}

/** Returns what pushes led to. */
export function storedPushes(storage: Storage): Pushes {
  const { items } = storage;
  return {
    async note(steps) {
      await pLimit(putsAtOnce).map(steps, (step) => {
        const item = itemOf(pushStepKind, pushStepKey(step), step, {
          marks: { version: step.version },
          expiresAt: plus(step.endedAt ?? step.selectedAt, keptInHistory),
        });
        const isNewer = { kind: "at-most", mark: "version", value: step.version - 1 } as const;
        const condition = { kind: "any", of: [{ kind: "absent" }, isNewer] } as const;
        return putIf(items, item, condition, `storing what the push ${step.push} led to in ${step.workload}`);
      });
    },
    async missing(steps) {
      const found = await items.getMany(steps.map(pushStepKey), "looking for steps after pushes");
      const stored = valuesOf(pushStepKind, found, storage);
      const isStored = (step: PushStep) =>
        stored.some((one) => isSameKey(pushStepKey(one), pushStepKey(step)) && one.version >= step.version);
      return steps.filter((step) => !isStored(step));
    },
    async stepsOf(push) {
      const doing = `listing what the push ${push} led to`;
      const found = await Promise.all(pushPartitions(push).map((pk) => items.query({ pk }, doing)));
      const steps = valuesOf(pushStepKind, found.flat(), storage);
      return steps.toSorted((one, other) => compareTexts(one.workload, other.workload));
    },
  };
}
