import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { epochMs } from "#domain/shared/time";
import { plainDatabase, type StateDatabase } from "#adapters/sqlite/database";
import { sqliteItems } from "#adapters/sqlite/items";
import { tables } from "#adapters/sqlite/schema";
import { itemsContract } from "#test/contracts/items.contract";

const opened: StateDatabase[] = [];
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
});

function openItems() {
  const sql = new DatabaseSync(":memory:");
  sql.exec(tables);
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

describe("an expired item", () => {
  const day = 86_400_000;
  const openExpiring = async () => {
    const { items, expire } = openItems();
    const item = { pk: "P", sk: "a", form: 1, value: 1, expiresAt: epochMs(10 * day) };
    await items.write(
      [
        { kind: "put", item },
        { kind: "put", item: { ...item, sk: "kept", expiresAt: epochMs(900 * day) } },
      ],
      "w",
    );
    const left = async (...readings: readonly number[]) => {
      for (const reading of readings) await expire(epochMs(reading));
      return (await items.query({ pk: "P" }, "r")).map(({ sk }) => sk);
    };
    return left;
  };

  it("is deleted after two readings of the clock that are a day apart", async () => {
    const left = await openExpiring();

    expect(await left(9 * day, 11 * day)).toEqual(["a", "kept"]);
    expect(await left(12 * day - 1)).toEqual(["a", "kept"]);
    expect(await left(12 * day)).toEqual(["kept"]);
  });

  it.each([
    { when: "for one reading", readings: [9 * day, 509 * day, 9 * day + 1, 9 * day + 2] },
    { when: "for many readings", readings: [9 * day, 509 * day, 509 * day + 1, 509 * day + 2, 9.5 * day, 9.6 * day] },
    { when: "at the first reading", readings: [509 * day, 9 * day, 9.1 * day] },
  ])("is kept while the clock is 500 days ahead $when", async ({ readings }) => {
    const left = await openExpiring();

    expect(await left(...readings)).toEqual(["a", "kept"]);
  });
});
