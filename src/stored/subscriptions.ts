import * as z from "zod/mini";
import { imageNameOf } from "#domain/image/reference";
import { workloadKey } from "#domain/workload/workload";
import { TransientError } from "#ports/errors";
import { type ItemKey, type Items, type ItemWrite, mostWrites } from "#ports/items";
import type { WorkloadStore } from "#ports/store";
import { workloadPartition } from "./keys.ts";
import { itemOf, type Kind, type Storage, valueOf } from "./kind.ts";
import { count, type Members, texts } from "./shape.ts";
import { enterRepositories } from "./repositories.ts";

/** The repositories of one workload. */
interface Subscriptions {
  /** The number of times that this list was written. Zero means that no list is stored. */
  readonly revision: number;
  readonly repositories: readonly string[];
}

/** The kind of lists of subscriptions. */
export const subscriptionListKind: Kind<Subscriptions> = {
  name: "list of subscriptions",
  form: 1,
  shape: z.object({ revision: count, repositories: texts } satisfies Members<Subscriptions>),
};
/** The kind of subscriptions. */
export const subscriptionKind: Kind<object> = { name: "subscription", form: 1, shape: z.object({}) };

function listKey(workload: string): ItemKey {
  return { pk: workloadPartition(workload), sk: "SUBSCRIPTIONS" };
}

function rowKey(imageName: string, workload: string): ItemKey {
  return { pk: `SUBSCRIBERS#${imageName}`, sk: workload };
}

/** One write of a transaction is the list itself. */
const changesPerTransaction = mostWrites - 1;
const rounds = 20;

/** Returns the subscriptions: a list for each workload, and a row for each of its repositories. */
export function storedSubscriptions({ items }: Storage): Pick<WorkloadStore, "subscribe" | "subscribers"> {
  return {
    // The list of repositories is written last. A sweep that removes a repository from this list then
    // reads the subscribers again, and finds the new subscriber.
    async subscribe(workload, repositories) {
      await changeUntilSo(items, workloadKey(workload), new Set(repositories.map(imageNameOf)));
      await enterRepositories(items, repositories);
    },
    // Reads one more row than it returns, to know whether there is a next page.
    async subscribers(name, limit, after) {
      const imageName = imageNameOf(name);
      const query = { pk: rowKey(imageName, "").pk, limit: limit + 1, ...(after !== undefined && { after }) };
      const found = await items.sortKeys(query, `listing the subscribers of ${imageName}`);
      const workloads = found.slice(0, limit);
      const last = workloads.at(-1);
      return found.length > limit && last !== undefined ? { workloads, next: last } : { workloads };
    },
  };
}

/** Changes the list and the rows together, 99 rows at a time. */
async function changeUntilSo(items: Items, workload: string, wanted: ReadonlySet<string>): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const item = await items.get(listKey(workload), `reading the subscriptions of ${workload}`);
    const stored = item === undefined ? { revision: 0, repositories: [] } : valueOf(subscriptionListKind, item);
    const had = new Set(stored.repositories);
    const changed = [...had.symmetricDifference(wanted)].slice(0, changesPerTransaction);
    if (changed.length === 0) return;
    await items.write(writesOf(workload, stored, changed), `subscribing ${workload}`);
  }
  throw new TransientError(`other functions changed the subscriptions of ${workload} ${rounds} times: try again`);
}

function writesOf(workload: string, stored: Subscriptions, changed: readonly string[]): readonly ItemWrite[] {
  const had = new Set(stored.repositories);
  const repositories = [...had.symmetricDifference(new Set(changed))].sort();
  const revision = stored.revision + 1;
  const list = itemOf(subscriptionListKind, listKey(workload), { revision, repositories }, { marks: { revision } });
  const unchanged =
    stored.revision === 0
      ? ({ kind: "absent" } as const)
      : ({ kind: "equals", mark: "revision", value: stored.revision } as const);
  return [
    { kind: "put", item: list, if: unchanged },
    ...changed.map((imageName): ItemWrite => {
      const key = rowKey(imageName, workload);
      return had.has(imageName) ? { kind: "remove", key } : { kind: "put", item: itemOf(subscriptionKind, key, {}) };
    }),
  ];
}
