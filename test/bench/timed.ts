import { type Row, rowOf } from "./figures.ts";

/** Returns the milliseconds of one run, as the mean of many runs. */
export function timed(runs: number, run: (number: number) => unknown): number {
  const start = performance.now();
  for (let number = 0; number < runs; number += 1) run(number);
  return (performance.now() - start) / runs;
}

const warmUps = 5_000;
const runsAtOnce = 20;

/**
 * Measures a warm function in microseconds, in short batches that other programs seldom interrupt.
 * Each round has fifty batches.
 */
export function microsecondsRow(what: string, rounds: number, run: (number: number) => unknown): Row {
  timed(warmUps, run);
  const each = Array.from({ length: 50 * rounds }, () => timed(runsAtOnce, run) * 1_000);
  return rowOf(what, each, "µs");
}
