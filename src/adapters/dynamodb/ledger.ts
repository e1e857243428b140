import pLimit from "p-limit";
import { plus } from "#domain/shared/time";
import { PermanentError } from "#ports/errors";
import { keptInLedger, type Ledger, type LedgerRow } from "#ports/ledger";
import type { DynamoTable } from "./client.ts";
import { counterText, type ItemKey, workloadPartition } from "./keys.ts";
import { queryPartition } from "./reads.ts";
import { expiryAt, putNewItem } from "./writes.ts";

const putsAtOnce = 8;
const prefix = "LOG#";

/**
 * Returns the key of a ledger row.
 *
 * The version comes before the number of the update, because only versions are in the order of
 * time. One version may end an update and begin the next update.
 */
export function ledgerKey(workload: string, version: number, seq: number): ItemKey {
  return { pk: workloadPartition(workload), sk: `${prefix}${counterText(version)}#${counterText(seq)}` };
}

/**
 * Returns the ledger. A workload's rows are in the partition of its record. DynamoDB deletes
 * expired rows some days late.
 */
export function dynamoLedger(where: DynamoTable): Ledger {
  return {
    async append(rows) {
      const areNew = await pLimit(putsAtOnce).map(withoutRepeats(rows), (row) => {
        const { at, seq, version, workload } = row;
        const expiry = expiryAt(plus(at, keptInLedger));
        const item = { ...ledgerKey(workload, version, seq), ...expiry, row };
        return putNewItem(where, item, `storing version ${version} of ${workload} in the ledger`);
      });
      return areNew.includes(true);
    },

    async read(workload, limit): Promise<readonly LedgerRow[]> {
      const query = { pk: workloadPartition(workload), prefix, limit, newestFirst: true };
      const items = await queryPartition(where, query, `reading the ledger of ${workload}`);
      return items.map(({ sk, row }) => rowIn(row, `${workload}, ${String(sk)}`));
    },
  };
}

/** @throws PermanentError for a row that this version of Lookout can't read. */
function rowIn(row: unknown, where: string): LedgerRow {
  if (typeof row === "object" && row !== null && "transition" in row) return row as unknown as LedgerRow;
  throw new PermanentError(
    `the ledger row at ${where} has a format that this version of Lookout can't read: delete the row`,
  );
}

/** Returns the rows without repeated keys. The first row of a key stays. */
function withoutRepeats(rows: readonly LedgerRow[]): readonly LedgerRow[] {
  const byPlace = rows.map((row) => [ledgerKey(row.workload, row.version, row.seq), row] as const);
  return [...new Map(byPlace.toReversed().map(([{ pk, sk }, row]) => [`${pk}\n${sk}`, row])).values()].toReversed();
}
