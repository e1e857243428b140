/** The access entries of the clusters of an installation. */
import { Annotations, Stack, Token } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { stackOutputs } from "#contracts/aws/stack-outputs";
import { eksKey, type Home } from "#contracts/config/aws";
import type { Configuration } from "#contracts/config/configuration";
import type { AccessRole } from "../access/access-role.ts";
import { enterCluster } from "../access/cluster-access.ts";

/** The clusters, and Lookout's role in them. */
interface Entered {
  readonly configuration: Configuration;
  readonly accessRole: AccessRole;
}

/** Creates the access entries of the clusters in this account and region. */
export function enterClusters(scope: Construct, { configuration: { clusters }, accessRole }: Entered): void {
  const home = homeOf(scope);
  refuseSameClusters(scope, clusters, home);
  const here = clusters.filter(({ eks }) => eks?.roleArn === undefined && (eks?.region ?? home.region) === home.region);
  const names = (entered: boolean) =>
    new Set(here.flatMap(({ eks }) => (eks !== undefined && (eks.accessEntry ?? true) === entered ? [eks.name] : [])));
  for (const clusterName of names(true)) enterCluster(scope, { clusterName, role: accessRole.role });
  const others = [...names(false)];
  if (others.length > 0)
    Annotations.of(scope).addInfo(
      `the stack creates no access entry in ${others.join(", ")} (accessEntry: false): ` +
        `add the output ${stackOutputs.awsAuthEntry} to mapRoles of aws-auth there, or create the access entry yourself`,
    );
}

/** Returns the account and region, as far as they are known before the deployment. */
function homeOf(scope: Construct): Home {
  const { account, region } = Stack.of(scope);
  const known = (value: string) => (Token.isUnresolved(value) ? undefined : value);
  return { account: known(account), region: known(region) };
}

/**
 * Adds an error for two entries of lookout.yaml with the same EKS cluster. The schema finds those that
 * need no knowledge of the stack.
 */
function refuseSameClusters(scope: Construct, clusters: Configuration["clusters"], home: Home): void {
  for (const [, [first, ...others]] of Map.groupBy(clusters, ({ eks }) => eksKey(eks ?? {}, home)))
    for (const { name } of others)
      Annotations.of(scope).addError(
        `the clusters ${first?.name ?? ""} and ${name} of lookout.yaml are the same EKS cluster: remove one of them`,
      );
}
