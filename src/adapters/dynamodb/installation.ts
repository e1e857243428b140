import { randomInt } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import type { WorkloadStore } from "#ports/store";
import { memoizeFor } from "../shared/memoize-for.ts";
import type { DynamoTable } from "./client.ts";
import { asking, putIf } from "./errors.ts";
import { installationKey } from "./keys.ts";
import { readItem } from "./reads.ts";

/** For how long a name is answered without a look: after an import, what goes on for longer than that goes on under the new name. */
const keptMs = 30_000;

/** The name of a table's installation, which only an import changes. */
export function dynamoInstallation(
  where: DynamoTable,
): Pick<WorkloadStore, "installation" | "readInstallation" | "adoptInstallation"> {
  const name = memoizeFor(() => readOrMakeInstallation(where), {
    keptMs: () => keptMs,
    freshMs: 0,
    monotonicMs: () => performance.now(),
  });
  return {
    installation: () => name(false),
    readInstallation: () => name(true),

    async adoptInstallation(adopted) {
      const put = new PutCommand({ TableName: where.table, Item: { ...installationKey, installation: adopted } });
      await asking("taking over the name of an installation", () => where.client.send(put));
      await name(true);
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
