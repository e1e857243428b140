import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { type Freeze, freezeScopeText } from "#domain/gates/freeze";
import type { Freezes } from "#ports/freezes";
import type { DynamoTable } from "./client.ts";
import { asking } from "./errors.ts";
import { freezeKey } from "./keys.ts";
import { queryPartition, readItem } from "./reads.ts";

/** The freezes in one partition, so that one strong query reads them all. */
export function dynamoFreezes(where: DynamoTable): Freezes {
  const { client, table } = where;
  return {
    async list() {
      const items = await queryPartition(where, { pk: freezeKey("").pk }, "reading the freezes");
      return items.map((item) => item.freeze as Freeze);
    },

    async put(freeze) {
      const scope = freezeScopeText(freeze.scope);
      const item = { ...freezeKey(scope), freeze };
      await asking(`freezing ${scope}`, () => client.send(new PutCommand({ TableName: table, Item: item })));
    },

    // Reads first: a delete that the client repeats because it got no answer would find nothing the second time.
    async lift(scope) {
      const text = freezeScopeText(scope);
      const doing = `lifting the freeze of ${text}`;
      if ((await readItem(where, freezeKey(text), doing)) === undefined) return false;
      await asking(doing, () => client.send(new DeleteCommand({ TableName: table, Key: { ...freezeKey(text) } })));
      return true;
    },
  };
}
