import { PatternLineSchema, readLine } from "#contracts/batch";
import { matchesPattern, parseEventPattern } from "#domain/event-pattern";
import { badLineRefusal, type LineAnswer, refusal } from "./lines.ts";

/** Whether an event is one that a pattern means. */
export interface PatternAnswer {
  readonly ok: true;
  readonly matches: boolean;
}

/** Answers a line of `lookout pattern match --batch`, by the very function that the local bus asks. */
export function answerPatternLine(line: string): LineAnswer | PatternAnswer {
  const read = readLine(PatternLineSchema, line);
  if (!read.ok) return badLineRefusal(read.problem);
  const rule = parseEventPattern(read.value.pattern);
  return rule.ok ? { ok: true, matches: matchesPattern(rule.value, read.value.event) } : refusal(rule.problem);
}
