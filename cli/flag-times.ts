import { parseDuration } from "#domain/shared/duration";
import { durationMs, type EpochMs, parseInstant, plus, toIso } from "#domain/shared/time";
import { exitCodes, Failure } from "./failure.ts";

/** Returns the instant of a flag: a time, or a duration before now. Throws a Failure for other text. */
export function instantOfFlag(flag: string, text: string, now: EpochMs): string {
  const instant = parseInstant(text);
  if (instant !== undefined) return toIso(instant);
  const ago = parseDuration(text);
  if (ago.ok) return toIso(plus(now, durationMs(0 - ago.value)));
  throw new Failure(exitCodes.wrongInput, `${flag} "${text}" is neither a duration nor an instant.`, [
    "For example: 2h, 7d, 2026-11-21T09:00:00Z",
  ]);
}
