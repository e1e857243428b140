import { expect, it } from "vitest";
import { epochMs } from "#domain/shared/time";
import type { Condition, Item, ItemKey, Items, ItemWrite } from "#ports/items";

const doing = "testing";
const key = (sk: string, pk = "P"): ItemKey => ({ pk, sk });
const anItem = (sk: string, given: Partial<Item> = {}): Item => ({ ...key(sk), form: 1, value: { of: sk }, ...given });
const put = (item: Item, condition?: Condition): ItemWrite => ({
  kind: "put",
  item,
  ...(condition === undefined ? {} : { if: condition }),
});
const remove = (sk: string, condition?: Condition): ItemWrite => ({
  kind: "remove",
  key: key(sk),
  ...(condition === undefined ? {} : { if: condition }),
});
const written = { kind: "written" };

/** What every engine of items does. */
export function itemsContract(makeItems: () => Promise<Items>): void {
  it("an item is read as it was written, in place of the one before", async () => {
    const items = await makeItems();
    const whole = anItem("a", {
      form: 3,
      value: { text: "é\u0000\u{1f600}", list: [1, -0.5, null, true, { deep: {} }], empty: "" },
      marks: { version: 7, owner: "x", isFound: true },
      dueAt: epochMs(1_000),
      expiresAt: epochMs(5_000),
    });
    await items.write([put(anItem("a", { value: 1 }))], doing);
    await items.write([put(whole)], doing);

    expect(await items.get(key("a"), doing)).toEqual(whole);
    expect(await items.get(key("b"), doing)).toBeUndefined();
    expect(await items.get(key("a", "Q"), doing)).toBeUndefined();
  });

  it("bytes are read as they were written", async () => {
    const items = await makeItems();
    const value = Uint8Array.from([0, 1, 255, 128]);
    await items.write([put(anItem("a", { value }))], doing);

    expect(new Uint8Array((await items.get(key("a"), doing))?.value as Uint8Array)).toEqual(value);
  });

  it("many items are read once each, without those that do not exist", async () => {
    const items = await makeItems();
    const all = Array.from({ length: 130 }, (_, index) => anItem(String(index).padStart(3, "0")));
    for (const item of all) await items.write([put(item)], doing);
    const read = await items.getMany([...all, ...all, key("none")], doing);

    expect(read.toSorted((one, other) => (one.sk < other.sk ? -1 : 1))).toEqual(all);
    expect(await items.getMany([], doing)).toEqual([]);
  });

  it.each([
    { query: {}, found: ["A", "T#", "T#a", "T#b", "T#é", "U"] },
    { query: { prefix: "" }, found: ["A", "T#", "T#a", "T#b", "T#é", "U"] },
    { query: { prefix: "T#" }, found: ["T#", "T#a", "T#b", "T#é"] },
    { query: { prefix: "T#", after: "T#a" }, found: ["T#b", "T#é"] },
    { query: { prefix: "T#", after: "A" }, found: ["T#", "T#a", "T#b", "T#é"] },
    { query: { after: "T#b" }, found: ["T#é", "U"] },
    { query: { limit: 2 }, found: ["A", "T#"] },
    { query: { limit: 2, newestFirst: true }, found: ["U", "T#é"] },
    { query: { prefix: "T#", newestFirst: true }, found: ["T#é", "T#b", "T#a", "T#"] },
    { query: { before: "T#b" }, found: ["A", "T#", "T#a"] },
    { query: { before: "T#b", limit: 2, newestFirst: true }, found: ["T#a", "T#"] },
    { query: { after: "A", before: "T#b" }, found: ["T#", "T#a"] },
    { query: { after: "A", before: "T#é", limit: 2, newestFirst: true }, found: ["T#b", "T#a"] },
    { query: { prefix: "T#", before: "T#b" }, found: ["T#", "T#a"] },
    { query: { prefix: "T#", before: "A" }, found: [] },
    { query: { prefix: "X" }, found: [] },
  ])("a query of $query finds $found, in this order", async ({ query, found }) => {
    const items = await makeItems();
    for (const sk of ["U", "T#é", "T#b", "A", "T#", "T#a"]) await items.write([put(anItem(sk))], doing);
    await items.write([put({ ...anItem("T#other"), pk: "Q" })], doing);

    expect((await items.query({ pk: "P", ...query }, doing)).map(({ sk }) => sk)).toEqual(found);
    expect(await items.sortKeys({ pk: "P", ...query }, doing)).toEqual(found);
  });

  const marks = { version: 2, owner: "x" };
  it.each<{ condition: Condition; holds: boolean; without: boolean }>([
    { condition: { kind: "absent" }, holds: false, without: true },
    { condition: { kind: "equals", mark: "version", value: 2 }, holds: true, without: false },
    { condition: { kind: "equals", mark: "version", value: 3 }, holds: false, without: false },
    { condition: { kind: "equals", mark: "version", value: "2" }, holds: false, without: false },
    { condition: { kind: "equals", mark: "none", value: 2 }, holds: false, without: false },
    { condition: { kind: "differs", mark: "owner", value: "y" }, holds: true, without: false },
    { condition: { kind: "differs", mark: "owner", value: "x" }, holds: false, without: false },
    { condition: { kind: "differs", mark: "none", value: "x" }, holds: false, without: false },
    { condition: { kind: "at-most", mark: "version", value: 2 }, holds: true, without: false },
    { condition: { kind: "at-most", mark: "version", value: 1 }, holds: false, without: false },
    { condition: { kind: "at-most", mark: "version", value: "9" }, holds: false, without: false },
    {
      condition: { kind: "any", of: [{ kind: "absent" }, { kind: "equals", mark: "owner", value: "x" }] },
      holds: true,
      without: true,
    },
    {
      condition: {
        kind: "all",
        of: [
          { kind: "equals", mark: "owner", value: "x" },
          { kind: "any", of: [{ kind: "at-most", mark: "version", value: 1 }, { kind: "absent" }] },
        ],
      },
      holds: false,
      without: false,
    },
  ])("a write if $condition takes place only then", async ({ condition, holds, without }) => {
    const items = await makeItems();
    const is = (yes: boolean) => (yes ? written : { kind: "refused", which: 0 });

    expect(await items.write([put(anItem("none"), condition)], doing)).toEqual(is(without));
    await items.write([put(anItem("a", { marks }))], doing);
    expect(await items.write([put(anItem("a", { value: 9, marks }), condition)], doing)).toEqual(is(holds));
    expect((await items.get(key("a"), doing))?.value).toEqual(holds ? 9 : { of: "a" });
    expect(await items.write([remove("a", condition)], doing)).toEqual(is(holds));
    expect((await items.get(key("a"), doing)) === undefined).toBe(holds);
  });

  it("a transaction writes all, or nothing and names the first refused write", async () => {
    const items = await makeItems();
    await items.write([put(anItem("b", { marks }))], doing);
    const refused = await items.write(
      [put(anItem("a"), { kind: "absent" }), put(anItem("b"), { kind: "absent" }), remove("c", { kind: "absent" })],
      doing,
    );

    expect(refused).toEqual({ kind: "refused", which: 1 });
    expect(await items.get(key("a"), doing)).toBeUndefined();
    expect(await items.write([put(anItem("a"), { kind: "absent" }), remove("b"), remove("none")], doing)).toEqual(
      written,
    );
    expect((await items.query({ pk: "P" }, doing)).map(({ sk }) => sk)).toEqual(["a"]);
  });

  it("a transaction of 100 writes takes place", async () => {
    const items = await makeItems();
    const all = Array.from({ length: 100 }, (_, index) => put(anItem(String(index).padStart(3, "0"))));

    expect(await items.write(all, doing)).toEqual(written);
    expect(await items.query({ pk: "P" }, doing)).toHaveLength(100);
  });

  it("due items are listed up to the instant, the longest due first", async () => {
    const items = await makeItems();
    for (const [sk, dueAt] of [
      ["c", 30],
      ["a", 10],
      ["b", 20],
    ] as const)
      await items.write([put(anItem(sk, { dueAt: epochMs(dueAt) }))], doing);
    await items.write([put(anItem("never"))], doing);

    expect(await items.due(epochMs(20), 10, doing)).toEqual([key("a"), key("b")]);
    expect(await items.due(epochMs(40), 2, doing)).toEqual([key("a"), key("b")]);
    await items.write([put(anItem("a"))], doing);
    await items.write([remove("b")], doing);
    expect(await items.due(epochMs(40), 10, doing)).toEqual([key("c")]);
  });

  it("many items are removed, also repeated and unknown ones", async () => {
    const items = await makeItems();
    const all = Array.from({ length: 60 }, (_, index) => anItem(`i${index}`));
    for (const item of all) await items.write([put(item)], doing);
    await items.removeMany([...all, ...all, key("none")], doing);

    expect(await items.query({ pk: "P" }, doing)).toEqual([]);
  });
}
