/** The alarms, their topic and their other receivers. */
import { Annotations, Stack } from "aws-cdk-lib";
import {
  Alarm,
  type AlarmActionConfig,
  ComparisonOperator,
  type IAlarmAction,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import { Alarms, mostAlarmActions } from "#contracts/config/alarms";
import type { Configuration } from "#contracts/config/configuration";
import { type AlarmRule, alarmRules } from "./alarm-rules.ts";
import { type AlarmThresholds, mergedThresholds } from "./thresholds.ts";
import type { Watched } from "./watched.ts";

export type { AlarmThresholds } from "./thresholds.ts";

/** The receivers and thresholds of the alarms, beside those of `lookout.yaml`. */
export interface MonitoringProps {
  /**
   * The actions of each alarm at its start and its end, beside the topic. OpsItems and incidents are
   * opened only at its start.
   */
  readonly actions?: readonly IAlarmAction[] | undefined;
  /** The addresses that get each alarm. AWS sends each address a mail that asks for confirmation. */
  readonly email?: readonly string[] | undefined;
  /** The thresholds that replace thresholds of `lookout.yaml`. */
  readonly thresholds?: AlarmThresholds | undefined;
}

/** The sources and receivers of the alarms. */
export interface LookoutAlarmsProps extends MonitoringProps {
  readonly watched: Watched;
  /** The key `alarms` of `lookout.yaml`. */
  readonly configured: Configuration["alarms"];
}

/** All alarms of an installation. Each notifies the topic when it starts and when it ends. */
export class LookoutAlarms extends Construct {
  /** The topic of all alarms. Subscribe to it. */
  readonly topic: Topic;
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, props: LookoutAlarmsProps) {
    super(scope, id);
    const { watched, configured = Alarms.parse({}), actions = [], email = [], thresholds = {} } = props;
    this.topic = this.alarmTopic();
    for (const address of new Set([...configured.email, ...email]))
      this.topic.addSubscription(new EmailSubscription(address));
    const others = [...[...new Set(configured.actions)].map(actionOf), ...actions];
    if (others.length > mostAlarmActions) this.refuse(others.length);
    const merged = mergedThresholds(this, configured.thresholds, thresholds);
    const all = [new SnsAction(this.topic), ...others];
    this.all = alarmRules(this, watched, merged).map((rule) => this.alarm(rule, all));
  }

  private refuse(given: number): void {
    Annotations.of(this).addError(
      `the alarms have ${given} actions beside their topic, but CloudWatch allows ${mostAlarmActions}: remove some from alarms.actions of lookout.yaml, or subscribe them to the topic`,
    );
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

  private alarm({ section, part, says, metric, ...rule }: AlarmRule, actions: readonly IAlarmAction[]): Alarm {
    const name = part === undefined ? section : `${section}-${part}`;
    const alarm = new Alarm(this, name, {
      alarmName: `${Stack.of(this).stackName}-${name}`,
      alarmDescription: `${says}. What to do: docs/runbook.md#${section}`,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...rule,
      metric,
    });
    // The action is bound once, because some actions add a permission each time.
    for (const action of actions.map((one) => one.bind(alarm, alarm)).map(boundAction)) {
      alarm.addAlarmAction(action);
      if (!opensCase(action.bound)) alarm.addOkAction(action);
    }
    return alarm;
  }
}

/** Returns the action of an ARN of `lookout.yaml`. */
const actionOf = (alarmActionArn: string): IAlarmAction => ({ bind: () => ({ alarmActionArn }) });

const boundAction = (bound: AlarmActionConfig) => ({ bound, bind: () => bound });

/** Returns whether an action opens an OpsItem or an incident. The end of an alarm must not open one. */
function opensCase({ alarmActionArn }: AlarmActionConfig): boolean {
  return /^arn:[^:]+:ssm(?:-incidents)?:/.test(alarmActionArn);
}
