import type { DynamoTable } from "#adapters/dynamodb/client";
import { dynamoItems } from "#adapters/dynamodb/items";
import { minutes } from "#domain/shared/time";
import { type StoredState, storedState } from "#stored/index";
import { newInstallation } from "#stored/installation";

/** Everything that is stored in a table. */
export function storedIn(where: DynamoTable): StoredState {
  const storage = { items: dynamoItems(where), onUnreadable: () => undefined };
  return storedState(storage, { newName: newInstallation, checksLagAtMost: minutes(30) });
}
