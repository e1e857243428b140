import type { FormCountView, StoredItemsQuery, StoredItemsView, storedOperations } from "#contracts/api/stored";
import { lookoutVersion } from "#contracts/version";
import { toIso } from "#domain/shared/time";
import type { FormCount } from "#ports/stored-items";
import { mapBounded } from "../shared/bounded.ts";
import { pageOf } from "../shared/page.ts";
import type { Ports } from "../shared/ports.ts";
import type { Handlers, Served } from "./handler.ts";

/** Returns the handler for the forms of stored items. */
export function storedHandlers({ ports }: Served): Handlers<typeof storedOperations> {
  return { listStoredItems: ({ query }) => listStoredItems(query, ports) };
}

/** The number of partitions that are read at the same time. */
const partitionsAtOnce = 16;
const mostNamed = 100;

/** Returns a page of partitions with the forms of their items. */
export async function listStoredItems(
  query: StoredItemsQuery,
  { storedItems, clusters, clock }: Ports,
): Promise<StoredItemsView> {
  const all = await storedItems.partitions(clusters.names(), clock.now());
  const { rows: partitions, end } = pageOf(all, (partition) => partition, query);
  const surveys = await mapBounded(partitions, partitionsAtOnce, (partition) => storedItems.survey(partition));
  const unreadable = surveys.flatMap((survey) => survey.unreadable);
  return {
    at: toIso(clock.now()),
    version: lookoutVersion,
    kinds: storedItems.kinds,
    forms: summed(surveys.flatMap(({ forms }) => forms)),
    unreadable: unreadable.slice(0, mostNamed).map(({ kind, key, why, remedy }) => {
      return { kind, partition: key.pk, sortKey: key.sk, why, remedy };
    }),
    unreadableItems: unreadable.length,
    ...end,
  };
}

function summed(counts: readonly FormCount[]): readonly FormCountView[] {
  const groups = Map.groupBy(counts, ({ kind, form }) => `${kind}\n${form}`);
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, items: others.reduce((sum, { items }) => sum + items, first.items) }],
  );
}
