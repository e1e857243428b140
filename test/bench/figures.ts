import { alignedText } from "../../tools/page-sections.ts";

/** The summary of a series of measurements, in their unit. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** One row of the table: the quantity, its unit and the number of measurements. */
export interface Row {
  readonly what: string;
  readonly spread: Spread;
  readonly unit: "µs" | "ms" | "s" | "×" | "MB" | "requests" | "lines/s" | "a second" | "cores" | "";
  readonly count: number;
}

/** Returns the minimum, the median and the maximum of numbers. @throws Error without a number */
export function spreadOf(numbers: readonly number[]): Spread {
  const sorted = [...numbers].sort((one, other) => one - other);
  const [min, max] = [sorted[0], sorted.at(-1)];
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  if (min === undefined || max === undefined || low === undefined || high === undefined)
    throw new Error("there is no measurement");
  return { min, median: (low + high) / 2, max };
}

/** Returns a row of measurements. */
export function rowOf(what: string, numbers: readonly number[], unit: Row["unit"] = "ms"): Row {
  return { what, spread: spreadOf(numbers), unit, count: numbers.length };
}

/** Returns the rows as a block of aligned text. */
export function tableOf(rows: readonly Row[]): string {
  const body = rows.map(({ what, spread: { min, median, max }, unit, count }) => [
    what,
    `${textOf(median, unit)} ${unit}`.trimEnd(),
    count === 1 ? "" : `${textOf(min, unit)}–${textOf(max, unit)}`,
  ]);
  return alignedText([["measured", "median", "range"], ...body]);
}

function textOf(value: number, unit: Row["unit"]): string {
  if (["requests", "lines/s", "a second", ""].includes(unit)) return String(Math.round(value));
  if (unit === "×") return value.toFixed(value < 0.1 ? 3 : 2);
  return value.toFixed(unit === "ms" && value >= 1 ? (value < 10 ? 1 : 0) : 2);
}
