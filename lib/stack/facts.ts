/** Rules for the facts of an installation. */
import type { OnEventOptions } from "aws-cdk-lib/aws-events";
import { type EventBus, Rule } from "aws-cdk-lib/aws-events";
import { eventSource, type FactName } from "#contracts/messages/events";
import type { Construct } from "constructs";

/** Creates a rule for facts about updates, in the scope of the target's owner. */
export function onFacts(
  scope: Construct,
  id: string,
  { bus, names }: { readonly bus: EventBus; readonly names: readonly [FactName, ...FactName[]] },
  { target, eventPattern, ...options }: OnEventOptions,
): Rule {
  const rule = new Rule(scope, id, {
    ...options,
    eventBus: bus,
    eventPattern: { ...eventPattern, source: [eventSource], detailType: [...names] },
  });
  if (target !== undefined) rule.addTarget(target);
  return rule;
}
