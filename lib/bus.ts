/** Lookout's bus: pushes come in on it, facts go out. */
import { Duration, Stack } from "aws-cdk-lib";
import { Archive, CfnEventBusPolicy, EventBus } from "aws-cdk-lib/aws-events";
import { AccountPrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { environment } from "#contracts/environment";
import type { LookoutFunction } from "./lookout-function.ts";

/** The bus, its archive, and the policy that lets other accounts put events. Anyone may put rules of their own on it. */
export class LookoutBus extends Construct {
  readonly bus: EventBus;

  /** @param memberAccounts - ids of the accounts that forward their pushes. */
  constructor(scope: Construct, id: string, memberAccounts: readonly string[]) {
    super(scope, id);
    this.bus = new EventBus(this, "Bus", { description: "Pushes of images, and facts about updates of workloads" });
    new Archive(this, "Archive", {
      sourceEventBus: this.bus,
      description: "What was on Lookout's bus in the last thirty days",
      eventPattern: { account: [Stack.of(this).account, ...memberAccounts] },
      retention: Duration.days(30),
    });
    if (memberAccounts.length > 0) this.letIn(memberAccounts);
  }

  /** Lets a function publish, and tells it the bus's name. */
  grantPublish(fn: LookoutFunction): void {
    fn.allow(["events:PutEvents"], [this.bus.eventBusArn]);
    fn.tell(environment.bus, this.bus.eventBusName);
  }

  private letIn(accounts: readonly string[]): void {
    new CfnEventBusPolicy(this, "MemberAccounts", {
      eventBusName: this.bus.eventBusName,
      statementId: "MemberAccounts",
      statement: {
        Effect: "Allow",
        Action: "events:PutEvents",
        Resource: this.bus.eventBusArn,
        Principal: { AWS: accounts.map((account) => new AccountPrincipal(account).arn) },
        // Nobody else tells facts. Where an event comes without its source in the request, the rules still look at it.
        Condition: { "ForAllValues:StringEquals": { "events:source": "aws.ecr" } },
      },
    });
  }
}
