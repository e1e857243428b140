import * as z from "zod/mini";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { Condition, ItemKey, Items, ItemWrite } from "#ports/items";
import type { SlotHolder, WorkloadStore } from "#ports/store";
import { clusterPartition, counterText, instantText } from "./keys.ts";
import { itemOf, type Kind, type Storage, valuesOf } from "./kind.ts";
import { count, instant, type Members, text } from "./shape.ts";

/** The kind of taken slots. */
export const slotKind: Kind<SlotHolder> = {
  name: "slot of a cluster",
  form: 1,
  shape: z.object({ slot: count, workload: text } satisfies Members<SlotHolder>),
  isAt: ({ slot }, { sk }) => sk.endsWith(`#${counterText(slot)}`),
  // Otherwise every update of the cluster would try to take this slot. No workload has an empty key.
  closed: ({ sk }) => ({ slot: Number(sk.split("#").at(-1)), workload: "" }),
};

/** A workload that waits for a slot. `since` is the start of its wait. */
interface Waiter {
  readonly namespace: string;
  readonly since: number;
  readonly workload: string;
}

/** The kind of waits for a slot. */
export const waiterKind: Kind<Waiter> = {
  name: "wait for a slot",
  form: 1,
  shape: z.object({ namespace: text, since: instant, workload: text } satisfies Members<Waiter>),
};

/** The partition of the slots of all clusters. The reaper finds the updates that hold a slot there. */
const slotPartition = "SLOTS";
const waiterPrefix = "READY#";

function slotKey(cluster: string, slot: number): ItemKey {
  return { pk: slotPartition, sk: `${cluster}#${counterText(slot)}` };
}

/** Returns the key of a waiting workload. Within a namespace, keys sort by the start of the wait. */
function waiterKey(cluster: string, { namespace, since, workload }: Waiter): ItemKey {
  return { pk: clusterPartition(cluster), sk: `${waiterPrefix}${namespace}#${instantText(since)}#${workload}` };
}

/**
 * Returns the writes that a record's {@link Effects.budget} needs. Those of slots come first, and
 * have a condition.
 */
export function budgetWrites({ workload: name, effects: { budget } }: WorkloadRecord): readonly ItemWrite[] {
  const { takes, frees, joins, leaves } = budget ?? {};
  const { cluster } = name;
  const workload = workloadKey(name);
  const waiter = (since: number): Waiter => ({ namespace: name.namespace, since, workload });
  const isFreeOrOwn = {
    kind: "any",
    of: [{ kind: "absent" }, { kind: "equals", mark: "workload", value: workload }],
  } as const satisfies Condition;
  const taken = (slot: number) => itemOf(slotKind, slotKey(cluster, slot), { slot, workload }, { marks: { workload } });
  const waiting = (since: number) => itemOf(waiterKind, waiterKey(cluster, waiter(since)), waiter(since));
  return [
    ...(takes === undefined ? [] : [{ kind: "put", item: taken(takes), if: isFreeOrOwn } as const]),
    ...(frees === undefined ? [] : [{ kind: "remove", key: slotKey(cluster, frees), if: isFreeOrOwn } as const]),
    ...(joins === undefined ? [] : [{ kind: "put", item: waiting(joins) } as const]),
    ...(leaves === undefined ? [] : [{ kind: "remove", key: waiterKey(cluster, waiter(leaves)) } as const]),
  ];
}

/** The slots of all clusters, and who waits for one. */
export interface BudgetStore extends Pick<WorkloadStore, "slots" | "waiters"> {
  /** Returns the holders of slots of all clusters, also of clusters that are no longer configured. */
  readonly slotHolders: () => Promise<readonly string[]>;
}

/** Returns the slots, which are written with the records that take and free them. */
export function storedBudget(storage: Storage): BudgetStore {
  const { items } = storage;
  const slotsOf = async (prefix: string, doing: string): Promise<readonly SlotHolder[]> =>
    valuesOf(slotKind, await items.query({ pk: slotPartition, prefix }, doing), storage);
  return {
    slots: (cluster) => slotsOf(`${cluster}#`, `listing the slots of ${cluster}`),
    slotHolders: async () =>
      (await slotsOf("", "listing the holders of slots")).flatMap(({ workload }) =>
        workload === "" ? [] : [workload],
      ),
    waiters: async (cluster, perNamespace) => {
      const found: Waiter[] = [];
      const counts = new Map<string, number>();
      for (let after = waiterPrefix; ;) {
        const page = await waitersAfter(items, cluster, after);
        for (const item of page) {
          const namespace = namespaceIn(item);
          const others = counts.get(namespace) ?? 0;
          // After thousands of released updates, most rows are more than is asked for, so they are not parsed.
          if (others >= perNamespace) continue;
          const waiters = valuesOf(waiterKind, [item], storage);
          found.push(...waiters);
          counts.set(namespace, others + waiters.length);
        }
        const last = page.at(-1);
        if (last === undefined || page.length < waitersPerPage)
          return found.sort(byWait).map(({ workload }) => workload);
        const namespace = namespaceIn(last);
        const isFull = (counts.get(namespace) ?? 0) >= perNamespace;
        after = isFull ? `${waiterPrefix}${namespace}#${afterInstants}` : last.sk;
      }
    },
  };
}

const waitersPerPage = 100;
/** A text that sorts after every instant. */
const afterInstants = "~";

/** Returns the namespace in the key of a wait. */
function namespaceIn({ sk }: ItemKey): string {
  return sk.split("#")[1] ?? "";
}

function waitersAfter(items: Items, cluster: string, after: string) {
  const query = { pk: clusterPartition(cluster), prefix: waiterPrefix, after, limit: waitersPerPage };
  return items.query(query, `listing the workloads that wait for a slot of ${cluster}`);
}

function byWait(one: Waiter, other: Waiter): number {
  return one.since - other.since || (one.workload < other.workload ? -1 : 1);
}
