import {
  DescribeClusterCommand,
  EKSClient,
  ResourceNotFoundException,
  type VpcConfigResponse,
} from "@aws-sdk/client-eks";
import { noAnswer, type NoAnswer } from "../shared/aws-errors.ts";
import { awsClientOptions, type CredentialProvider } from "../shared/aws.ts";
import { memoizeFor } from "../shared/memoize-for.ts";

/** Where a cluster's API server is, with its certificate authority in PEM. */
export interface ClusterAddress {
  readonly kind: "server";
  readonly url: URL;
  readonly ca: string;
  /** The VPC that it is reached from alone; absent: it has a public endpoint, or EKS was not asked. */
  readonly onlyIn?: string;
}

/** The cluster that is asked about, and as whom. */
export interface ClusterQuestion {
  /** What EKS calls the cluster. */
  readonly cluster: string;
  readonly region: string;
  readonly credentials: CredentialProvider;
  /** A clock that never goes back. */
  readonly monotonicMs?: () => number;
}

const keptMs = 15 * 60_000;
const troubleKeptMs = 10_000;

/** Asks EKS where a cluster's API server is, and keeps the answer for fifteen minutes. Afresh: that server is not there. */
export function clusterAddresses(question: ClusterQuestion): (afresh: boolean) => Promise<ClusterAddress | NoAnswer> {
  const { region, credentials, monotonicMs = () => performance.now() } = question;
  const client = new EKSClient({ ...awsClientOptions, region, credentials });
  return memoizeFor(() => ask(client, question), {
    keptMs: ({ kind }) => (kind === "server" ? keptMs : troubleKeptMs),
    freshMs: troubleKeptMs,
    monotonicMs,
  });
}

async function ask(client: EKSClient, { cluster, region }: ClusterQuestion): Promise<ClusterAddress | NoAnswer> {
  try {
    const { cluster: found } = await client.send(new DescribeClusterCommand({ name: cluster }));
    const ca = found?.certificateAuthority?.data;
    if (found?.endpoint !== undefined && ca !== undefined)
      return { ...address(found.endpoint, ca), ...onlyIn(found.resourcesVpcConfig) };
    return { kind: "none", text: `EKS says that ${cluster} is ${found?.status ?? "not ready"}`, passing: true };
  } catch (error) {
    return trouble(error, cluster, region);
  }
}

function onlyIn({ endpointPublicAccess, vpcId }: VpcConfigResponse = {}): Pick<ClusterAddress, "onlyIn"> {
  return endpointPublicAccess === false && vpcId !== undefined ? { onlyIn: vpcId } : {};
}

/** Reads an address as EKS writes it: a URL, and the certificate authority in base64. */
export function address(endpoint: string, certificateAuthority: string): ClusterAddress {
  const ca = Buffer.from(certificateAuthority, "base64").toString("utf8");
  return { kind: "server", url: new URL(endpoint), ca };
}

function trouble(error: unknown, cluster: string, region: string): NoAnswer {
  if (error instanceof ResourceNotFoundException)
    return {
      kind: "none",
      text: `EKS has no cluster ${cluster} in ${region}; see aws eks list-clusters --region ${region}, in the account of the role`,
    };
  return noAnswer(
    error,
    `EKS in ${region}`,
    `EKS may not be asked about ${cluster}: allow eks:DescribeCluster on it, or write its endpoint and certificateAuthority into its entry`,
  );
}
