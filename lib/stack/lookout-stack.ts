/** The stack of `cdk deploy`: one installation of Lookout. */
import { Annotations, CfnResource, Stack, STACK_RESOURCE_LIMIT_CONTEXT, type StackProps } from "aws-cdk-lib";
import { CfnRoute } from "aws-cdk-lib/aws-apigatewayv2";
import type { Construct } from "constructs";
import { isStackName, stackNameForm } from "#contracts/aws/stack-name";
import { acknowledgeRules } from "../shared/acknowledged.ts";
import { Lookout, type LookoutProps } from "./lookout.ts";

/**
 * AWS's limits per stack. Each cluster of lookout.yaml adds resources and routes.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
 */
const most = { resources: 500, "routes of its HTTP API": 300 } as const;

/** The properties of the stack, and of its installation. */
export interface LookoutStackProps extends StackProps, Omit<LookoutProps, "permissionsBoundary"> {}

/** The stack of one installation. */
export class LookoutStack extends Stack {
  readonly lookout: Lookout;

  /** @param id - the stack's name. An invalid name is an error of the stack. */
  constructor(scope: Construct, id: string, props: LookoutStackProps = {}) {
    const isName = isStackName(id);
    super(scope, isName ? id : "Lookout", {
      description: "Lookout: updates the images that run in Kubernetes clusters as soon as they are pushed",
      // With indentation, a template with many accounts and VPCs would exceed AWS's limit of one
      // megabyte.
      suppressTemplateIndentation: true,
      ...props,
    });
    if (!isName)
      Annotations.of(this).addError(
        `a stack can't be named ${id}: ${stackNameForm} (-c lookout:stack=NAME or LOOKOUT_STACK=NAME)`,
      );
    // The stack checks the limit itself, because the CDK would throw before all errors are
    // reported.
    this.node.setContext(STACK_RESOURCE_LIMIT_CONTEXT, 0);
    const { permissionsBoundary: _, ...own } = props;
    this.lookout = new Lookout(this, "Lookout", own);
    acknowledgeRules(this);
    // Managed policies are created late, so resources are counted at the end.
    this.node.addValidation({
      validate: () => {
        this.refuseTooManyClusters();
        return [];
      },
    });
  }

  private refuseTooManyClusters(): void {
    const all = this.node.findAll();
    const counts = {
      resources: all.filter((one) => CfnResource.isCfnResource(one)).length,
      "routes of its HTTP API": all.filter((one) => one instanceof CfnRoute).length,
    };
    for (const [what, count] of Object.entries(counts) as [keyof typeof most, number][])
      if (count > most[what])
        Annotations.of(this).addError(
          `with the clusters of lookout.yaml the stack has ${count} ${what}, and AWS allows ${most[what]}: ` +
            "deploy a second stack for some clusters (LOOKOUT_STACK)" +
            (what === "resources"
              ? ", or create the access entries of some clusters yourself (accessEntry: false)"
              : ""),
        );
  }
}
