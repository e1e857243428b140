import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { plainDatabase } from "#adapters/sqlite/database";
import { sqliteItems } from "#adapters/sqlite/items";
import { tables } from "#adapters/sqlite/schema";
import { minutes } from "#domain/shared/time";
import type { UnreadableItem } from "#ports/unreadable-items";
import { storedState } from "#stored/index";
import { aRecord, noon } from "#test/domain/builders";

function openState() {
  const sql = new DatabaseSync(":memory:");
  sql.exec(tables);
  const { items } = sqliteItems(plainDatabase(sql));
  const told: UnreadableItem[] = [];
  const storage = { items, onUnreadable: (item: UnreadableItem) => void told.push(item) };
  return { ...storedState(storage, { newName: () => "abc123", checksLagAtMost: minutes(30) }), items, told };
}

const digest = (sign: string) => `sha256:${sign.repeat(64)}`;

describe("an item that can't be read", () => {
  it("is told, and hides none of the others", async () => {
    const { items, store, told } = openState();
    const [one, two, three] = ["one", "two", "three"].map((name) => {
      const workload = { ...aRecord().workload, name };
      return aRecord({ workload, version: 1 });
    });
    for (const record of [one, two, three]) await store.write(record!);
    const spoil = { pk: "WORKLOAD#prod/shop/deployment/two", sk: "WORKLOAD" };
    await items.write([{ kind: "put", item: { ...spoil, form: 1, value: { tracked: true } } }], "spoiling");
    const keys = ["one", "two", "three"].map((name) => `prod/shop/deployment/${name}`);

    expect(await store.readMany(keys)).toEqual([one, three]);
    expect(told).toEqual([
      {
        kind: "record of a workload",
        key: spoil,
        why: 'is damaged: its member "workload" is missing',
      },
    ]);
    await expect(store.read(keys[1]!)).rejects.toThrow('is damaged: its member "workload" is missing');
  });

  it("of a newer Lookout is kept for that Lookout", async () => {
    const { items, store, told } = openState();
    const newer = { pk: "WORKLOAD#prod/shop/deployment/api", sk: "WORKLOAD" };
    await items.write([{ kind: "put", item: { ...newer, form: 2, value: {} } }], "writing");

    expect(await store.readMany(["prod/shop/deployment/api"])).toEqual([]);
    expect(told).toEqual([
      { kind: "record of a workload", key: newer, why: "has the form 2 of a newer Lookout: run that version" },
    ]);
    await expect(store.read("prod/shop/deployment/api")).rejects.toMatchObject({ name: "NewerRecordError" });
  });

  it("still freezes its scope, and the fleet if its scope can't be read either", async () => {
    const { items, freezes, told } = openState();
    const at = (sk: string) => items.write([{ kind: "put", item: { pk: "FREEZE", sk, form: 9, value: 1 } }], "writing");
    await freezes.put({ scope: { cluster: "prod" }, by: "ana", why: "sale", at: noon });
    await at("prod/shop");
    await at("%");

    expect((await freezes.list()).map(({ scope, by }) => [scope, by])).toEqual([
      [{}, "lookout"],
      [{ cluster: "prod" }, "ana"],
      [{ cluster: "prod", namespace: "shop" }, "lookout"],
    ]);
    expect(told.map(({ key }) => key.sk)).toEqual(["%", "prod/shop"]);
  });

  it("still keeps its digest in quarantine", async () => {
    const { items, quarantine } = openState();
    const key = { pk: "QUARANTINE", sk: `ALL#${digest("a")}` };
    await items.write([{ kind: "put", item: { ...key, form: 1, value: [] } }], "writing");

    expect(await quarantine.among([digest("a"), digest("b")])).toMatchObject([{ digest: digest("a"), by: "lookout" }]);
  });
});
