import { type Row, rowOf } from "./figures.ts";

/** Milliseconds for one of so many runs. */
export function timed(runs: number, run: (number: number) => unknown): number {
  const start = performance.now();
  for (let number = 0; number < runs; number += 1) run(number);
  return (performance.now() - start) / runs;
}

const warmUps = 5_000;
const runsAtOnce = 20;

/** Measures what takes microseconds once it is warm: in batches so short that other programs seldom come between, fifty for each round. */
export function microsecondsRow(what: string, rounds: number, run: (number: number) => unknown): Row {
  timed(warmUps, run);
  const each = Array.from({ length: 50 * rounds }, () => timed(runsAtOnce, run) * 1_000);
  return rowOf(what, each, "µs");
}
