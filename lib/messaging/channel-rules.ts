/** The rules that send facts to the queue of `notify/deliver`: one for each channel. */
import { Annotations, Duration, Stack } from "aws-cdk-lib";
import { type EventBus, Rule } from "aws-cdk-lib/aws-events";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { filterOf } from "#contracts/config/channel-rows";
import type { ChannelConfiguration } from "#contracts/config/configuration";
import { channelPattern, deliverTransform, longestPattern } from "#contracts/messages/channel-pattern";
import { AsWritten, deployedPattern } from "../shared/patterns.ts";

/** The sources and the target of facts. */
export interface ChannelRulesProps {
  readonly bus: EventBus;
  readonly queue: Queue;
  /** The queue for facts that EventBridge can't deliver. */
  readonly kept: Queue;
  readonly channels: readonly ChannelConfiguration[];
}

/** The rules of all channels, on Lookout's bus. A fact that no channel tells costs nothing. */
export class ChannelRules extends Construct {
  constructor(scope: Construct, id: string, { bus, queue, kept, channels }: ChannelRulesProps) {
    super(scope, id);
    const rules = channels.map((channel) => {
      const { name } = channel;
      const { paths, template } = deliverTransform(name);
      return new Rule(this, name, {
        description: `Facts for the channel ${name}`,
        eventBus: bus,
        eventPattern: deployedPattern(this.patternOf(channel)),
        // A queue's policy has at most twenty statements, and the CDK's target adds one for each rule.
        targets: [
          {
            bind: () => ({
              arn: queue.queueArn,
              input: new AsWritten({ inputPathsMap: { ...paths }, inputTemplate: template }),
              deadLetterConfig: { arn: kept.queueArn },
              retryPolicy: { maximumEventAgeInSeconds: Duration.hours(24).toSeconds() },
              sqsParameters: { messageGroupId: name },
            }),
          },
        ],
      });
    });
    for (const one of [queue, kept]) letIn(one, rules);
  }

  private patternOf(channel: ChannelConfiguration) {
    const { account } = Stack.of(this);
    const pattern = channelPattern(filterOf(channel), channel.name, account);
    // An account that is not known yet has twelve digits.
    const { length } = JSON.stringify({ ...pattern, account: ["123456789012"] });
    if (length > longestPattern)
      Annotations.of(this).addError(
        `the filter of channel ${channel.name} in lookout.yaml is too long for a rule of EventBridge ` +
          `(${length} of ${longestPattern} characters): name fewer clusters or namespaces, or several with one *`,
      );
    return pattern;
  }
}

/** Lets rules send to a queue. */
function letIn(queue: Queue, rules: readonly Rule[]): void {
  queue.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal("events.amazonaws.com")],
      actions: ["sqs:SendMessage"],
      resources: [queue.queueArn],
      conditions: { ArnEquals: { "aws:SourceArn": rules.map(({ ruleArn }) => ruleArn) } },
    }),
  );
}
