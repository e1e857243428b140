import pLimit from "p-limit";
import * as z from "zod/mini";
import { plus } from "#domain/shared/time";
import type { ItemKey } from "#ports/items";
import { keptInLedger, type Ledger, type LedgerRow } from "#ports/ledger";
import { counterText, isSameKey, workloadPartition } from "./keys.ts";
import { itemOf, type Kind, type Storage, valuesOf } from "./kind.ts";
import { transition } from "./record-shape.ts";
import { anyText, count, instant, maybe, type Members, number, text, yes } from "./shape.ts";
import { putIf } from "./writes.ts";

/** The kind of the rows of histories. */
export const ledgerKind: Kind<LedgerRow> = {
  name: "row of the history",
  form: 1,
  shape: z.object({
    workload: text,
    uid: anyText,
    seq: count,
    version: number,
    at: instant,
    cause: anyText,
    correlationId: maybe(anyText),
    transition,
    isImported: maybe(yes),
  } satisfies Members<LedgerRow>),
  isAt: (row, key) => isSameKey(ledgerKey(row), key),
};

const absent = { kind: "absent" } as const;
/** The own history replaces imported rows, so that an import can hide nothing. */
const absentOrImported = { kind: "any", of: [absent, { kind: "equals", mark: "isImported", value: true }] } as const;

const prefix = "LOG#";
const putsAtOnce = 8;

/**
 * Returns the key of a row. The version comes before the number of the update, because only versions
 * are in the order of time. One version may end an update and begin the next update.
 */
export function ledgerKey({ workload, version, seq }: Pick<LedgerRow, "workload" | "version" | "seq">): ItemKey {
  return { pk: workloadPartition(workload), sk: `${prefix}${counterText(version)}#${counterText(seq)}` };
}

/** Returns the ledger. A workload's rows are in the partition of its record. */
export function storedLedger(storage: Storage): Ledger {
  const { items } = storage;
  return {
    async append(rows) {
      const areNew = await pLimit(putsAtOnce).map(withoutRepeats(rows), (row) => {
        const isImported = row.isImported === true;
        const more = { marks: { isImported }, expiresAt: plus(row.at, keptInLedger) };
        const item = itemOf(ledgerKind, ledgerKey(row), row, more);
        const doing = `storing version ${row.version} of ${row.workload} in the ledger`;
        return putIf(items, item, isImported ? absent : absentOrImported, doing);
      });
      return areNew.includes(true);
    },
    async read(workload, limit) {
      const query = { pk: workloadPartition(workload), prefix, limit, newestFirst: true };
      return valuesOf(ledgerKind, await items.query(query, `reading the ledger of ${workload}`), storage);
    },
  };
}

/** Returns the rows without repeated keys. The first row of a key stays. */
function withoutRepeats(rows: readonly LedgerRow[]): readonly LedgerRow[] {
  const byPlace = rows.map((row) => [Object.values(ledgerKey(row)).join("\n"), row] as const);
  return [...new Map(byPlace.toReversed()).values()].toReversed();
}
