import pLimit from "p-limit";
import * as z from "zod/mini";
import { type HistoryImage, type HistoryRow, monthOf } from "#domain/history/history-row";
import { type EpochMs, epochMs, parseInstant, plus } from "#domain/shared/time";
import { endings } from "#domain/update/state/workload";
import { type History, keptInHistory } from "#ports/history";
import type { Item, ItemKey } from "#ports/items";
import { instantText } from "./keys.ts";
import { itemOf, type Kind, type Storage, valuesOf } from "./kind.ts";
import { action, whatChanged } from "./record-shape.ts";
import { anyText, instant, keyText, list, maybe, type Members, number, reason, text } from "./shape.ts";
import { putIf } from "./writes.ts";

/** The shape of the images of rows. */
export const historyImage = z.object({
  container: maybe(text),
  imageName: text,
  tag: anyText,
  digest: anyText,
  whatChanged: maybe(whatChanged),
} satisfies Members<HistoryImage>);

/** The kind of the rows of the fleet's history. */
export const historyKind: Kind<HistoryRow> = {
  name: "row of the fleet's history",
  form: 1,
  shape: z.object({
    id: keyText(900),
    at: instant,
    action: maybe(action),
    ended: maybe(z.enum(endings)),
    workload: maybe(keyText(800)),
    scope: maybe(anyText),
    subject: maybe(anyText),
    seq: maybe(number),
    images: list(historyImage),
    correlationId: maybe(anyText),
    reason: maybe(reason),
    detail: maybe(anyText),
  } satisfies Members<HistoryRow>),
  isAt: (row, { pk, sk }) => pk === historyPartition(monthOf(row.at)) && sk === placeOf(row),
};

const prefix = "HISTORY#";
const putsAtOnce = 8;

/** Returns the partition of a month. */
export function historyPartition(month: string): string {
  return `${prefix}${month}`;
}

/** Returns the place of a row. Places sort by time, then by id. */
export function placeOf({ at, id }: Pick<HistoryRow, "at" | "id">): string {
  return `${instantText(at)}#${id}`;
}

/** Returns the key of a row. */
export function historyKey(row: Pick<HistoryRow, "at" | "id">): ItemKey {
  return { pk: historyPartition(monthOf(row.at)), sk: placeOf(row) };
}

/** Returns the history of the fleet. Each month has a partition. */
export function storedHistory(storage: Storage): History {
  const { items } = storage;
  return {
    async append(rows) {
      await pLimit(putsAtOnce).map(rows, (row) => {
        const item = itemOf(historyKind, historyKey(row), row, { expiresAt: plus(row.at, keptInHistory) });
        return putIf(items, item, { kind: "absent" }, `storing ${row.id} in the history`);
      });
    },
    async missing(rows) {
      const stored = await items.getMany(rows.map(historyKey), "looking for rows of the history");
      const places = new Set(stored.map(({ pk, sk }) => `${pk}\n${sk}`));
      return rows.filter((row) => !places.has(Object.values(historyKey(row)).join("\n")));
    },
    async read({ since, until, after, limit }) {
      const end = instantText(until);
      const before = after === undefined || after > end ? end : after;
      const found: Item[] = [];
      for (const month of monthsBack(instantOf(before), since)) {
        const query = { pk: historyPartition(month), before, limit: limit - found.length, newestFirst: true };
        found.push(...(await items.query(query, `reading the history of ${month}`)));
        if (found.length === limit) break;
      }
      const rows = valuesOf(historyKind, found, storage).filter(({ at }) => at >= since);
      const last = found.length === limit ? found.at(-1)?.sk : undefined;
      return {
        rows: rows.map((row) => ({ place: placeOf(row), row })),
        ...(last === undefined || instantOf(last) < since ? {} : { next: last }),
      };
    },
  };
}

/** Returns the instant of a place, or of its beginning. */
function instantOf(place: string): EpochMs {
  return epochMs(Number(place.slice(0, instantText(0).length)));
}

/** Returns the months from an instant back to another, the newest first. */
export function monthsBack(from: EpochMs, to: EpochMs): readonly string[] {
  const months: string[] = [];
  for (let at = from; ; at = epochMs((parseInstant(`${monthOf(at)}-01T00:00:00Z`) ?? 1) - 1)) {
    months.push(monthOf(at));
    if (monthOf(at) <= monthOf(to)) return months;
  }
}
