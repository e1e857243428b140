import { randomInt } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import type { WorkloadStore } from "#ports/store";
import type { DynamoTable } from "./client.ts";
import { asking, putIf } from "./errors.ts";
import { installationKey } from "./keys.ts";
import { readItem } from "./reads.ts";

/** The name of a table's installation, read once. */
export function dynamoInstallation(where: DynamoTable): Pick<WorkloadStore, "installation" | "adoptInstallation"> {
  let installation: string | undefined;
  return {
    async installation() {
      installation ??= await readOrMakeInstallation(where);
      return installation;
    },

    async adoptInstallation(name) {
      const put = new PutCommand({ TableName: where.table, Item: { ...installationKey, installation: name } });
      await asking("taking over the name of an installation", () => where.client.send(put));
      installation = name;
    },
  };
}

/** Of several that make it at once, the first to write wins; the others read what it wrote. */
async function readOrMakeInstallation(where: DynamoTable): Promise<string> {
  const doing = "reading the name of this installation";
  const stored = await readItem(where, installationKey, doing);
  if (stored) return String(stored.installation);
  const made = sixCharacters();
  const isOurs = await putIf("naming this installation", () =>
    where.client.send(
      new PutCommand({
        TableName: where.table,
        Item: { ...installationKey, installation: made },
        ConditionExpression: "attribute_not_exists(#pk)",
        ExpressionAttributeNames: { "#pk": "pk" },
      }),
    ),
  );
  return isOurs ? made : readOrMakeInstallation(where);
}

const sixCharacters = (): string =>
  randomInt(36 ** 6)
    .toString(36)
    .padStart(6, "0");
