/** Lookout's bus: pushes come in on it, facts go out. */
import { Duration, Stack } from "aws-cdk-lib";
import { Archive, CfnEventBusPolicy, EventBus } from "aws-cdk-lib/aws-events";
import { AccountPrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { environment } from "#contracts/environment";
import type { LookoutFunction } from "./lookout-function.ts";

/** The bus. Anyone may put rules of their own on it. */
export class LookoutBus extends Construct {
  readonly bus: EventBus;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.bus = new EventBus(this, "Bus", { description: "Pushes of images, and facts about updates of workloads" });
  }

  /** Lets a function publish, and tells it the bus's name. */
  grantPublish(fn: LookoutFunction): void {
    fn.allow(["events:PutEvents"], [this.bus.eventBusArn]);
    fn.tell(environment.bus, this.bus.eventBusName);
  }
}

/** What a bus has beside its rules: the archive of all that was on it, and the policy that lets other accounts put events. */
export class BusSurroundings extends Construct {
  constructor(scope: Construct, id: string, { bus }: LookoutBus, memberAccounts: readonly string[]) {
    super(scope, id);
    new Archive(this, "Archive", {
      sourceEventBus: bus,
      description: "What was on Lookout's bus in the last thirty days",
      eventPattern: { account: [Stack.of(this).account, ...memberAccounts] },
      retention: Duration.days(30),
    });
    if (memberAccounts.length === 0) return;
    new CfnEventBusPolicy(this, "MemberAccounts", {
      eventBusName: bus.eventBusName,
      statementId: "MemberAccounts",
      statement: {
        Effect: "Allow",
        Action: "events:PutEvents",
        Resource: bus.eventBusArn,
        Principal: { AWS: memberAccounts.map((account) => new AccountPrincipal(account).arn) },
        // Nobody else tells facts. Where an event comes without its source in the request, the rules still look at it.
        Condition: { "ForAllValues:StringEquals": { "events:source": "aws.ecr" } },
      },
    });
  }
}
