import { PutCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import type { EpochMs } from "#domain/time";
import type { Ledger, LedgerRow } from "#ports/ledger";
import type { DynamoTable } from "./client.ts";
import { putIf } from "./errors.ts";
import { expiryAttribute, ledgerKey, ledgerRowPrefix } from "./keys.ts";
import { queryPartition } from "./reads.ts";

/** How the ledger is kept. */
export interface DynamoLedger extends DynamoTable {
  /** How many days after its instant a row may be deleted; 400 when absent. */
  readonly keptDays?: number;
}

const secondsPerDay = 86_400;
const putsAtOnce = 8;

/** The ledger in the same partition as the workload's record. DynamoDB deletes expired rows some days late, or not at all locally. */
export function dynamoLedger({ keptDays = 400, ...where }: DynamoLedger): Ledger {
  const expiry = (at: EpochMs): number => Math.floor(at / 1_000) + keptDays * secondsPerDay;
  return {
    async append(rows) {
      const limit = pLimit(putsAtOnce);
      await limit.map(rows, (row) =>
        putIf(`storing version ${row.version} of ${row.workload} in the ledger`, () =>
          where.client.send(
            new PutCommand({
              TableName: where.table,
              Item: {
                ...ledgerKey(row.workload, row.version, row.seq),
                [expiryAttribute]: expiry(row.at),
                row,
              },
              ConditionExpression: "attribute_not_exists(#pk)",
              ExpressionAttributeNames: { "#pk": "pk" },
            }),
          ),
        ),
      );
    },

    async read(workload, limit): Promise<readonly LedgerRow[]> {
      const { pk } = ledgerKey(workload, 0, 0);
      const query = { pk, prefix: ledgerRowPrefix, limit, newestFirst: true };
      const items = await queryPartition(where, query, `reading the ledger of ${workload}`);
      return items.map((item) => item.row as LedgerRow);
    },
  };
}
