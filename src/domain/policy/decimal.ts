import { compareTexts } from "../shared/text-order.ts";

/**
 * A decimal number of any length. `whole` has no leading zeros, and `fraction` has no trailing
 * zeros. Both are empty for zero.
 */
export interface Decimal {
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
}

/**
 * Parses a plain decimal number: `42`, `-1.50`, `007`.
 *
 * Exponents and hexadecimal digits are rejected, because a commit such as `12e4567` is no number.
 *
 * @returns undefined for any other text.
 */
export function parseDecimal(text: string): Decimal | undefined {
  const parts = /^(?<sign>[+-]?)(?<whole>\d+)(?:\.(?<fraction>\d+))?$/.exec(text)?.groups;
  if (parts?.whole === undefined) return undefined;
  const whole = parts.whole.replace(/^0+/, "");
  const fraction = (parts.fraction ?? "").replace(/0+$/, "");
  return { negative: parts.sign === "-" && whole + fraction !== "", whole, fraction };
}

/** Compares numbers of any length exactly: negative when the first is lower. */
export function compareDecimals(one: Decimal, other: Decimal): number {
  if (one.negative !== other.negative) return one.negative ? -1 : 1;
  // The negative number with the larger absolute value is lower.
  const [low, high] = one.negative ? [other, one] : [one, other];
  return (
    low.whole.length - high.whole.length ||
    compareTexts(low.whole, high.whole) ||
    compareTexts(low.fraction, high.fraction)
  );
}
