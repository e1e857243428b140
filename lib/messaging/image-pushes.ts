/** The rules that send pushes to the queue of `evaluate/image-pushed`, without code in between. */
import { Duration, Stack } from "aws-cdk-lib";
import { type EventBus, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { ecrPushPattern, ecrPushTransform, type EventPattern, imagePushedPattern } from "#contracts/messages/events";
import { AsWritten, deployedPattern } from "../shared/patterns.ts";
import { splitByLength } from "../shared/split.ts";

/**
 * The maximum number of characters for accounts in a rule's pattern. AWS limits a pattern to 2,048
 * characters.
 */
const roomOfPattern = 1_500;
/** The length of an account in a pattern: twelve digits, two quotes and a comma. */
const accountLength = 15;

/** The sources and the target of pushes. */
export interface ImagePushesProps {
  readonly bus: EventBus;
  readonly queue: Queue;
  /** The queue for events that EventBridge can't deliver. */
  readonly kept: Queue;
  /**
   * Accounts that forward their pushes to Lookout's bus. This account may forward pushes of its
   * other regions.
   */
  readonly memberAccounts: readonly string[];
}

/**
 * The rules for pushes. Pushes to ECR of this account and region arrive on the default bus. Pushes
 * of other regions and accounts, of webhooks and of sweeps arrive on Lookout's bus.
 */
export class ImagePushes extends Construct {
  constructor(scope: Construct, id: string, { bus, queue, kept, memberAccounts }: ImagePushesProps) {
    super(scope, id);
    const { account, urlSuffix } = Stack.of(this);
    const { paths, template } = ecrPushTransform(urlSuffix);
    const ofEcr = new AsWritten({ inputPathsMap: { ...paths }, inputTemplate: template });
    const rule = (ruleId: string, description: string, { pattern, on, message, group }: PushRule) =>
      new Rule(this, ruleId, {
        description,
        ...(on === undefined ? {} : { eventBus: on }),
        eventPattern: deployedPattern(pattern),
        targets: [
          new SqsQueue(queue, {
            message,
            deadLetterQueue: kept,
            maxEventAge: Duration.hours(24),
            messageGroupId: group,
          }),
        ],
      });

    const pushesOf = (accounts: readonly [string, ...string[]]) => ({
      pattern: ecrPushPattern(accounts),
      message: ofEcr,
      group: "$.account",
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
    rule("Published", "Pushes of webhooks and sweeps", {
      pattern: imagePushedPattern(account),
      on: bus,
      message: new AsWritten({ inputPath: "$.detail" }),
      group: "$.detail.registry",
    });
  }
}

interface PushRule {
  readonly pattern: EventPattern;
  /** The bus of the rule. Absent if the rule is on the default bus of EventBridge. */
  readonly on?: EventBus;
  readonly message: AsWritten;
  /** The JSON path of the message group in an event: its account or its registry. */
  readonly group: string;
}
