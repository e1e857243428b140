import { beforeEach, expect, it } from "vitest";
import type { HistoryRow } from "#domain/history/history-row";
import { type EpochMs, epochMs, hours, minutes, plus } from "#domain/shared/time";
import type { History, HistoryPart } from "#ports/history";
import { start } from "./records.ts";

const row = (at: EpochMs, id = `freeze/*/${at}`): HistoryRow => ({
  id,
  at,
  action: { what: "freeze", by: "ana", why: "sale", provedBy: "token" },
  scope: "*",
  images: [],
});

/** What every history does, whatever keeps it. */
export function historyContract(makeHistory: () => Promise<History>): void {
  let history: History;
  beforeEach(async () => {
    history = await makeHistory();
  });
  const all: HistoryPart = { since: epochMs(0), until: plus(start, hours(24 * 90)), limit: 100 };
  const rowsOf = async (part: Partial<HistoryPart> = {}) =>
    (await history.read({ ...all, ...part })).rows.map((one) => one.row);

  // From the last hour of February into April: three partitions.
  const rows = [-1, 0, 1, 24 * 30, 24 * 31].map((later) => row(plus(start, hours(later))));

  it("a history lists rows of several months, the newest first", async () => {
    await history.append(rows.slice(2));
    await history.append(rows.slice(0, 2));

    expect(await rowsOf()).toEqual(rows.toReversed());
    expect(await rowsOf({ since: rows[1]!.at, until: rows[4]!.at })).toEqual([rows[3], rows[2], rows[1]]);
    expect(await rowsOf({ since: plus(start, hours(24 * 60)) })).toEqual([]);
  });

  it("a history is read page by page, without gaps and repeats", async () => {
    const many = Array.from({ length: 25 }, (_, index) => row(plus(start, minutes(index - 12))));
    await history.append(many);

    const read: HistoryRow[] = [];
    let after: string | undefined;
    do {
      const page = await history.read({ ...all, limit: 4, ...(after === undefined ? {} : { after }) });
      read.push(...page.rows.map((one) => one.row));
      after = page.next;
    } while (after !== undefined);
    expect(read).toEqual(many.toReversed());
  });

  it("a history keeps the first of two rows with one id and instant, and two ids of one instant", async () => {
    const again = { ...row(start), detail: "again" };
    await history.append([row(start), row(start, "b")]);
    await history.append([again]);

    expect(await rowsOf()).toEqual(
      [row(start), row(start, "b")].toSorted((one, other) => (one.id < other.id ? 1 : -1)),
    );
  });
}
