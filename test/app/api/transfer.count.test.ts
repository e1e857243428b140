import { describe, expect, it } from "vitest";
import type { Ports } from "#app/shared/ports";
import { importState } from "#app/api/transfer";
import type { ExportHeader, TransferRow } from "#contracts/api/transfer";
import { afterImport, anew, exported, kindOf, lived } from "../moved.ts";

describe("the count of an import", () => {
  const kindsStored = async (rows: readonly TransferRow[], header: ExportHeader, ports: Ports) => {
    const stored: string[] = [];
    for (const row of rows) {
      const outcome = await importState({ header, firstLine: 2, rows: [row] }, ports);
      if ("stored" in outcome && outcome.stored === 1) stored.push(kindOf(row));
    }
    return stored;
  };

  it.each([
    { repository: "swept", isSwept: true, counts: ["repository"] },
    { repository: "not swept yet, which those who are subscribed have entered", isSwept: false, counts: [] },
  ])("has each line once, of a repository that is $repository", async ({ isSwept, counts }) => {
    const { lookout } = await lived();
    if (isSwept) await lookout.sweep();
    const from = lookout.ports;
    await from.registrations.put({ name: "pay", eks: { name: "pay-1" }, by: "ana", at: from.clock.now() });
    const { header, rows } = await exported(from);
    const ports = anew(lookout);

    const stored = await kindsStored(rows, header, ports);

    expect(stored).toEqual(["freeze", "quarantined", "record", ...counts, "history", "registration"]);
    expect(await kindsStored(rows, header, ports)).toEqual([]);
    expect(await exported(ports)).toEqual({ header, rows: rows.map(afterImport) });
  });

  it("includes a repository whose moves or known tags were missing", async () => {
    const { lookout } = await lived();
    const { header, rows } = await exported(lookout.ports);
    const [told] = rows.filter((row) => kindOf(row) === "repository");
    const move = { tag: "main", digest: `sha256:${"b".repeat(64)}`, movedAt: lookout.ports.clock.now() };
    const moved = { ...told!, items: [...told!.items, { kind: "move", form: 1, value: move }] };
    const known = { ...moved, items: [...moved.items, { kind: "listing", form: 1, value: [1, 2] }] };

    const stored = await kindsStored([told!, moved, moved, known, known], header, lookout.ports);

    expect(stored).toEqual(["repository", "repository"]);
  });
});
