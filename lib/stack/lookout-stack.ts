/** The stack that `cdk deploy` makes: one installation of Lookout. */
import { Annotations, CfnResource, Stack, STACK_RESOURCE_LIMIT_CONTEXT } from "aws-cdk-lib";
import { CfnRoute } from "aws-cdk-lib/aws-apigatewayv2";
import type { Construct } from "constructs";
import { isStackName, stackNameForm } from "#contracts/aws/stack-name";
import { acknowledgeRules } from "../shared/acknowledged.ts";
import { ClusterAccess } from "../access/cluster-access.ts";
import { configurationFor } from "../shared/configuration.ts";
import { Lookout } from "./lookout.ts";

/**
 * What one stack has room for. It fills with the clusters of lookout.yaml.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
 */
const most = { resources: 500, "routes of its HTTP API": 300 } as const;

/** Which installation the stack is. */
export interface LookoutStackProps {
  /** The folder of the built functions, as `bundleFunctions` makes it. */
  readonly functions: string;
  /** The `lookout.yaml` to use. @default - the one of the working directory, if there is one */
  readonly configuration?: string | undefined;
  /**
   * Whether the clusters of lookout.yaml that are in this account and region get an access entry.
   *
   * @default true. False is for clusters without access entries, and for entries that are there already.
   */
  readonly accessEntries?: boolean;
}

/** One installation. */
export class LookoutStack extends Stack {
  readonly lookout: Lookout;

  /** @param id - the stack's name; one that CloudFormation does not take is an error of the stack. */
  constructor(scope: Construct, id: string, props: LookoutStackProps) {
    const isName = isStackName(id);
    super(scope, isName ? id : "Lookout", {
      description: "Lookout: updates the images that run in Kubernetes clusters as soon as they are pushed",
      // CloudFormation counts spaces too: with them, many accounts and VPCs are more than the megabyte that it takes.
      suppressTemplateIndentation: true,
    });
    if (!isName)
      Annotations.of(this).addError(
        `a stack can't be named ${id}: ${stackNameForm} (-c lookout:stack=NAME or LOOKOUT_STACK=NAME)`,
      );
    // The CDK would throw, and none of what is wrong would be told.
    this.node.setContext(STACK_RESOURCE_LIMIT_CONTEXT, 0);
    const { functions, configuration, accessEntries = true } = props;
    this.lookout = new Lookout(this, "Lookout", { configuration: configurationFor(this, configuration), functions });
    acknowledgeRules(this);
    if (accessEntries) this.enterClusters();
    // What a role's own policy has no room for becomes a resource once all is there: only then can they be counted.
    this.node.addValidation({
      validate: () => {
        this.refuseTooManyClusters();
        return [];
      },
    });
  }

  /** A cluster of another account has its own role, and one of another region is entered by hand: this stack can make neither entry. */
  private enterClusters(): void {
    const { configuration, accessRole } = this.lookout;
    for (const { name, eks } of configuration.clusters)
      if (eks !== undefined && eks.roleArn === undefined && eks.region === undefined)
        new ClusterAccess(this, `Access-${name}`, { clusterName: eks.name, roleArn: accessRole.role.roleArn });
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
          `with the clusters of lookout.yaml the stack has ${count} ${what}, and AWS takes ${most[what]}: ` +
            "deploy a second stack for some of them (LOOKOUT_STACK)" +
            (what === "resources" ? ", or make their access entries yourself (-c lookout:accessEntries=false)" : ""),
        );
  }
}
