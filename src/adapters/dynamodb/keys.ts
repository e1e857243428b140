import { createHash } from "node:crypto";
import { tableShape } from "#contracts/aws/table";
import { repositoryKey } from "#domain/image/reference";
import type { EpochMs } from "#domain/shared/time";
import type { RepositoryName } from "#ports/registry";

/** Where an item lies in the table. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

/** Where a record lies in the sparse index of what is due. */
export interface DueKey {
  readonly duePk: string;
  readonly dueSk: string;
}

/** How many partitions the due index is spread over. */
export const duePartitions = 16;

const workloadPrefix = "WORKLOAD#";
const ledgerPrefix = "LOG#";
const quarantinePrefix = "ALL#";

// Sort keys compare as text: instants have 15 digits (to the year 33658), counters 12.
const instant = (at: number): string => String(Math.max(0, Math.trunc(at))).padStart(15, "0");
const counter = (value: number): string => String(value).padStart(12, "0");

/** Where the record of a workload lies. */
export const recordKey = (workload: string): ItemKey => ({
  pk: `${workloadPrefix}${workload}`,
  sk: tableShape.recordSortKey,
});

/** Answers whether the item of a key is a record. */
export const isRecordKey = ({ pk, sk }: Readonly<Record<string, unknown>>): boolean =>
  sk === "WORKLOAD" && typeof pk === "string" && pk.startsWith(workloadPrefix);

/** Reads the workload's key back from the partition of its record, or from the sort key of a row of the workload index or of a subscriber. */
export const workloadOf = (text: string): string =>
  text.startsWith(workloadPrefix) ? text.slice(workloadPrefix.length) : text;

/** Where it is written which repositories a workload is subscribed to. */
export const subscriptionsKey = (workload: string): ItemKey => ({
  pk: `${workloadPrefix}${workload}`,
  sk: "SUBSCRIPTIONS",
});

/** Where the state of a cluster lies. */
export const clusterKey = (cluster: string): ItemKey => ({ pk: `CLUSTER#${cluster}`, sk: "CLUSTER" });

/** The key of a row of the workload index: there is no Scan, so each cluster lists its workloads. */
export const workloadIndexKey = (cluster: string, workload: string): ItemKey => ({
  pk: `CLUSTER#${cluster}`,
  sk: `${workloadPrefix}${workload}`,
});

/** The partition of the slots that are taken, of all clusters: the reaper finds there which updates are on their way. */
export const slotPartition = "SLOTS";

/** What the sort keys of a cluster's taken slots begin with. */
export const slotPrefix = (cluster: string): string => `${cluster}#`;

/** Where a slot of a cluster's budget lies while it is taken. */
export const slotKey = (cluster: string, slot: number): ItemKey => ({
  pk: slotPartition,
  sk: `${slotPrefix(cluster)}${counter(slot)}`,
});

/** What the sort keys of those begin with who wait for a slot. */
export const waiterPrefix = "READY#";

/** Where a workload waits for a slot; who waits longest comes first. */
export const waiterKey = (cluster: string, since: number, workload: string): ItemKey => ({
  pk: `CLUSTER#${cluster}`,
  sk: `${waiterPrefix}${instant(since)}#${workload}`,
});

/** The beginning of the sort keys of rows of the workload index. */
export const workloadIndexPrefix = workloadPrefix;

/**
 * Where a row of the ledger lies.
 *
 * The version comes first: it alone tells the order of time, since one version may end an update and begin the next,
 * and what happened to the workload itself (seq 0) may come after any update.
 */
export const ledgerKey = (workload: string, version: number, seq: number): ItemKey => ({
  pk: `${workloadPrefix}${workload}`,
  sk: `${ledgerPrefix}${counter(version)}#${counter(seq)}`,
});

/** What the sort keys of ledger rows begin with. */
export const ledgerRowPrefix = ledgerPrefix;

/** Where a subscriber of a repository lies; the sort key is the workload's key itself. */
export const subscriberKey = (repository: string, workload: string): ItemKey => ({
  pk: `SUBSCRIBERS#${repository}`,
  sk: workload,
});

/** Where it is listed that anyone is subscribed to a repository, with what sweeps of it found. */
export const repositoryStateKey = (repository: string): ItemKey => ({ pk: "REPOSITORIES", sk: repository });

/** Where the marker of a burst of pushes lies. */
export const burstKey = (name: RepositoryName): ItemKey => ({ pk: `REPOSITORY#${repositoryKey(name)}`, sk: "BURST" });

const tagsPartition = (name: RepositoryName): string => `TAGS#${repositoryKey(name)}`;

/** What the sort keys of tags that moved begin with. */
export const tagPrefix = "TAG#";

/** Where it is remembered when a tag moved. */
export const tagKey = (name: RepositoryName, tag: string): ItemKey => ({
  pk: tagsPartition(name),
  sk: `${tagPrefix}${tag}`,
});

/** Reads the tag back from its sort key. */
export const tagOf = (sk: string): string => sk.slice(tagPrefix.length);

/** Where the tags of a repository lie that were listed before. */
export const listedTagsKey = (name: RepositoryName): ItemKey => ({ pk: tagsPartition(name), sk: "KNOWN" });

/** Where the quarantine of a digest lies; it holds for all clusters. */
export const quarantineKey = (digest: string): ItemKey => ({ pk: "QUARANTINE", sk: `${quarantinePrefix}${digest}` });

/** Where the freeze of a scope lies. */
export const freezeKey = (scope: string): ItemKey => ({ pk: "FREEZE", sk: scope });

/** Where it is written that a cluster was registered. */
export const registrationKey = (cluster: string): ItemKey => ({ pk: "CLUSTERS", sk: cluster });

/** Where it is remembered that a synthetic push arrived. */
export const probeKey = (id: string): ItemKey => ({ pk: "DOCTOR", sk: `PROBE#${id}` });

/** Where the six characters of the installation lie. */
export const installationKey: ItemKey = { pk: "INSTALLATION", sk: "INSTALLATION" };

/** Says in which of the partitions of the due index a record lies. */
export const dueShard = (uid: string): number =>
  createHash("sha256").update(uid).digest().readUInt32BE() % duePartitions;

/** Names a partition of the due index. */
export const duePartition = (shard: number): string => `DUE#${String(shard).padStart(2, "0")}`;

/** Where a record lies in the due index. */
export const dueKey = (uid: string, dueAt: EpochMs): DueKey => ({
  duePk: duePartition(dueShard(uid)),
  dueSk: `${instant(dueAt)}#${uid}`,
});

/** The first sort key of the due index that is later than the instant. */
export const dueAfter = (at: EpochMs): string => instant(at + 1);
