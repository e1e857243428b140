/** The stack of `cdk deploy`: one installation of Lookout. */
import { Annotations, CfnResource, type Environment, Stack, STACK_RESOURCE_LIMIT_CONTEXT, Token } from "aws-cdk-lib";
import { CfnRoute } from "aws-cdk-lib/aws-apigatewayv2";
import type { Construct } from "constructs";
import { eksKey, type Home } from "#contracts/config/aws";
import { stackOutputs } from "#contracts/aws/stack-outputs";
import { isStackName, stackNameForm } from "#contracts/aws/stack-name";
import { acknowledgeRules } from "../shared/acknowledged.ts";
import { enterCluster } from "../access/cluster-access.ts";
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
   * The account and region. With a region, a cluster of lookout.yaml may name this region, and still
   * gets an access entry.
   *
   * @default - the account and region of the deployment, which are unknown before it
   */
  readonly env?: Environment | undefined;
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
      ...(props.env === undefined ? {} : { env: props.env }),
    });
    if (!isName)
      Annotations.of(this).addError(
        `a stack can't be named ${id}: ${stackNameForm} (-c lookout:stack=NAME or LOOKOUT_STACK=NAME)`,
      );
    // The stack checks the limit itself, because the CDK would throw before all errors are
    // reported.
    this.node.setContext(STACK_RESOURCE_LIMIT_CONTEXT, 0);
    const { functions, configuration } = props;
    this.lookout = new Lookout(this, "Lookout", { configuration: configurationFor(this, configuration), functions });
    acknowledgeRules(this);
    this.refuseSameClusters();
    this.enterClusters();
    // Managed policies are created late, so resources are counted at the end.
    this.node.addValidation({
      validate: () => {
        this.refuseTooManyClusters();
        return [];
      },
    });
  }

  /** The account and region, as far as they are known before the deployment. */
  private get home(): Home {
    const known = (value: string) => (Token.isUnresolved(value) ? undefined : value);
    return { account: known(this.account), region: known(this.region) };
  }

  /**
   * Adds an error for two entries of lookout.yaml with the same EKS cluster. The schema finds those
   * that need no knowledge of the stack.
   */
  private refuseSameClusters(): void {
    const { clusters } = this.lookout.configuration;
    for (const [, [first, ...others]] of Map.groupBy(clusters, ({ eks }) => eksKey(eks ?? {}, this.home)))
      for (const { name } of others)
        Annotations.of(this).addError(
          `the clusters ${first?.name ?? ""} and ${name} of lookout.yaml are the same EKS cluster: remove one of them`,
        );
  }

  /** Creates the access entries of the clusters in this account and region. */
  private enterClusters(): void {
    const { configuration, accessRole } = this.lookout;
    const here = configuration.clusters.filter(
      ({ eks }) => eks?.roleArn === undefined && (eks?.region ?? this.home.region) === this.home.region,
    );
    const names = (entered: boolean) =>
      new Set(
        here.flatMap(({ eks }) => (eks !== undefined && (eks.accessEntry ?? true) === entered ? [eks.name] : [])),
      );
    for (const clusterName of names(true)) enterCluster(this, { clusterName, role: accessRole.role });
    const others = [...names(false)];
    if (others.length > 0)
      Annotations.of(this).addInfo(
        `the stack creates no access entry in ${others.join(", ")} (accessEntry: false): ` +
          `add the output ${stackOutputs.awsAuthEntry} to mapRoles of aws-auth there, or create the access entry yourself`,
      );
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
