import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { storedAccount } from "#adapters/kubernetes/account-api";
import type { ClusterConfiguration } from "#contracts/config/configuration";
import type { CustomKindSpec } from "#domain/workload/custom/kind";
import { loadConfiguration } from "./configuration.ts";

/** What `lookout.yaml` adds to the rights in a cluster. */
export interface ConfiguredKinds {
  /** The kinds of other operators. */
  readonly kinds: readonly CustomKindSpec[];
  /** True if objects of clusters declare updates. */
  readonly definitions: boolean;
  /** The account of all clusters, if `lookout cluster add` created it in each of them. */
  readonly account?: { readonly namespace: string; readonly name: string };
}

/**
 * Returns the kinds that `lookout.yaml` configures. The default file is the one of the working directory, if any.
 *
 * @throws PermanentError if the file is invalid
 */
export async function configuredKinds(
  place: { readonly cwd: string; readonly environment: Readonly<Record<string, string | undefined>> },
  file: string | undefined,
): Promise<ConfiguredKinds> {
  const { configuration } = await loadConfiguration({
    environment: place.environment,
    readFile: (path) => readFile(resolve(place.cwd, path), "utf8"),
    file,
  });
  const { kinds, definitions, clusters } = configuration;
  const [account, ...others] = clusters.map((cluster) => accountOf(cluster, place.cwd));
  const isOne = others.every((other) => other?.namespace === account?.namespace && other?.name === account?.name);
  return { kinds, definitions, ...(account !== undefined && isOne ? { account } : {}) };
}

/** Returns the account that `lookout cluster add` created; undefined for another kubeconfig, and for an unusable one. */
function accountOf({ name, kubeconfig }: ClusterConfiguration, cwd: string): ConfiguredKinds["account"] {
  if (kubeconfig === undefined) return undefined;
  try {
    const account = storedAccount({ name, file: resolve(cwd, kubeconfig) });
    return account && { namespace: account.namespace, name: account.name };
  } catch {
    return undefined;
  }
}
