/** The stack of `cdk deploy`: one installation of Lookout. */
import { Annotations, CfnResource, Stack, STACK_RESOURCE_LIMIT_CONTEXT } from "aws-cdk-lib";
import { CfnRoute } from "aws-cdk-lib/aws-apigatewayv2";
import type { Construct } from "constructs";
import { isStackName, stackNameForm } from "#contracts/aws/stack-name";
import { acknowledgeRules } from "../shared/acknowledged.ts";
import { ClusterAccess } from "../access/cluster-access.ts";
import { configurationFor } from "../shared/configuration.ts";
import { Lookout } from "./lookout.ts";

/**
 * AWS's limits per stack. Each cluster of lookout.yaml adds resources and routes.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
 */
const most = { resources: 500, "routes of its HTTP API": 300 } as const;

/** The properties of an installation. */
export interface LookoutStackProps {
  /** The output folder of `bundleFunctions`. */
  readonly functions: string;
  /** The file `lookout.yaml`. @default - the file of the working directory, if it exists */
  readonly configuration?: string | undefined;
  /**
   * Whether the stack creates access entries for the clusters of lookout.yaml in this account and
   * region.
   *
   * @default true. Use false for clusters without access entries, and when the entries already
   *   exist.
   */
  readonly accessEntries?: boolean;
}

/** The stack of one installation. */
export class LookoutStack extends Stack {
  readonly lookout: Lookout;

  /** @param id - the stack's name. An invalid name is an error of the stack. */
  constructor(scope: Construct, id: string, props: LookoutStackProps) {
    const isName = isStackName(id);
    super(scope, isName ? id : "Lookout", {
      description: "Lookout: updates the images that run in Kubernetes clusters as soon as they are pushed",
      // With indentation, a template with many accounts and VPCs would exceed AWS's limit of one
      // megabyte.
      suppressTemplateIndentation: true,
    });
    if (!isName)
      Annotations.of(this).addError(
        `a stack can't be named ${id}: ${stackNameForm} (-c lookout:stack=NAME or LOOKOUT_STACK=NAME)`,
      );
    // The stack checks the limit itself, because the CDK would throw before all errors are
    // reported.
    this.node.setContext(STACK_RESOURCE_LIMIT_CONTEXT, 0);
    const { functions, configuration, accessEntries = true } = props;
    this.lookout = new Lookout(this, "Lookout", { configuration: configurationFor(this, configuration), functions });
    acknowledgeRules(this);
    if (accessEntries) this.enterClusters();
    // Managed policies are created late, so resources are counted at the end.
    this.node.addValidation({
      validate: () => {
        this.refuseTooManyClusters();
        return [];
      },
    });
  }

  /** Creates the access entries of the clusters in this account and region. */
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
          `with the clusters of lookout.yaml the stack has ${count} ${what}, and AWS allows ${most[what]}: ` +
            "deploy a second stack for some clusters (LOOKOUT_STACK)" +
            (what === "resources" ? ", or create their access entries yourself (-c lookout:accessEntries=false)" : ""),
        );
  }
}
