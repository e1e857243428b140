/** The rules that bring pushes into the queue of `evaluate/image-pushed`, without code in between. */
import { Duration, Stack } from "aws-cdk-lib";
import { type EventBus, Rule, RuleTargetInput, type RuleTargetInputProperties } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { ecrPushPattern, ecrPushTransform, type EventPattern, imagePushedPattern } from "#contracts/messages/events";
import { splitByLength } from "../shared/split.ts";

/** Characters of accounts in the pattern of a rule: it takes 2,048, of which the rest is said already. */
const roomOfPattern = 1_500;
/** Twelve digits, two quotes and a comma. */
const accountLength = 15;

/** Where pushes come from, and where they go. */
export interface ImagePushesProps {
  readonly bus: EventBus;
  readonly queue: Queue;
  /** What can't be delivered to the queue. */
  readonly deadLetters: Queue;
  /** Other accounts that forward their pushes to Lookout's bus; this one may forward those of its other regions. */
  readonly memberAccounts: readonly string[];
}

/** Pushes to ECR of this account and region on its default bus; of other regions and accounts, and of webhooks and sweeps, on Lookout's own. */
export class ImagePushes extends Construct {
  constructor(scope: Construct, id: string, { bus, queue, deadLetters, memberAccounts }: ImagePushesProps) {
    super(scope, id);
    const { account, urlSuffix } = Stack.of(this);
    const { paths, template } = ecrPushTransform(urlSuffix);
    const ofEcr = new AsWritten({ inputPathsMap: { ...paths }, inputTemplate: template });
    const rule = (ruleId: string, description: string, { pattern, on, message, group }: Bringing) =>
      new Rule(this, ruleId, {
        description,
        ...(on === undefined ? {} : { eventBus: on }),
        eventPattern: deployedPattern(pattern),
        targets: [
          new SqsQueue(queue, {
            ...{ message, deadLetterQueue: deadLetters, maxEventAge: Duration.hours(24) },
            messageGroupId: group,
          }),
        ],
      });

    const pushesOf = (accounts: readonly [string, ...string[]]) => ({
      ...{ pattern: ecrPushPattern(accounts), message: ofEcr, group: "$.account" },
    });
    rule("OwnAccount", "Pushes to ECR of this account", pushesOf([account]));
    for (const [index, some] of splitByLength(
      [account, ...memberAccounts],
      roomOfPattern,
      () => accountLength,
    ).entries())
      rule(`Forwarded${index === 0 ? "" : index + 1}`, "Pushes to ECR of other regions and accounts", {
        ...pushesOf(some),
        on: bus,
      });
    rule("Published", "Pushes that Lookout was told of, or found", {
      pattern: imagePushedPattern(account),
      ...{ on: bus, message: new AsWritten({ inputPath: "$.detail" }), group: "$.detail.registry" },
    });
  }
}

/** How a rule brings pushes. */
interface Bringing {
  readonly pattern: EventPattern;
  /** Absent: the default bus. */
  readonly on?: EventBus;
  readonly message: AsWritten;
  /** Where in the event stands who shares the queue fairly with the others: an account, or a registry. */
  readonly group: string;
}

/** The terms of EventBridge, as they are: the patterns and transforms of the contract are tested with its own matcher. */
class AsWritten extends RuleTargetInput {
  readonly #properties: RuleTargetInputProperties;

  constructor(properties: RuleTargetInputProperties) {
    super();
    this.#properties = properties;
  }

  override bind(): RuleTargetInputProperties {
    return this.#properties;
  }
}

/** Writes a pattern of the contracts as a rule takes it. */
export function deployedPattern({ source, "detail-type": detailType, account, detail }: EventPattern) {
  return {
    source: [...source],
    detailType: [...detailType],
    ...(account === undefined ? {} : { account: [...account] }),
    ...(detail === undefined ? {} : { detail }),
  };
}
