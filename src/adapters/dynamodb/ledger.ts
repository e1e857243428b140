import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { PutCommand, type PutCommandInput, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import { tableShape } from "#contracts/table";
import type { EpochMs } from "#domain/time";
import type { Ledger, LedgerRow } from "#ports/ledger";
import type { DynamoTable } from "./client.ts";
import { putIf, toPortError } from "./errors.ts";
import { ledgerKey, ledgerRowPrefix } from "./keys.ts";
import { pack, unpack } from "./packed.ts";
import { type Item, queryPartition } from "./reads.ts";

/** How the ledger is kept. */
export interface DynamoLedger extends DynamoTable {
  /** How many days after its instant a row may be deleted; 400 when absent. */
  readonly keptDays?: number;
  /**
   * Whether rows of one call are stored in transactions: that takes an embedded engine little longer than to store one row, and of
   * DynamoDB it costs twice as much. Each by itself when absent; a call that fails is made again either way.
   */
  readonly inTransactions?: boolean;
}

const secondsPerDay = 86_400;
const putsAtOnce = 8;
/** A transaction takes 100 items of four megabytes together; a row with all its reasons is a few kilobytes. */
const rowsPerTransaction = 25;

/** The ledger in the same partition as the workload's record. DynamoDB deletes expired rows some days late, or not at all locally. */
export function dynamoLedger({ keptDays = 400, inTransactions = false, ...where }: DynamoLedger): Ledger {
  const expiry = (at: EpochMs): number => Math.floor(at / 1_000) + keptDays * secondsPerDay;
  return {
    async append(rows) {
      const puts = withoutRepeats(rows).map((row) => ({
        row,
        put: {
          TableName: where.table,
          Item: {
            ...ledgerKey(row.workload, row.version, row.seq),
            [tableShape.expiryAttribute]: expiry(row.at),
            row: pack(row),
          },
          ConditionExpression: "attribute_not_exists(#pk)",
          ExpressionAttributeNames: { "#pk": "pk" },
        },
      }));
      if (!inTransactions) return putEach(where, puts);
      let isAnyNew = false;
      for (let from = 0; from < puts.length; from += rowsPerTransaction)
        if (await putTogether(where, puts.slice(from, from + rowsPerTransaction))) isAnyNew = true;
      return isAnyNew;
    },

    async read(workload, limit): Promise<readonly LedgerRow[]> {
      const { pk } = ledgerKey(workload, 0, 0);
      const query = { pk, prefix: ledgerRowPrefix, limit, newestFirst: true };
      const items = await queryPartition(where, query, `reading the ledger of ${workload}`);
      return items.map(rowOf);
    },
  };
}

/** Reads a row, also one that was not packed yet when it was stored. */
function rowOf({ pk, sk, row }: Item): LedgerRow {
  return (row instanceof Uint8Array ? unpack(row, `${String(pk)}, ${String(sk)}`) : row) as LedgerRow;
}

interface RowPut {
  readonly row: LedgerRow;
  readonly put: PutCommandInput;
}

/** Puts rows together, which costs little more than to put one; where one of them is there already each stands for itself. False: all were. */
async function putTogether(where: DynamoTable, puts: readonly RowPut[]): Promise<boolean> {
  if (puts.length > 1) {
    try {
      await where.client.send(new TransactWriteCommand({ TransactItems: puts.map(({ put }) => ({ Put: put })) }));
      return true;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException))
        throw toPortError(error, `storing ${puts.length} rows in the ledger`);
    }
  }
  return putEach(where, puts);
}

async function putEach({ client }: DynamoTable, puts: readonly RowPut[]): Promise<boolean> {
  const areNew = await pLimit(putsAtOnce).map(puts, ({ row: { version, workload }, put }) =>
    putIf(`storing version ${version} of ${workload} in the ledger`, () => client.send(new PutCommand(put))),
  );
  return areNew.includes(true);
}

/** A transaction takes each item once: of rows with the same place the first counts. */
function withoutRepeats(rows: readonly LedgerRow[]): readonly LedgerRow[] {
  const byPlace = rows.map((row) => [ledgerKey(row.workload, row.version, row.seq), row] as const);
  return [...new Map(byPlace.toReversed().map(([{ pk, sk }, row]) => [`${pk}\n${sk}`, row])).values()].toReversed();
}
