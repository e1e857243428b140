import { checkAgainAfter } from "#domain/update/effects/commands";
import { durationMs, type DurationMs, epochMs, plus, since } from "#domain/shared/time";
import type { CostRow } from "./cost.ts";
import { prices } from "./prices.ts";

const row = (what: string, amount: number, price: number): CostRow => ({ what, amount, dollars: amount * price });

/**
 * The write units of each record version from the second update on, from
 * `test/adapters/dynamodb/record-item.size.test.ts`.
 */
const unitsOfRecord = 4;

/**
 * The minimum cost of an update: its five versions (released, patching, patched, running,
 * succeeded). A unit in a transaction costs twice. The first and the last version are in a
 * transaction with their slot.
 */
export const leastOfUpdate: readonly CostRow[] = [
  row("units for five versions of the record, two with a slot", (3 + 2 * 2) * unitsOfRecord, prices.tableWrite),
  row("units for the slot, taken and freed", 2 * 2, prices.tableWrite),
  row("units for five rows of the ledger", 5, prices.tableWrite),
  // The row of the list: it is read for each version, and written for each version that changes it.
  row("units for four rows of the list", 4, prices.tableWrite),
  row("units for five reads of that row", 5, prices.tableRead),
  row("units for the ended update, two runs of digests, what runs, two steps of a push", 6, prices.tableWrite),
  row("five facts", 5, prices.customEvent),
  row("requests for four messages: send, fetch, delete", 4 * 3, prices.sqsRequest),
];

const gigabytesOfLook = 0.5;
const secondsOfLook = 0.05;
const logBytesOfLook = 360;

/**
 * The cost of a check that finds pods not ready, in dollars: a message, a run, a read and a log
 * line.
 */
export const costOfLook =
  3 * prices.sqsRequest +
  prices.lambdaRun +
  prices.tableRead +
  gigabytesOfLook * secondsOfLook * prices.lambdaGigabyteSecond +
  (logBytesOfLook / 1e9) * prices.logGigabyte;

/** Returns the number of checks before pods are ready. */
export function looksBefore(ready: DurationMs): number {
  const patched = epochMs(0);
  let looks = 0;
  for (let at = plus(patched, checkAgainAfter(patched, patched)); since(patched, at) < ready; looks += 1)
    at = plus(at, checkAgainAfter(patched, at));
  return looks;
}

/** The usual time until pods of a web service are ready. */
export const usualStart = durationMs(30_000);
