import pLimit from "p-limit";
import { plus } from "#domain/shared/time";
import type { ItemKey } from "#ports/items";
import { keptInLedger, type Ledger, type LedgerRow } from "#ports/ledger";
import { counterText, workloadPartition } from "./keys.ts";
import { itemOf, type Kind, objectWith, type Storage, valuesOf } from "./kind.ts";
import { putIf } from "./writes.ts";

/** A row of a workload's history. */
export const kind: Kind<LedgerRow> = {
  name: "row of the history",
  form: 1,
  read: objectWith({ workload: "string", transition: "map", seq: "number", version: "number", at: "number" }),
};

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
        const item = itemOf(kind, ledgerKey(row), row, { expiresAt: plus(row.at, keptInLedger) });
        const doing = `storing version ${row.version} of ${row.workload} in the ledger`;
        return putIf(items, item, { kind: "absent" }, doing);
      });
      return areNew.includes(true);
    },
    async read(workload, limit) {
      const query = { pk: workloadPartition(workload), prefix, limit, newestFirst: true };
      return valuesOf(kind, await items.query(query, `reading the ledger of ${workload}`), storage);
    },
  };
}

/** Returns the rows without repeated keys. The first row of a key stays. */
function withoutRepeats(rows: readonly LedgerRow[]): readonly LedgerRow[] {
  const byPlace = rows.map((row) => [Object.values(ledgerKey(row)).join("\n"), row] as const);
  return [...new Map(byPlace.toReversed()).values()].toReversed();
}
