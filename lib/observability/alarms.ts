/** The alarms and their topic. */
import { Stack } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { type AlarmRule, alarmRules } from "./alarm-rules.ts";
import type { Watched } from "./watched.ts";

/** All alarms of an installation. Each notifies the topic when it starts and when it ends. */
export class LookoutAlarms extends Construct {
  /** The topic of all alarms. Subscribe to it. */
  readonly topic: Topic;
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    this.topic = this.alarmTopic();
    this.all = alarmRules(this, watched).map((rule) => this.alarm(rule));
  }

  /**
   * Creates the topic to which CloudWatch publishes over TLS. The topic is not encrypted, because
   * CloudWatch can't use AWS's managed key. Alarms contain only names and figures.
   */
  private alarmTopic(): Topic {
    const topic = new Topic(this, "Topic", { displayName: "Lookout", enforceSSL: true });
    // The policy for TLS replaces the default policy, which would let the account publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
        actions: ["sns:Publish"],
        resources: [topic.topicArn],
        conditions: { StringEquals: { "aws:SourceAccount": Stack.of(this).account } },
      }),
    );
    return topic;
  }

  private alarm({ section, part, says, metric, ...rule }: AlarmRule): Alarm {
    const name = part === undefined ? section : `${section}-${part}`;
    const alarm = new Alarm(this, name, {
      alarmName: `${Stack.of(this).stackName}-${name}`,
      alarmDescription: `${says}. What to do: docs/runbook.md#${section}`,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...rule,
      metric,
    });
    const tell = new SnsAction(this.topic);
    alarm.addAlarmAction(tell);
    alarm.addOkAction(tell);
    return alarm;
  }
}
