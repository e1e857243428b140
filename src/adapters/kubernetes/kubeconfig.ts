import { KubeConfig } from "@kubernetes/client-node";
import type { Cluster } from "#ports/cluster";
import { PermanentError } from "#ports/errors";
import { kubernetesCluster } from "./cluster.ts";
import type { NamespaceRules } from "./namespaces.ts";

/** A cluster as a kubeconfig names it. */
export interface KubeConfigChoice {
  /** The owner's word for it. */
  readonly name: string;
  /** Path of the kubeconfig. */
  readonly file: string;
  /** Absent: its current context. */
  readonly context?: string;
  readonly namespaces?: NamespaceRules;
}

/**
 * Reaches the cluster that a kubeconfig names.
 *
 * @throws PermanentError naming the file, and the context with those that there are, when one of them is missing or can't be read.
 */
export function clusterOfKubeConfig(choice: KubeConfigChoice): Cluster & { close(): Promise<void> } {
  const { name, namespaces } = choice;
  const kubeConfig = readKubeConfig(choice);
  // A file that follows its current context may have been turned to another cluster.
  const context = kubeConfig.getCurrentContext();
  const reread = (): KubeConfig | undefined => {
    try {
      return readKubeConfig({ ...choice, context });
    } catch {
      // It is being written, or has lost the context: what was read before still counts.
      return undefined;
    }
  };
  return kubernetesCluster({ name, kubeConfig, reread, ...(namespaces === undefined ? {} : { namespaces }) });
}

function readKubeConfig({ name, file, context }: KubeConfigChoice): KubeConfig {
  const kubeConfig = new KubeConfig();
  try {
    kubeConfig.loadFromFile(file);
  } catch (error) {
    throw new PermanentError(
      `the kubeconfig ${file} of cluster ${name} can't be read: expected a file of kind Config`,
      { cause: error },
    );
  }
  const contexts = kubeConfig.getContexts().map((known) => known.name);
  if (context !== undefined) {
    if (!contexts.includes(context))
      throw new PermanentError(
        `the kubeconfig ${file} has no context "${context}"; it has: ${contexts.join(", ") || "none"}`,
      );
    kubeConfig.setCurrentContext(context);
  }
  return kubeConfig;
}
