/** Schedules: one-shot schedules for long delays, and periodic schedules that start functions. */
import { type Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Schedule, ScheduleExpression, ScheduleGroup, ScheduleTargetInput } from "aws-cdk-lib/aws-scheduler";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { environment } from "#contracts/aws/environment";
import type { Grantee, Startable } from "../shared/grantee.ts";
import type { CommandQueues } from "./queues.ts";

/** The stack's group of schedules. CloudFormation deletes it with all its schedules. */
export class Timers extends Construct {
  readonly group: ScheduleGroup;
  /** The role of one-shot schedules. */
  readonly sender: Role;
  private readonly starter: Role;

  private readonly kept: Queue;

  /** @param kept - the queue of starts that failed */
  constructor(scope: Construct, id: string, kept: Queue) {
    super(scope, id);
    this.kept = kept;
    this.group = new ScheduleGroup(this, "Group", { removalPolicy: RemovalPolicy.DESTROY });
    const onlyOfThisGroup = {
      StringEquals: { "aws:SourceAccount": Stack.of(this).account, "aws:SourceArn": this.group.scheduleGroupArn },
    };
    const scheduler = new ServicePrincipal("scheduler.amazonaws.com", { conditions: onlyOfThisGroup });
    this.sender = new Role(this, "Sender", { assumedBy: scheduler });
    this.starter = new Role(this, "Starter", { assumedBy: scheduler });
  }

  /** Lets one-shot schedules send to these queues. */
  sendTo(queues: CommandQueues): void {
    this.sender.addToPolicy(
      new PolicyStatement({ actions: ["sqs:SendMessage"], resources: queues.all.map(({ queueArn }) => queueArn) }),
    );
  }

  /**
   * Lets a function delay commands for longer than a queue can. Sets the variables with the
   * schedule group and the role.
   */
  grantDelay(fn: Grantee): void {
    const { group, sender } = this;
    const schedules = { service: "scheduler", resource: "schedule", resourceName: `${group.scheduleGroupName}/*` };
    fn.allowMatching(["scheduler:CreateSchedule"], [Stack.of(this).formatArn(schedules)], "schedules");
    fn.role.addToPolicy(
      new PolicyStatement({
        actions: ["iam:PassRole"],
        resources: [sender.roleArn],
        conditions: { StringEquals: { "iam:PassedToService": "scheduler.amazonaws.com" } },
      }),
    );
    fn.tell(environment.scheduleGroup, group.scheduleGroupName);
    fn.tell(environment.scheduleRole, sender.roleArn);
  }

  /** Starts a function periodically. A failed start is kept for a user. */
  startEach(period: Duration, fn: Startable): void {
    const { starter: role, kept } = this;
    role.addToPolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [fn.lambda.functionArn] }));
    role.addToPolicy(new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [kept.queueArn] }));
    const schedule = new Schedule(fn, "Schedule", {
      description: `Starts ${fn.name}`,
      scheduleGroup: this.group,
      schedule: ScheduleExpression.rate(period),
      target: {
        bind: () => ({
          arn: fn.lambda.functionArn,
          role,
          input: ScheduleTargetInput.fromObject({}),
          deadLetterConfig: { arn: kept.queueArn },
          retryPolicy: { maximumEventAgeInSeconds: Math.max(period.toSeconds(), 60), maximumRetryAttempts: 3 },
        }),
      },
    });
    // A schedule refers to its group by name, so CloudFormation sees no dependency.
    schedule.node.addDependency(this.group);
  }
}
