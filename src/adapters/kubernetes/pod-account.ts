import { isIPv6 } from "node:net";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import type { CustomKindSpec } from "#domain/workload/custom/kind";
import type { Cluster, WorkloadLists } from "#ports/cluster";
import { PermanentError } from "#ports/errors";
import { clusterOfContext } from "./kubeconfig.ts";
import type { NamespaceRules } from "./namespaces.ts";

/** The cluster that runs this process. */
export interface PodChoice {
  /** The cluster's name in `lookout.yaml`. */
  readonly name: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder with the account's token and the certificate authority. */
  readonly folder?: string;
  readonly namespaces?: NamespaceRules;
  readonly kinds?: readonly CustomKindSpec[];
}

/** The folder in which Kubernetes mounts the service account of a pod. */
const mountedFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Returns the cluster that runs this process, with the service account of the pod. The token and the
 * certificate authority are read again every ten seconds, because Kubernetes renews them.
 *
 * @throws PermanentError outside of a pod.
 * @see https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/#directly-accessing-the-rest-api
 */
export function clusterOfPod({
  name,
  environment,
  folder = mountedFolder,
  namespaces,
  kinds,
}: PodChoice): Cluster & WorkloadLists & { close(): Promise<void> } {
  const host = environment["KUBERNETES_SERVICE_HOST"] ?? "";
  if (host === "")
    throw new PermanentError(
      `the cluster ${name} is inCluster, but this process does not run in a pod (KUBERNETES_SERVICE_HOST is not set): name its kubeconfig in lookout.yaml, or run lookout cluster add ${name} --context CONTEXT`,
    );
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${environment["KUBERNETES_SERVICE_PORT"] ?? "443"}`;
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromOptions({
    clusters: [{ name, server, caFile: join(folder, "ca.crt"), skipTLSVerify: false }],
    users: [{ name }],
    contexts: [{ name, cluster: name, user: name }],
    currentContext: name,
  });
  return clusterOfContext({
    name,
    kubeConfig,
    extras: { tokenFile: join(folder, "token") },
    remedy: "check that the pod has a service account with a mounted token (automountServiceAccountToken)",
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(kinds === undefined ? {} : { kinds }),
  });
}
