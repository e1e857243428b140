import type { ImagePushed } from "#domain/image/push";
import { imagePushedSchema } from "./event-schemas.ts";
import { ecrPushTransform, type EventBridgeEvent, isEcrPush } from "./events.ts";
import { transformed } from "./input-transformer.ts";

/**
 * Does with an event what the deployed rule does: undefined when its pattern does not take it, else what its transform makes of it, or
 * `unreadable` when the function behind it can't read that.
 *
 * @param accounts - whose pushes count.
 */
export function ecrPushOf(
  event: EventBridgeEvent,
  accounts: readonly string[],
): ImagePushed | "unreadable" | undefined {
  if (!isEcrPush(event, accounts)) return undefined;
  try {
    return imagePushedSchema.parse(JSON.parse(transformed(ecrPushTransform(ecrUrlSuffix(event.region)), event)));
  } catch {
    return "unreadable";
  }
}

/** Returns the domain of a region's hosts. The stack uses its own. */
export function ecrUrlSuffix(region: string): string {
  return region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
}
