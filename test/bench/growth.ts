import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pLimit from "p-limit";
import { memoryMetrics } from "#adapters/memory/metrics";
import { publishChanges } from "#app/notify/state-changed";
import type { Ports } from "#app/shared/ports";
import { plus, seconds } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import { openStateFolder } from "#runtime/local/state-folder";
import { type StatePorts, statePorts } from "#runtime/local/state";
import { deployment, firstRecord, nextRecord } from "#test/contracts/records";
import { type Row, rowOf, spreadOf } from "./figures.ts";

const workloads = 20;
const probes = 200;
const atOnce = 10;
const looks = 4;

type Probe = Readonly<Record<"read" | "write" | "handOn", readonly number[]>>;

/**
 * Writes records into a new state file and publishes the changes, as the process does. Times the
 * same write before and after.
 */
export async function measureGrowth(moves: number, say: (text: string) => void): Promise<readonly Row[]> {
  const dir = await mkdtemp(join(tmpdir(), "lookout-growth-"));
  const folder = await openStateFolder(dir);
  const ports = statePorts(folder.database);
  try {
    const records = new Map<string, WorkloadRecord>();
    for (let number = 0; number < workloads; number += 1) {
      const record = firstRecord(deployment(`app-${number}`));
      await ports.store.write(record);
      records.set(workloadKey(record.workload), record);
    }
    await handOn(ports);
    await probe(ports, records);
    const start = await probe(ports, records);
    let end = start;
    for (let look = 1; look <= looks; look += 1) {
      await moveAll(ports, records, moves / looks / workloads);
      end = await probe(ports, records);
      say(`after ${(moves * look) / looks} moves: a write takes ${spreadOf(end.write).median.toFixed(2)} ms`);
    }
    return growthRows(start, end, moves);
  } finally {
    await folder.release();
    await rm(dir, { recursive: true, force: true });
  }
}

function growthRows(start: Probe, end: Probe, moves: number): readonly Row[] {
  const kinds = [
    ["write", "write of a record"],
    ["handOn", "publishing a change"],
    ["read", "read of a record"],
  ] as const;
  const after = `after ${moves.toLocaleString("en")} moves`;
  return kinds.flatMap(([kind, what]) => [
    rowOf(`${what}: ${after}`, end[kind]),
    rowOf(`${what}: ratio to the start`, [spreadOf(end[kind]).median / spreadOf(start[kind]).median], "×"),
  ]);
}

/** Measures moves of one workload, one after the other. */
async function probe(ports: StatePorts, records: Map<string, WorkloadRecord>): Promise<Probe> {
  const [key = ""] = records.keys();
  const times = { read: [] as number[], write: [] as number[], handOn: [] as number[] };
  for (let number = 0; number < probes; number += 1) {
    times.read.push(await timed(() => ports.store.read(key)));
    times.write.push(await timed(() => move(ports, records, key)));
    times.handOn.push(await timed(() => handOn(ports)));
  }
  return times;
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

async function moveAll(ports: StatePorts, records: Map<string, WorkloadRecord>, times: number): Promise<void> {
  const limit = pLimit(atOnce);
  for (let time = 0; time < times; time += 1) {
    await limit.map(records.keys(), (key) => move(ports, records, key));
    await handOn(ports);
  }
}

async function move({ store }: StatePorts, records: Map<string, WorkloadRecord>, key: string): Promise<void> {
  const record = records.get(key);
  if (record === undefined) throw new Error(`${key} is not among the records`);
  const next = nextRecord(record, {
    changedAt: plus(record.changedAt, seconds(1)),
    effects: { dueAt: plus(record.changedAt, seconds(61)) },
    transitions: [
      { seq: record.version, what: "observed", reasons: [], changes: [], detail: "a move of the benchmark" },
    ],
  });
  const outcome = await store.write(next);
  if (outcome.kind !== "written") throw new Error(`version ${next.version} of ${key} met a conflict`);
  records.set(key, next);
}

async function handOn(state: StatePorts): Promise<void> {
  const { changes } = state;
  const bus = { publish: () => Promise.resolve() };
  for (let taken = await changes.take(100); taken.length > 0; taken = await changes.take(100)) {
    await publishChanges(taken, { ...state, bus, metrics: memoryMetrics() } as unknown as Ports);
    await changes.done(taken);
  }
}
