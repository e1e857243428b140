import { checkAgainAfter } from "#domain/update/next-commands";
import { durationMs, type DurationMs, epochMs, plus, since } from "#domain/shared/time";
import type { CostRow } from "./cost.ts";
import { prices } from "./prices.ts";

const row = (what: string, amount: number, price: number): CostRow => ({ what, amount, dollars: amount * price });

/** Of each version from the second update on; `test/adapters/dynamodb/record-item.size.test.ts` measures it. */
const unitsOfRecord = 4;

/**
 * What the rules of an update ask for, however it is written: its five versions (released, intended, patched, running, succeeded). In a
 * transaction each unit costs twice, and the first and the last are in one with their slot, so that none is lost.
 */
export const leastOfUpdate: readonly CostRow[] = [
  row("units for five versions of the record, two with a slot", (3 + 2 * 2) * unitsOfRecord, prices.tableWrite),
  row("units for the slot, taken and freed", 2 * 2, prices.tableWrite),
  row("units for five rows of the ledger", 5, prices.tableWrite),
  row("five facts", 5, prices.customEvent),
  row("requests for four messages: send, fetch, delete", 4 * 3, prices.sqsRequest),
];

const gigabytesOfLook = 0.5;
const secondsOfLook = 0.05;
const logBytesOfLook = 360;

/** What a look takes, in dollars, that finds pods not ready yet: a message, a run, a read and a line of log. */
export const costOfLook =
  3 * prices.sqsRequest +
  prices.lambdaRun +
  prices.tableRead +
  gigabytesOfLook * secondsOfLook * prices.lambdaGigabyteSecond +
  (logBytesOfLook / 1e9) * prices.logGigabyte;

/** How many looks find pods not ready yet that take so long. */
export function looksBefore(ready: DurationMs): number {
  const patched = epochMs(0);
  let looks = 0;
  for (let at = plus(patched, checkAgainAfter(patched, patched)); since(patched, at) < ready; looks += 1)
    at = plus(at, checkAgainAfter(patched, at));
  return looks;
}

/** How long pods of a web service take to be ready. */
export const usualStart = durationMs(30_000);
