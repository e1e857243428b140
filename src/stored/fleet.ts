import pLimit from "p-limit";
import * as z from "zod/mini";
import { hours, plus } from "#domain/shared/time";
import { type Fleet, type FleetRow, type GoneRow, isGone, type RowFailures, type RowImage } from "#ports/fleet";
import type { Condition, Item, ItemKey } from "#ports/items";
import { wait } from "./record-shape.ts";
import { recordKey, recordKind } from "./records.ts";
import { itemOf, type Kind, type Storage, valuesOf } from "./kind.ts";
import { anyText, count, instant, list, maybe, type Members, number, reason, skipReason, textMap } from "./shape.ts";

/** A stored row. The key of its item has the name of the workload. */
type Stored<Row> = Omit<Row, "workload">;

const image = z.object({
  name: anyText,
  imageName: anyText,
  tag: maybe(anyText),
  digest: maybe(anyText),
  image: maybe(anyText),
  policy: maybe(anyText),
  available: maybe(anyText),
  skipped: maybe(z.object({ count, reason: skipReason })),
} satisfies Members<RowImage>);

const row = z.object({
  version: number,
  state: anyText,
  since: instant,
  runs: list(image),
  containers: maybe(count),
  wants: list(image),
  waits: list(wait),
  failures: maybe(
    z.object({
      at: instant,
      of: list(z.object({ container: anyText, reason, detail: maybe(anyText) })),
    } satisfies Members<RowFailures>),
  ),
  labels: maybe(textMap),
} satisfies Members<Stored<FleetRow>>);

const gone = z.object({ version: number, goneAt: instant } satisfies Members<Stored<GoneRow>>);

/** The kind of the rows of lists. */
export const fleetRowKind: Kind<Stored<FleetRow> | Stored<GoneRow>> = {
  name: "row of the list of workloads",
  form: 1,
  shape: z.union([gone, row]),
};

const partition = "FLEET#";
const writesAtOnce = 32;

/** The time for which a marker stays. Changes of records are kept for a day at most. */
const markerStays = hours(7 * 24);

function keyOf(workload: string): ItemKey {
  const end = workload.indexOf("/");
  return { pk: `${partition}${workload.slice(0, end)}`, sk: workload.slice(end + 1) };
}

function workloadOf({ pk, sk }: ItemKey): string {
  return `${pk.slice(partition.length)}/${sk}`;
}

/** Returns the rows of lists. All rows of a cluster share a partition, so that one query lists them. */
export function storedFleet(storage: Storage): Fleet {
  const { items } = storage;
  const rowsOf = (found: readonly Item[]): readonly (FleetRow | GoneRow)[] =>
    found.flatMap((item) => valuesOf(fleetRowKind, [item], storage).map((value) => withName(value, item)));
  return {
    async list({ cluster, namespace }) {
      const query = { pk: `${partition}${cluster}`, ...(namespace !== undefined && { prefix: `${namespace}/` }) };
      const rows = rowsOf(await items.query(query, `listing the rows of ${cluster}`));
      return rows.flatMap((one) => (isGone(one) ? [] : [one]));
    },
    async readMany(workloads) {
      return rowsOf(await items.getMany(workloads.map(keyOf), `reading the rows of ${workloads.length} workloads`));
    },
    async records(workloads) {
      const found = await items.getMany(workloads.map(recordKey), `reading the records of ${workloads.length} rows`);
      return valuesOf(recordKind, found, storage);
    },
    forget: (workloads) => items.removeMany(workloads.map(keyOf), `removing the rows of ${workloads.length} workloads`),
    async write(rows) {
      await pLimit(writesAtOnce).map(rows, async (one) => {
        const { workload, version } = one;
        const item = itemFor(one);
        await items.write([{ kind: "put", item, if: isNoNewer(version) }], `storing the row of ${workload}`);
      });
    },
  };
}

function isNoNewer(version: number): Condition {
  return { kind: "any", of: [{ kind: "absent" }, { kind: "at-most", mark: "version", value: version }] };
}

function withName(value: Stored<FleetRow> | Stored<GoneRow>, item: Item): FleetRow | GoneRow {
  return { workload: workloadOf(item), ...value };
}

function itemFor(one: FleetRow | GoneRow): Item {
  const { workload, ...value } = one;
  const marks = { version: one.version };
  const expiry = isGone(one) ? { expiresAt: plus(one.goneAt, markerStays) } : {};
  return itemOf(fleetRowKind, keyOf(workload), value as Stored<FleetRow>, { marks, ...expiry });
}
