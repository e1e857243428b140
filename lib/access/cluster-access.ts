/** Lookout's access to an EKS cluster. */
import { CfnAccessEntry } from "aws-cdk-lib/aws-eks";
import { Construct } from "constructs";
import { accessName } from "#contracts/kubernetes/access";

/** A cluster, and Lookout's role for it. */
export interface ClusterAccessProps {
  /** The cluster's name in EKS, in the account and region of the stack. */
  readonly clusterName: string;
  /** The output `LookoutAccessRoleArn`, or the role of `eks.roleArn`. */
  readonly roleArn: string;
}

/**
 * An access entry that maps the role to the user and group `lookout` of the cluster. This user and
 * group have no rights until {@link manifestsCommand} runs. The cluster's authentication mode must
 * allow access entries.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html
 */
export class ClusterAccess extends Construct {
  constructor(scope: Construct, id: string, { clusterName, roleArn }: ClusterAccessProps) {
    super(scope, id);
    new CfnAccessEntry(this, "Entry", {
      clusterName,
      principalArn: roleArn,
      username: accessName,
      kubernetesGroups: [accessName],
    });
  }
}

/** The command that gives Lookout its rights in a cluster. */
export const manifestsCommand = "lookout cluster manifests | kubectl apply -f -";
