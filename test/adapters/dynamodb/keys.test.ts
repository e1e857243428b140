import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dueAfter, dueKey, dueShard } from "#adapters/dynamodb/due-index";
import { workloadIn } from "#adapters/dynamodb/keys";
import { ledgerKey } from "#adapters/dynamodb/ledger";
import { recordKey } from "#adapters/dynamodb/record-item";
import { workloadIndexKey } from "#adapters/dynamodb/workload-index";
import { epochMs } from "#domain/shared/time";

const instant = fc.integer({ min: 0, max: 8_640_000_000_000_000 / 10 }).map(epochMs);
const count = fc.integer({ min: 0, max: 999_999_999_999 });
const sign = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

describe("sort keys", () => {
  it("of the ledger sort as versions do, then as updates do", () => {
    fc.assert(
      fc.property(count, count, count, count, (version, seq, otherVersion, otherSeq) => {
        const order = Math.sign(version - otherVersion) || Math.sign(seq - otherSeq);
        expect(sign(ledgerKey("w", version, seq).sk, ledgerKey("w", otherVersion, otherSeq).sk)).toBe(order);
      }),
    );
  });

  it("of the due index sort as instants do, and end where the next instant begins", () => {
    fc.assert(
      fc.property(instant, instant, (one, other) => {
        const [first, second] = [dueKey("uid", one).dueSk, dueKey("uid", other).dueSk];
        expect(sign(first, second)).toBe(Math.sign(one - other));
        expect(first < dueAfter(other)).toBe(one <= other);
      }),
    );
  });
});

describe("partitions of the due index", () => {
  it("get equal shares", () => {
    const shares = Array.from({ length: 16 }, () => 0);
    for (let uid = 0; uid < 4_000; uid++) shares[dueShard(`uid-${String(uid)}`)]! += 1;
    expect(Math.min(...shares)).toBeGreaterThan(150);
    expect(Math.max(...shares)).toBeLessThan(350);
  });
});

describe("the key of a workload", () => {
  it("is read back from the keys of its items", () => {
    const key = "prod/shop/deployment/api";
    expect([recordKey(key).pk, workloadIndexKey("prod", key).sk].map(workloadIn)).toEqual([key, key]);
    expect(workloadIn("CLUSTER#prod")).toBeUndefined();
  });
});
