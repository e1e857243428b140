import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { workloadIn, workloadPartition } from "#stored/keys";
import { ledgerKey } from "#stored/ledger";
import { recordKey } from "#stored/records";

const count = fc.integer({ min: 0, max: 999_999_999_999 });
const sign = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

describe("sort keys", () => {
  it("of the ledger sort as versions do, then as updates do", () => {
    const skOf = (version: number, seq: number) => ledgerKey({ workload: "w", version, seq }).sk;
    fc.assert(
      fc.property(count, count, count, count, (version, seq, otherVersion, otherSeq) => {
        const order = Math.sign(version - otherVersion) || Math.sign(seq - otherSeq);
        expect(sign(skOf(version, seq), skOf(otherVersion, otherSeq))).toBe(order);
      }),
    );
  });
});

describe("the key of a workload", () => {
  it("is read back from the keys of its items", () => {
    const key = "prod/shop/deployment/api";
    expect([recordKey(key).pk, workloadPartition(key)].map(workloadIn)).toEqual([key, key]);
    expect(workloadIn("CLUSTER#prod")).toBeUndefined();
  });
});
