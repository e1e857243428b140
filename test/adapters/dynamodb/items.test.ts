import { afterAll, describe } from "vitest";
import { dynamoItems } from "#adapters/dynamodb/items";
import { itemsContract } from "#test/contracts/items.contract";
import { startEngine, withEngine } from "./engine.ts";

withEngine(await startEngine(), (engine) => {
  afterAll(engine.stop);
  describe("items in DynamoDB", () => {
    itemsContract(async () => dynamoItems(await engine.table()));
  });
});
