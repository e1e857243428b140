import {
  DescribeClusterCommand,
  EKSClient,
  ResourceNotFoundException,
  type VpcConfigResponse,
} from "@aws-sdk/client-eks";
import { noAnswer, type NoAnswer } from "../shared/aws-errors.ts";
import { awsClientOptions, type CredentialProvider } from "../shared/aws.ts";
import { memoizeFor } from "../shared/memoize-for.ts";

/** The address of a cluster's API server, with its certificate authority in PEM. */
export interface ClusterAddress {
  readonly kind: "server";
  readonly url: URL;
  readonly ca: string;
  /** The only VPC with access. Absent for a public endpoint, and when EKS was not read. */
  readonly onlyIn?: string;
}

/** A cluster in EKS, and the credentials for EKS. */
export interface ClusterQuestion {
  /** The cluster's name in EKS. */
  readonly cluster: string;
  readonly region: string;
  readonly credentials: CredentialProvider;
  /** A clock that never goes back. */
  readonly monotonicMs?: () => number;
}

const keptMs = 15 * 60_000;
const errorKeptMs = 10_000;

/**
 * Returns a function that reads a cluster's address from EKS and caches it for fifteen minutes.
 * With `afresh` it reads the address again, because the last address was wrong.
 */
export function clusterAddresses(question: ClusterQuestion): (afresh: boolean) => Promise<ClusterAddress | NoAnswer> {
  const { region, credentials, monotonicMs = () => performance.now() } = question;
  const client = new EKSClient({ ...awsClientOptions, region, credentials });
  return memoizeFor(() => ask(client, question), {
    keptMs: ({ kind }) => (kind === "server" ? keptMs : errorKeptMs),
    freshMs: errorKeptMs,
    monotonicMs,
  });
}

async function ask(client: EKSClient, { cluster, region }: ClusterQuestion): Promise<ClusterAddress | NoAnswer> {
  try {
    const { cluster: found } = await client.send(new DescribeClusterCommand({ name: cluster }));
    const ca = found?.certificateAuthority?.data;
    if (found?.endpoint !== undefined && ca !== undefined)
      return { ...address(found.endpoint, ca), ...onlyIn(found.resourcesVpcConfig) };
    return { kind: "none", text: `cluster ${cluster} of EKS is ${found?.status ?? "not ready"}`, isTransient: true };
  } catch (error) {
    if (error instanceof ResourceNotFoundException)
      return {
        kind: "none",
        text: `EKS has no cluster ${cluster} in ${region}. To list the clusters of the role's account: aws eks list-clusters --region ${region}`,
      };
    return noAnswer(
      error,
      `EKS in ${region}`,
      `EKS denied access to cluster ${cluster}: allow eks:DescribeCluster on it, or write endpoint and certificateAuthority into the cluster's entry`,
    );
  }
}

function onlyIn({ endpointPublicAccess, vpcId }: VpcConfigResponse = {}): Pick<ClusterAddress, "onlyIn"> {
  return endpointPublicAccess === false && vpcId !== undefined ? { onlyIn: vpcId } : {};
}

/** Converts an address in EKS's form: a URL, and the certificate authority in base64. */
export function address(endpoint: string, certificateAuthority: string): ClusterAddress {
  const ca = Buffer.from(certificateAuthority, "base64").toString("utf8");
  return { kind: "server", url: new URL(endpoint), ca };
}
