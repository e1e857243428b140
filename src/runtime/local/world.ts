import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { credentialHelpers } from "#adapters/oci/credential-helper";
import { dockerCredentials } from "#adapters/oci/docker-config";
import type { ClusterConfiguration, Configuration } from "#contracts/config/configuration";
import type { Cluster, Clusters, WorkloadLists } from "#ports/cluster";
import { PermanentError } from "#ports/errors";
import type { Registry } from "#ports/registry";
import { awsSecrets } from "../aws-secrets.ts";
import { readSecret } from "./configuration-secrets.ts";

type Kinds = Configuration["kinds"];
type Environment = Readonly<Record<string, string | undefined>>;

interface OpenClusters extends Clusters {
  close(): Promise<void>;
}

/**
 * Opens the clusters of a configuration. The clients are loaded lazily, so that the demo starts
 * without them.
 *
 * @param accountFolder - the folder of the pod's service account, if it is not the usual one.
 * @throws PermanentError if a kubeconfig is invalid or lacks the context, if an EKS cluster's region
 *   is unknown, or if a cluster is inCluster and the process does not run in a pod
 */
export async function openClusters(
  configured: readonly ClusterConfiguration[],
  environment: Environment,
  accountFolder?: string,
): Promise<OpenClusters> {
  const opened = await Promise.all(
    configured.map(
      async (cluster) => [cluster.name, await openCluster(cluster, environment, [], accountFolder)] as const,
    ),
  );
  return {
    ...clustersOf(new Map(opened)),
    close: async () => {
      await Promise.all(opened.map(([, cluster]) => cluster.close()));
    },
  };
}

/**
 * Opens one cluster of a configuration.
 *
 * @param kinds - the kinds of other operators whose objects are read.
 * @throws PermanentError as {@link openClusters}
 */
export async function openCluster(
  { eks, inCluster, kubeconfig, ...choice }: ClusterConfiguration,
  environment: Environment,
  kinds: Kinds = [],
  accountFolder?: string,
): Promise<Cluster & { close(): Promise<void> }> {
  if (inCluster === true) {
    const { clusterOfPod } = await import("#adapters/kubernetes/pod-account");
    return clusterOfPod({
      ...choice,
      environment,
      kinds,
      ...(accountFolder === undefined ? {} : { folder: accountFolder }),
    });
  }
  if (eks !== undefined) {
    const { eksVisitor } = await import("../eks-clusters.ts");
    return eksVisitor({ environment, kinds })({ ...choice, eks });
  }
  return openKubeconfig({ ...choice, ...(kubeconfig === undefined ? {} : { kubeconfig }) }, environment, kinds);
}

/**
 * Opens a cluster of a kubeconfig. The default is the user's kubeconfig.
 *
 * @throws PermanentError if the kubeconfig is invalid or lacks the context
 */
export async function openKubeconfig(
  { kubeconfig, ...choice }: Omit<ClusterConfiguration, "eks" | "inCluster">,
  environment: Environment,
  kinds: Kinds = [],
): Promise<Cluster & WorkloadLists & { close(): Promise<void> }> {
  const { clusterOfKubeConfig } = await import("#adapters/kubernetes/kubeconfig");
  return clusterOfKubeConfig({ ...choice, kinds, file: kubeconfig ?? usualKubeconfig(choice.name, environment) });
}

/**
 * Returns the path of the user's kubeconfig. Lookout reads one file, while kubectl merges several
 * files.
 */
export function usualKubeconfig(cluster: string, environment: Environment): string {
  const files = (environment.KUBECONFIG ?? "").split(delimiter).filter((file) => file !== "");
  if (files.length > 1)
    throw new PermanentError(
      `KUBECONFIG names ${files.length} files (${files.join(", ")}), but Lookout reads only one: name one file as kubeconfig of the cluster ${cluster} in lookout.yaml, or with --kubeconfig; to merge the files: kubectl config view --flatten > FILE`,
    );
  return files[0] ?? join(homedir(), ".kube", "config");
}

/** Returns the port with the given open clusters. */
export function clustersOf(clusters: ReadonlyMap<string, Cluster>): Clusters {
  return { names: () => [...clusters.keys()].sort(), cluster: (name) => clusters.get(name) };
}

/**
 * Returns one client for all registries. The client uses the configured credentials, else docker's
 * `config.json` and its helpers. ECR uses the AWS credentials of the user.
 */
export async function openRegistry(
  configuration: Pick<Configuration, "registries" | "registryPolicy">,
  environment: Environment,
  notice: (text: string) => void,
): Promise<Registry> {
  const { openRegistries } = await import("../registries.ts");
  const dockerFolder = environment.DOCKER_CONFIG ?? join(homedir(), ".docker");
  const docker = dockerCredentials(dockerFolder, { askHelper: credentialHelpers({ environment }), notice });
  const sources = { environment, readFile: (path: string) => readFile(path, "utf8"), readInAws: awsSecrets() };
  return openRegistries({
    configuration,
    readSecret: ({ ref }) => readSecret(ref, sources),
    otherCredentials: docker,
    environment,
  });
}
