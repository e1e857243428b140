import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { plainDatabase, type StateDatabase } from "#adapters/sqlite/database";
import { itemTables, sqliteItems } from "#adapters/sqlite/items";
import { itemsContract } from "#test/contracts/items.contract";

const opened: StateDatabase[] = [];
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
});

function openItems() {
  const sql = new DatabaseSync(":memory:");
  sql.exec(itemTables);
  const database = plainDatabase(sql);
  opened.push(database);
  return sqliteItems(database);
}

describe("items in SQLite", () => {
  itemsContract(async () => openItems().items);
});

describe("the changes of items", () => {
  const item = (sk: string, value: unknown) => ({ pk: "P", sk, form: 1, value });

  it("have each written form, in order, until they are handled", async () => {
    const { items, changes } = openItems();
    let calls = 0;
    changes.onWrite(() => (calls += 1));
    await items.write([{ kind: "put", item: item("a", 1), isChange: true }], "writing");
    await items.write([{ kind: "put", item: item("b", 0) }], "writing");
    await items.write([{ kind: "put", item: item("a", 2), isChange: true, if: { kind: "absent" } }], "writing");
    await items.write([{ kind: "put", item: item("a", 3), isChange: true }], "writing");

    const [first] = await changes.take(1);
    expect(first).toEqual({ id: "1", item: item("a", 1) });
    await changes.done(["1"]);
    expect(await changes.take(10)).toEqual([{ id: "2", item: item("a", 3) }]);
    expect(calls).toBe(2);
  });
});
