import { PutCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import { tableShape } from "#contracts/aws/table";
import { PermanentError } from "#ports/errors";
import { keptInLedger, type Ledger, type LedgerRow } from "#ports/ledger";
import type { DynamoTable } from "./client.ts";
import { putIf } from "./errors.ts";
import { ledgerKey, ledgerRowPrefix } from "./keys.ts";
import { queryPartition } from "./reads.ts";

const putsAtOnce = 8;

/** The ledger in the same partition as the workload's record. DynamoDB deletes expired rows some days late, or not at all locally. */
export function dynamoLedger(where: DynamoTable): Ledger {
  const { client, table } = where;
  return {
    async append(rows) {
      const areNew = await pLimit(putsAtOnce).map(withoutRepeats(rows), (row) => {
        const { at, seq, version, workload } = row;
        const put = new PutCommand({
          TableName: table,
          Item: {
            ...ledgerKey(workload, version, seq),
            [tableShape.expiryAttribute]: Math.floor((at + keptInLedger) / 1_000),
            row,
          },
          ConditionExpression: "attribute_not_exists(#pk)",
          ExpressionAttributeNames: { "#pk": "pk" },
        });
        return putIf(`storing version ${version} of ${workload} in the ledger`, () => client.send(put));
      });
      return areNew.includes(true);
    },

    async read(workload, limit): Promise<readonly LedgerRow[]> {
      const { pk } = ledgerKey(workload, 0, 0);
      const query = { pk, prefix: ledgerRowPrefix, limit, newestFirst: true };
      const items = await queryPartition(where, query, `reading the ledger of ${workload}`);
      return items.map(({ sk, row }) => rowIn(row, `${workload}, ${String(sk)}`));
    },
  };
}

/** @throws PermanentError for what an earlier Lookout stored in another form, or someone else wrote. */
function rowIn(row: unknown, where: string): LedgerRow {
  if (typeof row === "object" && row !== null && "transition" in row) return row as unknown as LedgerRow;
  throw new PermanentError(`the row of the ledger at ${where} is not one of this Lookout's: delete it, or deploy anew`);
}

/** Of rows with the same place the first counts. */
function withoutRepeats(rows: readonly LedgerRow[]): readonly LedgerRow[] {
  const byPlace = rows.map((row) => [ledgerKey(row.workload, row.version, row.seq), row] as const);
  return [...new Map(byPlace.toReversed().map(([{ pk, sk }, row]) => [`${pk}\n${sk}`, row])).values()].toReversed();
}
