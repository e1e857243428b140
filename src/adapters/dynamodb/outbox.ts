import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import type { WorkloadRecord } from "#domain/update";
import { workloadKey } from "#domain/workload";
import type { Change, Changes } from "#ports/store";
import type { DynamoTable } from "./client.ts";
import { deleteItems } from "./deletes.ts";
import { outboxKey, outboxPartition } from "./keys.ts";
import { queryPartition } from "./reads.ts";
import { knownSchema } from "./record-item.ts";

/** One write of a transaction. */
export type TransactionPart = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** The changes of a table that has no stream: each is written in its record's own transaction, and deleted once handled. */
export interface DynamoOutbox extends Changes {
  /**
   * The part of a record's transaction that puts its change.
   *
   * @param order - where the change stands among the others, as an instant; may not fall from one version of a workload to the next
   */
  part(record: WorkloadRecord, order: number): TransactionPart;
  /** Tells those who asked to be told that a change was written. */
  written(): void;
}

/** The outbox of a table. The store that writes the records is given the same one. */
export function dynamoOutbox(where: DynamoTable): DynamoOutbox {
  const { table } = where;
  const callbacks: (() => void)[] = [];
  return {
    part: (record, order) => ({
      Put: { TableName: table, Item: { ...outboxKey(order, workloadKey(record.workload), record.version), record } },
    }),

    written() {
      for (const callback of callbacks) callback();
    },

    async take(limit): Promise<readonly Change[]> {
      const items = await queryPartition(where, { pk: outboxPartition, limit }, "reading the outbox");
      return items.map((item) => ({ id: String(item.sk), record: knownSchema(item.record, String(item.sk)) }));
    },

    async done(changes) {
      const keys = changes.map(({ id }) => ({ pk: outboxPartition, sk: id }));
      await deleteItems(where, keys, "deleting handled changes from the outbox");
    },

    onWrite(callback) {
      callbacks.push(callback);
    },
  };
}
