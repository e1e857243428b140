import { type EventRule, parseEventPattern } from "#domain/event-pattern";
import type { EventPattern } from "./events.ts";

/*
 * The patterns of our rules, ready to be asked. The stack deploys the same patterns, so that a bus without EventBridge takes what EventBridge
 * takes.
 */

/**
 * Makes a pattern of the contracts ready to be asked.
 *
 * @throws Error when it is none: a fault of ours, which EventBridge would refuse at the deployment.
 */
export function ruleOf(pattern: EventPattern): EventRule {
  const rule = parseEventPattern(pattern);
  if (rule.ok) return rule.value;
  throw new Error(`our own pattern is none: ${rule.problem.message}`);
}
