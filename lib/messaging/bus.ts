/** Lookout's event bus, for incoming pushes and outgoing facts. */
import { CfnResource, Duration, Stack } from "aws-cdk-lib";
import { Archive, EventBus, Match } from "aws-cdk-lib/aws-events";
import { Construct } from "constructs";
import { environment } from "#contracts/aws/environment";
import type { Grantee } from "../shared/grantee.ts";
import { refuseTooMany } from "../shared/member-accounts.ts";

/** The bus, its archive, and its policy for member accounts. You may add rules to the bus. */
export class LookoutBus extends Construct {
  readonly bus: EventBus;

  /** @param memberAccounts - ids of the accounts that forward their pushes */
  constructor(scope: Construct, id: string, memberAccounts: readonly string[]) {
    super(scope, id);
    this.bus = new EventBus(this, "Bus", {
      // Member accounts know the ARN, which stays the same when the stack is created again.
      eventBusName: `${Stack.of(this).stackName}-Bus`,
      description: "Pushes of images, and facts about updates of workloads",
    });
    new Archive(this, "Archive", {
      sourceEventBus: this.bus,
      description: "The events of Lookout's bus in the last thirty days",
      eventPattern: { account: Match.exists() },
      retention: Duration.days(30),
    });
    refuseTooMany(this, memberAccounts);
    if (memberAccounts.length > 0) this.letIn(memberAccounts);
  }

  /** Lets a function publish, and sets the variable with the bus's name. */
  grantPublish(fn: Grantee): void {
    fn.allow(["events:PutEvents"], [this.bus.eventBusArn]);
    fn.tell(environment.bus, this.bus.eventBusName);
  }

  /**
   * Lets accounts publish pushes. The policy names the accounts in a condition, because principals
   * take twice as many characters. The method uses a plain `CfnResource`, because cdk-nag causes
   * deprecation warnings with the CDK's class.
   */
  private letIn(accounts: readonly string[]): void {
    new CfnResource(this, "MemberAccounts", {
      type: "AWS::Events::EventBusPolicy",
      properties: {
        EventBusName: this.bus.eventBusName,
        StatementId: "MemberAccounts",
        Statement: {
          Effect: "Allow",
          Action: "events:PutEvents",
          Resource: this.bus.eventBusArn,
          Principal: "*",
          Condition: {
            StringEquals: { "aws:PrincipalAccount": accounts },
            // Member accounts must not publish facts. The rules also check the source of each
            // event.
            "ForAllValues:StringEquals": { "events:source": "aws.ecr" },
          },
        },
      },
    });
  }
}
