import pLimit from "p-limit";
import * as z from "zod/mini";
import { plus } from "#domain/shared/time";
import type { ItemKey } from "#ports/items";
import { keptInLedger, type Ledger, type LedgerRow } from "#ports/ledger";
import { counterText, isSameKey, workloadPartition } from "./keys.ts";
import { itemOf, type Kind, type Storage, valuesOf } from "./kind.ts";
import { transition } from "./record-shape.ts";
import { anyText, count, instant, keyText, maybe, type Members, number, yes } from "./shape.ts";
import { putIf } from "./writes.ts";

/** The kind of the rows of histories. */
export const ledgerKind: Kind<LedgerRow> = {
  name: "row of the history",
  form: 1,
  shape: z.object({
    workload: keyText(800),
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

const prefix = "LOG#";
const putsAtOnce = 8;

/**
 * Returns the key of a row. The version comes before the number of the update, because only versions
 * are in the order of time. One version may end an update and begin the next update.
 *
 * Imported rows come before all own rows, so that an import can't hide the own history.
 */
export function ledgerKey({
  workload,
  version,
  seq,
  isImported,
}: Pick<LedgerRow, "workload" | "version" | "seq" | "isImported">): ItemKey {
  const place = `${counterText(version)}#${counterText(seq)}`;
  return { pk: workloadPartition(workload), sk: `${prefix}${isImported === true ? "!" : ""}${place}` };
}

/** Returns the ledger. A workload's rows are in the partition of its record. */
export function storedLedger(storage: Storage): Ledger {
  const { items } = storage;
  const isOwn = async ({ isImported, ...row }: LedgerRow, doing: string) =>
    (await items.get(ledgerKey(row), doing)) !== undefined;
  return {
    async append(rows) {
      const areNew = await pLimit(putsAtOnce).map(withoutRepeats(rows), async (row) => {
        const doing = `storing version ${row.version} of ${row.workload} in the ledger`;
        if (row.isImported === true && (await isOwn(row, doing))) return false;
        const item = itemOf(ledgerKind, ledgerKey(row), row, { expiresAt: plus(row.at, keptInLedger) });
        return putIf(items, item, { kind: "absent" }, doing);
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
