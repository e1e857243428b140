import { matchesPattern } from "#domain/event-pattern";
import type { ImagePushed } from "#domain/events";
import { ruleOf } from "./event-rules.ts";
import { imagePushedSchema } from "./event-schemas.ts";
import { ecrPushPattern, ecrPushTransform } from "./events.ts";
import { transformed } from "./input-transformer.ts";

/** An event of EventBridge, as far as the rule for pushes to ECR reads it. */
export interface EcrEvent extends Readonly<Record<string, unknown>> {
  readonly account: string;
  readonly region: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * Does with an event what the deployed rule does: undefined when its pattern does not take it, else what its transform makes of it, or
 * `unreadable` when the function behind it can't read that.
 *
 * @param accounts - whose pushes count.
 */
export function ecrPushOf(
  event: EcrEvent,
  accounts: readonly [string, ...string[]],
): ImagePushed | "unreadable" | undefined {
  if (!matchesPattern(ruleOf(ecrPushPattern(accounts)), event)) return undefined;
  try {
    return imagePushedSchema.parse(JSON.parse(transformed(ecrPushTransform(ecrUrlSuffix(event.region)), event)));
  } catch {
    return "unreadable";
  }
}

/** Answers the domain of the hosts of a region's partition; the stack takes it from its own. */
export function ecrUrlSuffix(region: string): string {
  return region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
}
