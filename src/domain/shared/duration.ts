import { ok, problem } from "./result.ts";
import type { Result } from "./result.ts";
import { shortened } from "./shown-text.ts";
import { durationMs } from "./time.ts";
import type { DurationMs } from "./time.ts";

const NANOSECONDS_PER_UNIT: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["µs", 1_000n], // U+00B5, micro sign
  ["μs", 1_000n], // U+03BC, Greek mu
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
  ["d", 86_400_000_000_000n],
]);

/** Go's longest duration: a signed 64-bit number of nanoseconds, about 292 years. */
const LONGEST = 9_223_372_036_854_775_807n;

/** One number with its unit. The character classes are disjoint, so matching takes linear time. */
const TERM = /(\d*)(?:\.(\d*))?([^\d.]*)/y;

/**
 * Parses a duration as Go's `time.ParseDuration` does (`10m`, `1h30m`, `1.5h`, `+90s`, `0`), and
 * days (`2d`) of 24 hours each.
 *
 * Terms are added up and may come in any order. A duration is never negative and never blank.
 * Fractions of a millisecond are rounded up, so that a wait is never shorter than written.
 *
 * @returns a problem that shows the text and its fault.
 * @see https://pkg.go.dev/time#ParseDuration
 */
export function parseDuration(text: string): Result<DurationMs, string> {
  const total = nanosecondsOf(text);
  if (typeof total === "bigint") return ok(durationMs(Number((total + 999_999n) / 1_000_000n)));
  return problem(`"${shortened(text, 100)}": not a duration: ${total} (expected for example 10m, 1h30m or 2d)`);
}

/** Returns the sum of the terms, or the problem of a term. */
function nanosecondsOf(text: string): bigint | string {
  if (text === "") return "it is empty";
  if (text.startsWith("-")) return "it is negative";
  if (text === "0" || text === "+0") return 0n;

  let total = 0n;
  TERM.lastIndex = text.startsWith("+") ? 1 : 0;
  do {
    const term = nanosecondsOfTerm(TERM.exec(text) ?? []);
    if (typeof term === "string") return term;
    total += term;
    if (total > LONGEST) return "it is longer than 292 years";
  } while (TERM.lastIndex < text.length);
  return total;
}

function nanosecondsOfTerm([term = "", whole = "", fraction = "", unit = ""]: readonly string[]): bigint | string {
  if (whole === "" && fraction === "") return "a number is missing";
  if (unit === "") return `"${shortened(term, 40)}" has no unit`;
  const scale = NANOSECONDS_PER_UNIT.get(unit);
  return scale === undefined ? `"${shortened(unit, 40)}" is not a unit` : nanoseconds(whole, fraction, scale);
}

/**
 * Returns the exact nanoseconds of one term. With floating point, 1.1 h would exceed 66 minutes.
 */
function nanoseconds(whole: string, fraction: string, scale: bigint): bigint {
  const significant = whole.replace(/^0+/, "");
  if (significant.length > 19) return LONGEST + 1n;
  const decimals = fraction.slice(0, 18);
  return BigInt(`0${significant}`) * scale + (BigInt(`0${decimals}`) * scale) / 10n ** BigInt(decimals.length);
}

/**
 * Returns a duration in whole days, hours, minutes and seconds: `2d`, `1h30m`; `0s` below a second.
 */
export function formatDuration(duration: DurationMs): string {
  let rest = Math.floor(duration / 1_000);
  let text = "";
  for (const [unit, size] of UNITS_OF_SECONDS) {
    if (rest >= size) text += `${String(Math.floor(rest / size))}${unit}`;
    rest %= size;
  }
  return text === "" ? "0s" : text;
}

const UNITS_OF_SECONDS = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
] as const;
