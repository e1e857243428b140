import { tableShape } from "#contracts/aws/table";
import type { Item } from "#ports/items";
import type { StoredItems, SurveyedItem } from "#ports/stored-items";
import { epochMs, type EpochMs, hours, plus } from "#domain/shared/time";
import { keptInHistory } from "#ports/history";
import { definitionPartition } from "./definitions.ts";
import { digestPartition, runsPartition, storedDigests } from "./digests.ts";
import { historyPartition, monthsBack, storedHistory } from "./history.ts";
import { pushPartitions } from "./pushes.ts";
import { clusterPartition, workloadPartition } from "./keys.ts";
import { newestRead, reading, type Storage } from "./kind.ts";
import { kindForms, kinds, kindsIn, type KindRow } from "./kinds.ts";
import { recordKind } from "./records.ts";
import { tierPartition } from "./tier-members.ts";

/** Returns the survey of all kinds. It finds the partitions by their lists, and scans no table. */
export function storedSurvey({ items }: Pick<Storage, "items">): StoredItems {
  const storage = { items, onUnreadable: () => undefined };
  const sortKeys = (pk: string, prefix = ""): Promise<readonly string[]> =>
    items.sortKeys({ pk, prefix }, `listing the items of ${pk}`);
  return {
    kinds: kindForms,
    async partitions(clusters, now) {
      const [synced, registered, images] = await Promise.all([
        sortKeys("CLUSTER-STATES"),
        sortKeys("CLUSTERS"),
        sortKeys("REPOSITORIES"),
      ]);
      const ofClusters = [...clusters, ...synced, ...registered].map(clusterPartition);
      const fleets = [...new Set([...clusters, ...synced, ...registered])].map((cluster) => `FLEET#${cluster}`);
      const workloads = await Promise.all([...new Set(ofClusters)].map((pk) => sortKeys(pk, workloadPartition(""))));
      const ofImages = images.flatMap((name) => [`TAGS#${name}`, `SUBSCRIBERS#${name}`, `REGISTRY#${hostOf(name)}`]);
      const names = [...new Set([...clusters, ...synced, ...registered])];
      const [derived, tiers] = await Promise.all([
        derivedPartitions(names, now, storage),
        tierPartitions(workloads.flat(), storage),
      ]);
      const single = kinds.flatMap(({ pk }) => (pk.endsWith("#") ? [] : [pk]));
      return [
        ...new Set([...single, ...ofClusters, ...fleets, ...workloads.flat(), ...ofImages, ...derived, ...tiers]),
      ].sort();
    },
    async survey(pk) {
      const found = await Promise.all(
        kindsIn(pk).map(async (row) => {
          const { prefix, newest } = row;
          const newestOnly = newest === undefined ? {} : { limit: newest, newestFirst: true };
          const all = await items.query(
            { pk, prefix, ...newestOnly },
            `reading the forms of ${row.kind.name} in ${pk}`,
          );
          return { forms: formsOf(row, all), unreadable: all.flatMap((item) => unreadable(row, item)) };
        }),
      );
      return {
        forms: found.flatMap(({ forms }) => forms),
        unreadable: found.flatMap((one) => one.unreadable),
      };
    },
  };
}

/** Returns the partitions of running images, of the history, and of the digests and pushes that they name. */
async function derivedPartitions(
  clusters: readonly string[],
  now: EpochMs,
  storage: Storage,
): Promise<readonly string[]> {
  const history = storedHistory(storage);
  const digests = storedDigests(storage);
  const part = { since: epochMs(Math.max(0, now - keptInHistory)), until: plus(now, hours(24)), limit: newestRows };
  const [{ rows }, ...present] = await Promise.all([
    history.read(part),
    ...clusters.map((name) => digests.present(name)),
  ]);
  const ofRows = rows.flatMap(({ row }) => row.images.map((image) => image.digest));
  const ofRuns = present.flat().flatMap(({ digest }) => digest ?? []);
  const pushes = rows.flatMap(({ row }) => row.correlationId ?? []);
  return [
    ...clusters.flatMap((name) => [runsPartition(name), definitionPartition(name)]),
    ...monthsBack(part.until, part.since).map(historyPartition),
    ...[...ofRows, ...ofRuns].map(digestPartition),
    ...pushes.flatMap(pushPartitions),
  ];
}

/** Returns the partitions of the groups of tiers that records name. */
async function tierPartitions(workloads: readonly string[], { items }: Storage): Promise<readonly string[]> {
  const keys = workloads.map((pk) => ({ pk, sk: tableShape.recordSortKey }));
  const records = await items.getMany(keys, "reading the groups of tiers", "may-be-stale");
  return records.flatMap((item) => {
    const read = reading(recordKind, item);
    return read.ok && read.value.member !== undefined ? [tierPartition(read.value.member)] : [];
  });
}

/** The rows of the history whose pushes and digests a survey finds. */
const newestRows = 1_000;

function hostOf(imageName: string): string {
  return imageName.split("/", 1).join();
}

function formsOf({ kind }: KindRow, items: readonly Item[]) {
  const byForm = Map.groupBy(items, ({ form }) => (Number.isInteger(form) && form > 0 ? form : 0));
  return [...byForm].map(([form, those]) => ({ kind: kind.name, form, items: those.length }));
}

function unreadable({ kind, deleted }: KindRow, item: Item): readonly SurveyedItem[] {
  const read = reading(kind, item);
  if (read.ok) return [];
  const remedy =
    item.form > newestRead(kind)
      ? "Run the newer version of Lookout. The item is kept for that version."
      : `Restore the item from a backup, or delete it. ${deleted}`;
  return [{ kind: kind.name, key: { pk: item.pk, sk: item.sk }, why: read.problem, remedy }];
}
