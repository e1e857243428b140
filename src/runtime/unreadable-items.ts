import { minutes } from "#domain/shared/time";
import type { Metrics } from "#ports/metrics";
import type { UnreadableItem, UnreadableItems } from "#ports/unreadable-items";

/** The unreadable items of a process, and where its reads report them. */
export interface UnreadableCollector extends UnreadableItems {
  readonly onUnreadable: (item: UnreadableItem) => void;
  /** Sets the metrics that count the items from now on. */
  readonly countIn: (metrics: Metrics) => void;
}

const mostItems = 100;
/** The pause between two counts of an item, because many reads may meet it. */
const countedEveryMs = minutes(1);

/**
 * Returns a collector of unreadable items. It keeps the last hundred items. It counts an item once a
 * minute, and no more than a hundred items a minute.
 */
export function unreadableItems(monotonicMs: () => number = () => performance.now()): UnreadableCollector {
  const seen = new Map<string, { readonly item: UnreadableItem; readonly sight: number }>();
  const countedAt = new Map<string, number>();
  let metrics: Metrics | undefined;
  let sights = 0;
  const isNewThisMinute = (name: string): boolean => {
    const now = monotonicMs();
    for (const [known, at] of countedAt) if (now - at >= countedEveryMs) countedAt.delete(known);
    if (countedAt.has(name) || countedAt.size >= mostItems) return false;
    countedAt.set(name, now);
    return true;
  };
  return {
    onUnreadable(item) {
      const name = `${item.key.pk}, ${item.key.sk}`;
      // The latest sight is the last entry.
      seen.delete(name);
      seen.set(name, { item, sight: (sights += 1) });
      const [oldest] = seen.keys();
      if (seen.size > mostItems && oldest !== undefined) seen.delete(oldest);
      if (isNewThisMinute(name)) metrics?.add("RecordsUnreadable", 1, { kind: item.kind, item: name, why: item.why });
    },
    countIn(given) {
      metrics = given;
    },
    sights: () => sights,
    seenSince: (before) => [...seen.values()].flatMap(({ item, sight }) => (sight > before ? [item] : [])),
  };
}
