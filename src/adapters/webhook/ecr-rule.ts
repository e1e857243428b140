import { imagePushedSchema } from "#contracts/messages/event-schemas";
import { ecrPushPattern, ecrPushTransform, type FlatRule, type InputTransform } from "#contracts/messages/events";
import { valueAt } from "#domain/shared/json";
import type { ImagePushed } from "#domain/image/push";
import { domainOf } from "#domain/registry/ecr-host";

/** An event of EventBridge, with the fields that the rule for pushes to ECR reads. */
export interface EventBridgeEvent extends Readonly<Record<string, unknown>> {
  readonly "detail-type": string;
  readonly account: string;
  readonly region: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * Returns whether the pattern `ecrPushPattern` matches an event. Unlike EventBridge, the function
 * rejects a field that is not a text. ECR sends no such field.
 */
export function isEcrPush(event: EventBridgeEvent, accounts: readonly string[]): boolean {
  const [first, ...others] = accounts;
  if (first === undefined) return false;
  const { detail, ...pattern } = ecrPushPattern([first, ...others]);
  return (
    Object.entries(pattern).every(([member, rules]) => isAccepted(event[member], rules)) &&
    Object.entries(detail).every(([member, rules]) => isAccepted(event.detail[member], rules))
  );
}

function isAccepted(value: unknown, rules: readonly FlatRule[]): boolean {
  if (value !== undefined && typeof value !== "string") return false;
  return rules.some((rule) => {
    if (typeof rule === "string") return value === rule;
    if ("exists" in rule) return rule.exists === (value !== undefined);
    return value !== undefined && !rule["anything-but"].includes(value);
  });
}

/**
 * Returns the push that the deployed rule makes of an event. Returns undefined when the rule's
 * pattern does not match. Returns `unreadable` when the function behind the rule would reject the
 * message.
 *
 * @param accounts - the accounts whose pushes the rule accepts.
 */
export function ecrPushOf(
  event: EventBridgeEvent,
  accounts: readonly string[],
): ImagePushed | "unreadable" | undefined {
  if (!isEcrPush(event, accounts)) return undefined;
  try {
    return imagePushedSchema.parse(JSON.parse(transformed(ecrPushTransform(domainOf(event.region)), event)));
  } catch {
    return "unreadable";
  }
}

/**
 * Returns the message that an input transformer of EventBridge makes of an event. A template is
 * JSON with variables inside texts. A variable whose path is missing becomes an empty text.
 *
 * @throws Error for a variable without a path, and for a value that is not a text.
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html
 */
export function transformed({ paths, template }: InputTransform, event: unknown): string {
  return template.replaceAll(/<([A-Za-z0-9_-]+)>/g, (_, name: string) => {
    const path = paths[name];
    if (path === undefined) throw new Error(`the template names <${name}>, which has no path`);
    const value = valueAt(event, path.split(".").slice(1));
    if (value === undefined) return "";
    if (typeof value !== "string") throw new Error(`${path} is not a text`);
    return JSON.stringify(value).slice(1, -1);
  });
}
