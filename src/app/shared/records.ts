import { mayNamePattern, parseSettings, type WorkloadSettings } from "#domain/settings/settings";
import type { FreezeScope } from "#domain/gates/freezes";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { namespaceOf } from "#domain/workload/workload";
import type { Ports } from "./ports.ts";

/** Reads the records of all workloads that were ever tracked in the configured clusters. */
export async function allRecords(ports: Ports): Promise<readonly WorkloadRecord[]> {
  return recordsOf({}, ports);
}

/** Reads the records of all workloads that were ever tracked in a scope. */
export async function recordsOf(
  { cluster, namespace }: FreezeScope,
  { store, clusters }: Ports,
): Promise<readonly WorkloadRecord[]> {
  const names = clusters.names().filter((name) => cluster === undefined || name === cluster);
  const keys = (await Promise.all(names.map((name) => store.workloadIndex(name)))).flat();
  return store.readMany(keys.filter((key) => namespace === undefined || key.split("/")[1] === namespace));
}

/** Reads the settings of a record from its annotations. */
export async function settingsOf(
  { workload, observed: { annotations, containers } }: WorkloadRecord,
  { patterns, spending, rules: { defaults } }: Pick<Ports, "patterns" | "spending" | "rules">,
): Promise<WorkloadSettings> {
  const compile = mayNamePattern(annotations) ? await patterns.compiler() : undefined;
  const parse = () => parseSettings(annotations, containers, compile, defaults);
  if (JSON.stringify(annotations).length <= quicklyRead) return parse();
  return spending.paidBy([namespaceOf(workload)]).turn(parse);
}

/**
 * The number of characters of annotations that are parsed without waiting for a turn. Longer
 * annotations take up to 0.2 s.
 */
const quicklyRead = 10_000;

/** Returns records with their settings, in the same order. */
export async function withSettings(
  records: readonly WorkloadRecord[],
  ports: Ports,
): Promise<readonly RecordWithSettings[]> {
  return Promise.all(records.map(async (record) => ({ record, settings: await settingsOf(record, ports) })));
}

/** A record and its parsed settings. */
export interface RecordWithSettings {
  readonly record: WorkloadRecord;
  readonly settings: WorkloadSettings;
}
