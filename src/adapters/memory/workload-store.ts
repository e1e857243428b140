import { same } from "#domain/same";
import { randomInt } from "node:crypto";
import type { EpochMs } from "#domain/time";
import type { WorkloadRecord } from "#domain/update";
import { workloadKey } from "#domain/workload";
import type { RepositoryName } from "#ports/registry";
import type { RepositoryState } from "#ports/repositories";
import type { Change, Changes, SlotHolder, SubscriberPage, WorkloadStore, WriteOutcome } from "#ports/store";
import { copyOf } from "./copy.ts";
import { type Faulty, faults } from "./faults.ts";

/** What the stores and the changes of one installation share; lost with the process. */
export interface MemoryTable {
  installation: string;
  readonly records: Map<string, WorkloadRecord>;
  /** Keys of workloads by the text of a repository. */
  readonly subscribers: Map<string, ReadonlySet<string>>;
  /** What sweeps found, by the text of a repository. */
  readonly repositories: Map<string, RepositoryState>;
  readonly changes: Map<string, Change>;
  /** Which workload has which slot, by cluster. */
  readonly slots: Map<string, Map<number, string>>;
  /** Who waits for a slot since when, by cluster. */
  readonly waiting: Map<string, Set<string>>;
  readonly onWrite: (() => void)[];
}

/** An empty table. The name of the installation is made up when it is not given. */
export function memoryTable(installation = sixCharacters()): MemoryTable {
  return {
    installation,
    records: new Map(),
    subscribers: new Map(),
    repositories: new Map(),
    changes: new Map(),
    slots: new Map(),
    waiting: new Map(),
    onWrite: [],
  };
}

/** The records of all workloads, in memory. Nothing that is handed in or out is shared with a caller. */
export function memoryWorkloadStore(table: MemoryTable): WorkloadStore & Faulty {
  const { around, failNext } = faults();
  const { records } = table;
  return {
    failNext,
    installation: () => around(() => table.installation),
    readInstallation: () => around(() => table.installation),
    adoptInstallation: (name) =>
      around(() => {
        table.installation = name;
      }),
    restore: async (record) => {
      const copy = copyOf(record);
      return around(() => write(table, copy, 0));
    },
    read: (key) => around(() => records.get(key)),
    readMany: (keys) => around(() => [...new Set(keys)].flatMap((key) => records.get(key) ?? [])),
    write: async (record) => {
      const copy = copyOf(record);
      return around(() => write(table, copy, copy.version - 1));
    },
    roster: (cluster) =>
      around(() =>
        [...records]
          .filter(([, { workload }]) => workload.cluster === cluster)
          .map(([key]) => key)
          .sort(),
      ),
    slots: (cluster) => around(() => slotsOf(table, cluster)),
    waiters: (cluster, limit) => around(() => waitersOf(table, cluster).slice(0, limit)),
    due: (before, limit) => around(() => due(table, before, limit)),
    subscribe: (workload, repositories) =>
      around(() => {
        subscribe(table, workloadKey(workload), new Set(repositories.map(repositoryText)));
        for (const name of repositories) enter(table, name);
      }),
    subscribers: (name, limit, after) =>
      around(() => subscribers(table.subscribers.get(repositoryText(name)) ?? new Set(), limit, after)),
  };
}

/** The changes that the stores of a table have written and nobody has handled. */
export function memoryChanges(table: MemoryTable): Changes & Faulty {
  const { around, failNext } = faults();
  return {
    failNext,
    take: (limit) => around(() => [...table.changes.values()].slice(0, limit)),
    done: (changes) =>
      around(() => {
        for (const { id } of changes) table.changes.delete(id);
      }),
    onWrite(callback) {
      table.onWrite.push(callback);
    },
  };
}

/** `on`: the version that has to be stored; 0: none. */
function write(table: MemoryTable, record: WorkloadRecord, on: number): WriteOutcome {
  const key = workloadKey(record.workload);
  const stored = table.records.get(key);
  if (same(stored, record)) return { kind: "written" };
  if ((stored?.version ?? 0) !== on) return { kind: "conflict" };
  const slots = table.slots.get(record.workload.cluster) ?? new Map<number, string>();
  const { takes, frees } = record.budget ?? {};
  const isOfAnother = (slot: number | undefined): boolean => slot !== undefined && (slots.get(slot) ?? key) !== key;
  if (isOfAnother(takes) || isOfAnother(frees)) return { kind: "slot-taken" };
  const id = `${key}#${record.version}`;
  table.records.set(key, record);
  table.changes.set(id, { id, record });
  moveBudget(table, record, slots);
  for (const callback of table.onWrite) callback();
  return { kind: "written" };
}

function moveBudget(table: MemoryTable, { workload, budget }: WorkloadRecord, slots: Map<number, string>): void {
  const key = workloadKey(workload);
  const waiting = table.waiting.get(workload.cluster) ?? new Set<string>();
  const waiter = (since: number): string => `${String(since).padStart(15, "0")}#${key}`;
  const { takes, frees, joins, leaves } = budget ?? {};
  if (takes !== undefined) slots.set(takes, key);
  if (frees !== undefined) slots.delete(frees);
  if (joins !== undefined) waiting.add(waiter(joins));
  if (leaves !== undefined) waiting.delete(waiter(leaves));
  table.slots.set(workload.cluster, slots);
  table.waiting.set(workload.cluster, waiting);
}

function slotsOf({ slots }: MemoryTable, cluster: string): readonly SlotHolder[] {
  const taken = [...(slots.get(cluster) ?? [])].map(([slot, workload]) => ({ slot, workload }));
  return taken.sort((one, other) => one.slot - other.slot);
}

function waitersOf({ waiting }: MemoryTable, cluster: string): readonly string[] {
  return [...(waiting.get(cluster) ?? [])].sort().map((waiter) => waiter.slice(waiter.indexOf("#") + 1));
}

function due({ records }: MemoryTable, before: EpochMs, limit: number): readonly string[] {
  return [...records]
    .flatMap(([key, { dueAt, uid }]) => (dueAt === undefined || dueAt > before ? [] : [{ key, dueAt, uid }]))
    .sort((one, other) => one.dueAt - other.dueAt || inOrder(one.uid, other.uid))
    .slice(0, limit)
    .map(({ key }) => key);
}

function subscribers(all: ReadonlySet<string>, limit: number, after: string | undefined): SubscriberPage {
  const rest = [...all].sort().filter((key) => after === undefined || key > after);
  const workloads = rest.slice(0, limit);
  const last = workloads.at(-1);
  return rest.length > limit && last !== undefined ? { workloads, next: last } : { workloads };
}

function subscribe(table: MemoryTable, key: string, wanted: ReadonlySet<string>): void {
  for (const repository of new Set([...table.subscribers.keys(), ...wanted])) {
    const others = [...(table.subscribers.get(repository) ?? [])].filter((subscriber) => subscriber !== key);
    table.subscribers.set(repository, new Set(wanted.has(repository) ? [...others, key] : others));
  }
}

function enter({ repositories }: MemoryTable, name: RepositoryName): void {
  const { registry, repository } = name;
  const text = repositoryText(name);
  if (!repositories.has(text)) repositories.set(text, { registry, repository, missed: 0 });
}

/** Writes a repository as one text: `docker.io/library/nginx`. */
export const repositoryText = ({ registry, repository }: RepositoryName): string => `${registry}/${repository}`;

const inOrder = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const sixCharacters = (): string =>
  randomInt(36 ** 6)
    .toString(36)
    .padStart(6, "0");
