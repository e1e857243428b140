import { describe, expect, it } from "vitest";
import { memoryMetrics } from "#adapters/memory/metrics";
import type { Measurement } from "#domain/update/effects/metrics";
import type { UnreadableItem } from "#ports/unreadable-items";
import { unreadableItems } from "#runtime/unreadable-items";

const item = (sk: string): UnreadableItem => ({ kind: "freeze", key: { pk: "FREEZE", sk }, why: "is damaged" });

function collector() {
  let now = 0;
  const counted: Measurement[] = [];
  const found = unreadableItems(() => now);
  found.countIn(memoryMetrics(counted));
  return { found, counted, pass: (ms: number) => void (now += ms) };
}

describe("the unreadable items of a process", () => {
  it("are known since a number of sights, each once, the last sight last", () => {
    const { found } = collector();
    found.onUnreadable(item("one"));
    const before = found.sights();
    expect(found.seenSince(before)).toEqual([]);
    for (const sk of ["two", "one", "two"]) found.onUnreadable(item(sk));

    expect(found.seenSince(before)).toEqual([item("one"), item("two")]);
    expect(found.seenSince(0)).toEqual([item("one"), item("two")]);
  });

  it("are counted once a minute, with their kind, key and cause for the log", () => {
    const { found, counted, pass } = collector();
    for (const ms of [0, 1_000, 58_999]) {
      pass(ms);
      found.onUnreadable(item("one"));
    }
    const once = [
      { name: "RecordsUnreadable", value: 1, about: { kind: "freeze", item: "FREEZE, one", why: "is damaged" } },
    ];
    expect(counted).toEqual(once);
    pass(1);
    found.onUnreadable(item("one"));
    expect(counted).toEqual([...once, ...once]);
  });

  it("are a hundred at most, in memory and in a minute's count", () => {
    const { found, counted, pass } = collector();
    const names = Array.from({ length: 1_000 }, (_, index) => `f${index}`);
    for (const name of names) found.onUnreadable(item(name));

    expect(counted).toHaveLength(100);
    expect(found.seenSince(0)).toEqual(names.slice(900).map(item));
    pass(60_000);
    found.onUnreadable(item("f999"));
    expect(counted).toHaveLength(101);
  });

  it("are kept without metrics", () => {
    const found = unreadableItems();
    found.onUnreadable(item("one"));
    expect(found.seenSince(0)).toEqual([item("one")]);
  });
});
