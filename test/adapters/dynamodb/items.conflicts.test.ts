import { afterEach, describe, expect, it } from "vitest";
import { dynamoClient } from "#adapters/dynamodb/client";
import { dynamoItems } from "#adapters/dynamodb/items";
import { type AwsEndpoint, awsEndpoint, type AwsReply } from "#test/adapters/aws-endpoint";
import type { ItemWrite } from "#ports/items";
import { TransientError } from "#ports/errors";

let aws: AwsEndpoint;
afterEach(() => aws.close());

const put = (sk: string): ItemWrite => ({
  kind: "put",
  item: { pk: "P", sk, form: 1, value: {} },
  if: { kind: "absent" },
});

const cancelled = (...codes: readonly string[]): AwsReply => ({
  status: 400,
  json: { __type: "TransactionCanceledException", CancellationReasons: codes.map((Code) => ({ Code })) },
});

/** Writes while DynamoDB gives these answers, and then writes. */
async function written(writes: readonly ItemWrite[], ...answers: readonly AwsReply[]): Promise<unknown> {
  aws = await awsEndpoint();
  aws.answerNext(...answers);
  const items = dynamoItems({ client: dynamoClient({ maxAttempts: 1 }), table: "lookout" });
  return items.write(writes, "storing it").catch((error: unknown) => error);
}

describe("a write beside another write of the same item", () => {
  const conflict = cancelled("None", "TransactionConflict");

  it("is repeated until the other has ended", async () => {
    expect(await written([put("a"), put("b")], conflict, conflict, conflict, conflict)).toEqual({ kind: "written" });
    expect(aws.asked.map(({ operation }) => operation)).toEqual(Array(5).fill("TransactWriteItems"));
  });

  it("is repeated also without a transaction of its own", async () => {
    expect(await written([put("a")], { error: "TransactionConflictException" })).toEqual({ kind: "written" });
    expect(aws.asked.map(({ operation }) => operation)).toEqual(["PutItem", "PutItem"]);
  });

  it("fails for a while if the others do not end", async () => {
    expect(await written([put("a"), put("b")], ...Array<AwsReply>(5).fill(conflict))).toEqual(
      new TransientError("DynamoDB failed while storing it (TransactionCanceledException, None, TransactionConflict)"),
    );
  });

  it("is refused and not repeated if a condition does not hold beside the conflict", async () => {
    expect(await written([put("a"), put("b")], cancelled("TransactionConflict", "ConditionalCheckFailed"))).toEqual({
      kind: "refused",
      which: 1,
    });
    expect(aws.asked).toHaveLength(1);
  });
});
