import { isDeepStrictEqual } from "node:util";
import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { Registration, Registrations } from "#ports/registrations";
import type { DynamoTable } from "./client.ts";
import { asking, putIf } from "./errors.ts";
import { registrationKey } from "./keys.ts";
import { queryPartition, readItem } from "./reads.ts";

/** The registered clusters in one partition, so that one strong query reads them all. */
export function dynamoRegistrations(where: DynamoTable): Registrations {
  const { client, table } = where;
  return {
    async list() {
      const items = await queryPartition(where, { pk: registrationKey("").pk }, "listing the registered clusters");
      return items.map((item) => item.registration as Registration);
    },

    async put(registration) {
      const { name } = registration;
      const doing = `registering the cluster ${name}`;
      const item = { ...registrationKey(name), registration };
      const isNew = await putIf(doing, () =>
        client.send(new PutCommand({ TableName: table, Item: item, ConditionExpression: "attribute_not_exists(pk)" })),
      );
      // The client may have repeated a write that it got no answer to.
      return (
        isNew || isDeepStrictEqual((await readItem(where, registrationKey(name), doing))?.registration, registration)
      );
    },

    // Reads first: a delete that the client repeats because it got no answer would find nothing the second time.
    async remove(name) {
      const key = registrationKey(name);
      const doing = `taking the cluster ${name} off the list`;
      if ((await readItem(where, key, doing)) === undefined) return false;
      await asking(doing, () => client.send(new DeleteCommand({ TableName: table, Key: { ...key } })));
      return true;
    },
  };
}
