import type { Clock } from "#ports/clock";
import { keptInLedger, type Ledger, type LedgerRow } from "#ports/ledger";
import { firstOf, type StateDatabase } from "./database.ts";
import { jsonIn } from "./stored-json.ts";

/**
 * Returns the ledger, with one row per transition. Each append deletes the rows that expired by the
 * clock.
 */
export function sqliteLedger(database: StateDatabase, clock: Clock): Ledger {
  const { sql } = database;
  const append = sql.prepare("INSERT OR IGNORE INTO ledger (workload, version, seq, at, row) VALUES (?, ?, ?, ?, ?)");
  const prune = sql.prepare("DELETE FROM ledger WHERE at < ?");
  const read = sql.prepare("SELECT row FROM ledger WHERE workload = ? ORDER BY version DESC, seq DESC");
  return {
    append: (rows) =>
      database.write(`storing ${rows.length} rows in the ledger`, () => {
        let added = 0;
        for (const row of rows)
          added += Number(append.run(row.workload, row.version, row.seq, row.at, JSON.stringify(row)).changes);
        prune.run(clock.now() - keptInLedger);
        return added > 0;
      }),
    read: (workload, limit) =>
      database.read(`reading the ledger of ${workload}`, () =>
        firstOf(read.iterate(workload), limit).map(({ row }) => jsonIn(row, `the ledger of ${workload}`) as LedgerRow),
      ),
  };
}
