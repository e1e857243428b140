import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { configuredCredentials } from "#adapters/oci/configured-credentials";
import { credentialHelpers } from "#adapters/oci/credential-helper";
import { type CredentialSource, firstCredential, keptCredentials } from "#adapters/oci/credentials";
import { dockerCredentials } from "#adapters/oci/docker-config";
import type { ClusterConfiguration, Configuration } from "#contracts/config/configuration";
import { writtenPlace } from "#contracts/config/secret-places";
import type { Cluster, Clusters } from "#ports/cluster";
import { PermanentError } from "#ports/errors";
import type { Registry } from "#ports/registry";
import { lazyAwsSecrets } from "./aws-secrets.ts";

type Environment = Readonly<Record<string, string | undefined>>;

interface OpenClusters extends Clusters {
  close(): Promise<void>;
}

/**
 * Opens the clusters of a configuration. It loads the clients here, so that the demo starts without
 * them.
 *
 * @throws PermanentError when a kubeconfig is invalid or lacks the context, or when an EKS
 * cluster's region is unknown
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
  return clusterOfKubeConfig({ ...choice, file: kubeconfig ?? usualKubeconfig(choice.name, environment) });
}

/**
 * kubectl merges several files and writes renewed logins back to each. Lookout uses one file only.
 */
function usualKubeconfig(cluster: string, environment: Environment): string {
  const files = (environment.KUBECONFIG ?? "").split(delimiter).filter((file) => file !== "");
  if (files.length > 1)
    throw new PermanentError(
      `KUBECONFIG names ${files.length} files (${files.join(", ")}), and Lookout reads one: name it as kubeconfig of the cluster ${cluster} in lookout.yaml, or with --kubeconfig; to make one of all: kubectl config view --flatten > FILE`,
    );
  return files[0] ?? join(homedir(), ".kube", "config");
}

/** Returns the port of open clusters. */
export function clustersOf(clusters: ReadonlyMap<string, Cluster>): Clusters {
  return { names: () => [...clusters.keys()].sort(), cluster: (name) => clusters.get(name) };
}

/**
 * Returns one client for all registries. It uses the configured credentials, else docker's
 * `config.json` and its helpers. ECR uses the AWS credentials of the user.
 */
export async function openRegistry(
  configured: Configuration["registries"],
  environment: Environment,
  notice: (text: string) => void,
): Promise<Registry> {
  const { openRegistries } = await import("../registries.ts");
  const dockerFolder = environment.DOCKER_CONFIG ?? join(homedir(), ".docker");
  const docker = dockerCredentials(dockerFolder, { askHelper: credentialHelpers({ environment }), notice });
  const credentials = firstCredential(...credentialsOf(configured, environment), docker);
  return openRegistries({ configured, credentials, environment });
}

function credentialsOf(
  configured: Configuration["registries"],
  environment: Environment,
): readonly [CredentialSource, CredentialSource] {
  const secretAt = lazyAwsSecrets();
  const here = configured.flatMap(({ host, username, passwordEnv, passwordFile }) =>
    username === undefined || (passwordEnv ?? passwordFile) === undefined
      ? []
      : [{ host, username, passwordEnv, passwordFile }],
  );
  const inAws = configured.flatMap(({ host, username, passwordParameter, passwordId }) => {
    const place = writtenPlace(passwordParameter, passwordId);
    return username === undefined || place === undefined ? [] : [{ host, username, place }];
  });
  return [configuredCredentials(here, environment), keptCredentials(inAws, ({ place }) => secretAt(place))];
}
