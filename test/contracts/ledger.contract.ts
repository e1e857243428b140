import { beforeEach, expect, it } from "vitest";
import { epochMs } from "#domain/shared/time";
import type { Ledger, LedgerRow } from "#ports/ledger";
import { start } from "./records.ts";

const row = (version: number, seq: number, workload = "prod/shop/deployment/api"): LedgerRow => ({
  workload,
  uid: "uid-1",
  seq,
  version,
  at: epochMs(start + version),
  cause: `Wake:${String(seq)}:${String(version)}`,
  transition: {
    seq,
    what: "held",
    reasons: [{ reason: "window-closed", until: epochMs(start + 60_000) }],
    changes: [],
  },
});

/** What every ledger does, whatever keeps it. */
export function ledgerContract(makeLedger: () => Promise<Ledger>): void {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await makeLedger();
  });

  it("a ledger lists a workload's rows, the newest first, up to a limit", async () => {
    const rows = [row(1, 0), row(2, 1), row(9, 1), row(10, 2), row(100, 2)];
    await ledger.append([...rows.slice(2), row(3, 1, "prod/shop/deployment/api-2")]);
    await ledger.append(rows.slice(0, 2));
    expect(await ledger.read("prod/shop/deployment/api", 50)).toEqual(rows.toReversed());
    expect(await ledger.read("prod/shop/deployment/api", 2)).toEqual([row(100, 2), row(10, 2)]);
    expect(await ledger.read("prod/shop/deployment/none", 50)).toEqual([]);
  });

  it("a ledger stores many rows at once, also beside existing rows", async () => {
    const rows = Array.from({ length: 60 }, (_, index) => row(index + 1, 1));
    await ledger.append(rows.slice(20, 30));
    await ledger.append(rows);
    expect(await ledger.read("prod/shop/deployment/api", 100)).toEqual(rows.toReversed());
  });

  it("a ledger orders rows by version, for the workload and its updates", async () => {
    const rows = [row(5, 2), row(5, 1), row(4, 0), row(3, 1)];
    await ledger.append(rows);
    await ledger.append([row(6, 0)]);
    expect(await ledger.read("prod/shop/deployment/api", 50)).toEqual([row(6, 0), ...rows]);
  });

  it("a ledger keeps the first row of a key, and says whether a row was new", async () => {
    const another = (version: number) => ({ ...row(version, 1), cause: "another" });
    expect(await ledger.append([row(1, 1)])).toBe(true);
    expect(await ledger.append([another(1), row(2, 1)])).toBe(true);
    expect(await ledger.append([])).toBe(false);
    expect(await ledger.append([row(3, 1), another(3)])).toBe(true);
    expect(await ledger.append([another(1)])).toBe(false);
    expect(await ledger.append([another(1), another(2), another(3)])).toBe(false);
    expect(await ledger.read("prod/shop/deployment/api", 50)).toEqual([row(3, 1), row(2, 1), row(1, 1)]);
  });
}
