import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { tableShape } from "#contracts/aws/table";
import type { EpochMs } from "#domain/shared/time";
import type { ProbeResults } from "#ports/probe-results";
import type { DynamoTable } from "./client.ts";
import { putIf } from "./errors.ts";
import { probeKey } from "./keys.ts";
import { readItem } from "./reads.ts";

const secondsKept = 3_600;

/** One item for each synthetic push, which expires after an hour. */
export function dynamoProbeResults(where: DynamoTable): ProbeResults {
  return {
    async put(id, at) {
      const put = new PutCommand({
        TableName: where.table,
        Item: { ...probeKey(id), at, [tableShape.expiryAttribute]: Math.floor(at / 1_000) + secondsKept },
        ConditionExpression: "attribute_not_exists(#pk)",
        ExpressionAttributeNames: { "#pk": "pk" },
      });
      await putIf(`remembering that the synthetic push ${id} arrived`, () => where.client.send(put));
    },

    async read(id) {
      const item = await readItem(where, probeKey(id), `reading whether the synthetic push ${id} arrived`);
      return item?.at as EpochMs | undefined;
    },
  };
}
