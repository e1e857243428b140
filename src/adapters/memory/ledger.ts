import type { Ledger, LedgerRow } from "#ports/ledger";
import { copyOf } from "./copy.ts";
import { type Faulty, faults } from "./faults.ts";

/** The history of every workload, in memory; nothing expires. */
export function memoryLedger(): Ledger & Faulty {
  const { around, failNext } = faults();
  const rows = new Map<string, Map<string, LedgerRow>>();
  return {
    failNext,

    append: async (added) => {
      const copies = copyOf(added);
      return around(() => {
        let isAnyNew = false;
        for (const row of copies) {
          const history = rows.get(row.workload) ?? new Map<string, LedgerRow>();
          const identity = `${row.seq}#${row.version}`;
          if (history.has(identity)) continue;
          rows.set(row.workload, history.set(identity, row));
          isAnyNew = true;
        }
        return isAnyNew;
      });
    },

    read: (workload, limit) =>
      around(() =>
        [...(rows.get(workload)?.values() ?? [])]
          .sort((one, other) => other.version - one.version || other.seq - one.seq)
          .slice(0, limit),
      ),
  };
}
