import { homedir } from "node:os";
import { join } from "node:path";
import { credentialHelpers } from "#adapters/oci/credential-helper";
import { configuredCredentials, firstCredential } from "#adapters/oci/credentials";
import { dockerCredentials } from "#adapters/oci/docker-config";
import { ociRegistry } from "#adapters/oci/registry";
import type { ClusterConfiguration, Configuration } from "#contracts/configuration";
import type { RegistryAliases } from "#domain/registry-aliases";
import type { Cluster, Clusters } from "#ports/cluster";
import type { Registry } from "#ports/registry";

type Environment = Readonly<Record<string, string | undefined>>;

/** The clusters of a configuration, and how to let go of their connections. */
export interface OpenClusters extends Clusters {
  close(): Promise<void>;
}

/**
 * Reaches the clusters of a configuration. What a cluster is reached with is loaded here, so that the demo starts without it.
 *
 * @throws PermanentError when a kubeconfig can't be read or has no such context, or when no region is known for a cluster of EKS.
 */
export async function openClusters(
  configured: readonly ClusterConfiguration[],
  environment: Environment,
): Promise<OpenClusters> {
  const opened = await Promise.all(
    configured.map(async (cluster) => [cluster.name, await openCluster(cluster, environment)] as const),
  );
  return {
    ...clustersOf(new Map(opened)),
    close: async () => {
      await Promise.all(opened.map(([, cluster]) => cluster.close()));
    },
  };
}

async function openCluster(
  { eks, kubeconfig, ...choice }: ClusterConfiguration,
  environment: Environment,
): Promise<Cluster & { close(): Promise<void> }> {
  if (eks !== undefined) {
    const { eksVisitor } = await import("../eks-clusters.ts");
    return eksVisitor({ environment })({ ...choice, eks });
  }
  const { clusterOfKubeConfig } = await import("#adapters/kubernetes/kubeconfig");
  const fallback = environment.KUBECONFIG ?? join(homedir(), ".kube", "config");
  return clusterOfKubeConfig({ ...choice, file: kubeconfig ?? fallback });
}

/** Makes the port of clusters that are there already. */
export function clustersOf(clusters: ReadonlyMap<string, Cluster>): Clusters {
  return { names: () => [...clusters.keys()].sort(), cluster: (name) => clusters.get(name) };
}

/** The other hosts of the registries of a configuration. */
export function aliasesOf(configured: Configuration["registries"]): RegistryAliases {
  return new Map(configured.flatMap(({ host, aliases = [] }) => aliases.map((alias) => [alias, host] as const)));
}

/** Reaches any registry: with the credentials of the configuration, else those of docker's `config.json` and its credential helpers. */
export function openRegistry(
  configured: Configuration["registries"],
  environment: Environment,
  notice: (text: string) => void,
): Registry {
  const entries = configured.flatMap(({ host, username, passwordEnv, passwordFile }) =>
    username === undefined ? [] : [{ host, username, passwordEnv, passwordFile }],
  );
  const dockerFolder = environment.DOCKER_CONFIG ?? join(homedir(), ".docker");
  const docker = dockerCredentials(dockerFolder, { askHelper: credentialHelpers({ environment }), notice });
  return ociRegistry({
    credentials: firstCredential(configuredCredentials(entries, environment), docker),
    hosts: Object.fromEntries(
      configured.map(({ host, plainHttp, endpoint, tokenHosts }) => [host, { plainHttp, endpoint, tokenHosts }]),
    ),
  });
}
