/** Lookout's access to an EKS cluster. */
import { Stack } from "aws-cdk-lib";
import { CfnAccessEntry } from "aws-cdk-lib/aws-eks";
import type { Role } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { accessName } from "#contracts/kubernetes/access";

/** A cluster, and Lookout's role for it. */
export interface ClusterAccessProps {
  /** The cluster's name in EKS, in the account and region of the stack. */
  readonly clusterName: string;
  /** Lookout's access role, or the role of `eks.roleArn`. */
  readonly role: Role;
}

/**
 * An access entry that maps the role to the user and group `lookout` of the cluster. This user and
 * group have no rights until {@link manifestsCommand} runs. The cluster's authentication mode must
 * allow access entries.
 *
 * The cluster and the role identify an entry, and EKS refuses a second entry with the same identity.
 * So the id of this construct must depend on the cluster's name in EKS alone. CloudFormation replaces
 * an entry only if the role changes, so the new entry never meets the old one.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html
 */
export class ClusterAccess extends Construct {
  constructor(scope: Construct, id: string, { clusterName, role }: ClusterAccessProps) {
    super(scope, id);
    const entry = new CfnAccessEntry(this, "Entry", {
      clusterName,
      principalArn: role.roleArn,
      username: accessName,
      kubernetesGroups: [accessName],
    });
    // EKS refuses a role that IAM does not know everywhere yet. The policies take some seconds.
    entry.node.addDependency(role);
  }
}

/** Creates Lookout's access to an EKS cluster. The id depends on the cluster's name in EKS alone. */
export function enterCluster(scope: Construct, props: ClusterAccessProps): void {
  new ClusterAccess(scope, `Access-${props.clusterName}`, props);
}

/**
 * Returns the entry for `mapRoles` of `aws-auth`, in one line of YAML. The entry has the effect of an
 * access entry, in a cluster without access entries. The ARN omits the role's path, because `aws-auth`
 * accepts none.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/auth-configmap.html
 */
export function awsAuthEntry(role: Role): string {
  const arn = Stack.of(role).formatArn({ service: "iam", region: "", resource: "role", resourceName: role.roleName });
  return `- {rolearn: "${arn}", username: ${accessName}, groups: [${accessName}]}`;
}

/** The command that gives Lookout its rights in a cluster. */
export const manifestsCommand = "lookout cluster manifests | kubectl apply -f -";
