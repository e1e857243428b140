/** What lets Lookout into an EKS cluster. */
import { CfnAccessEntry } from "aws-cdk-lib/aws-eks";
import { Construct } from "constructs";
import { accessName } from "#contracts/kubernetes/cluster-manifests";

/** Which cluster is entered, and as whom. */
export interface ClusterAccessProps {
  /** What EKS calls the cluster; it is in the account and region of the stack. */
  readonly clusterName: string;
  /** The role whose tokens the cluster lets in: the output `LookoutAccessRoleArn`, or the role that `eks.roleArn` names. */
  readonly roleArn: string;
}

/**
 * An access entry: it makes of the role the user and the group `lookout` of the cluster, which may do nothing there until somebody
 * applies what {@link manifestsCommand} prints. The cluster's authentication mode must be one with access entries.
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

/** What is typed, with kubectl at a cluster, to give Lookout its rights there. */
export const manifestsCommand = "lookout cluster manifests | kubectl apply -f -";
