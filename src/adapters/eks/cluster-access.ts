import {
  type Cluster,
  DescribeAccessEntryCommand,
  DescribeClusterCommand,
  EKSClient,
  ResourceNotFoundException,
} from "@aws-sdk/client-eks";
import { type AwsRefusal, callOnce } from "../shared/aws-errors.ts";
import { type UserOptions, userClientOptions } from "../shared/aws.ts";

/** The parts of an EKS cluster that decide whether Lookout has access to it. */
export interface EksClusterFound {
  readonly kind: "cluster";
  /** The status in EKS, such as `ACTIVE`. */
  readonly status: string;
  /** `API`, `API_AND_CONFIG_MAP` or `CONFIG_MAP`. Absent if EKS names no mode. */
  readonly authenticationMode?: string;
  readonly hasPublicEndpoint: boolean;
  /** The networks that may use the public endpoint. */
  readonly publicCidrs: readonly string[];
  readonly vpc?: string;
}

/** The result of reading a cluster. */
export type EksClusterRead = EksClusterFound | { readonly kind: "missing" } | AwsRefusal;

/** The existence of an access entry. */
export type AccessEntryRead = { readonly kind: "there" } | { readonly kind: "missing" } | AwsRefusal;

/** Reads a cluster's status, authentication mode and endpoint. */
export async function readEksCluster(name: string, options: UserOptions): Promise<EksClusterRead> {
  return ask<EksClusterRead>(options, async (client) => {
    const { cluster } = await client.send(new DescribeClusterCommand({ name }));
    return cluster === undefined ? { kind: "failed", detail: "the answer has no cluster" } : clusterFound(cluster);
  });
}

/** Returns whether a cluster has an access entry for a role. */
export async function findAccessEntry(
  { cluster, principal }: { readonly cluster: string; readonly principal: string },
  options: UserOptions,
): Promise<AccessEntryRead> {
  return ask<AccessEntryRead>(options, async (client) => {
    await client.send(new DescribeAccessEntryCommand({ clusterName: cluster, principalArn: principal }));
    return { kind: "there" };
  });
}

async function ask<Read>(
  options: UserOptions,
  call: (client: EKSClient) => Promise<Read>,
): Promise<Read | { readonly kind: "missing" } | AwsRefusal> {
  const client = new EKSClient({ ...userClientOptions, ...options });
  return callOnce(client, async () => {
    try {
      return await call(client);
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return { kind: "missing" as const };
      throw error;
    }
  });
}

function clusterFound({ status, accessConfig, resourcesVpcConfig: network = {} }: Cluster): EksClusterFound {
  const { authenticationMode } = accessConfig ?? {};
  const { endpointPublicAccess = true, publicAccessCidrs = [], vpcId } = network;
  return {
    kind: "cluster",
    status: status ?? "without a status",
    ...(authenticationMode === undefined ? {} : { authenticationMode }),
    hasPublicEndpoint: endpointPublicAccess,
    publicCidrs: publicAccessCidrs,
    ...(vpcId === undefined ? {} : { vpc: vpcId }),
  };
}
