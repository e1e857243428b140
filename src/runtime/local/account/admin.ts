import { type AccountApi, accountApi } from "#adapters/kubernetes/account-api";
import { openKubeconfig, usualKubeconfig } from "../world.ts";
import type { AccountPlace } from "./files.ts";
import { type AccountRefusal, fromCluster } from "./refusal.ts";
import { resolve } from "node:path";

/** The kubeconfig of the user who creates, renews or deletes Lookout's account. */
export interface AdminChoice {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** A cluster with the rights of a user, and the uid of its namespace kube-system. */
export interface Admin {
  readonly kind: "admin";
  readonly api: AccountApi;
  readonly identity: string;
}

/**
 * Opens a cluster with the user's own kubeconfig.
 *
 * @throws PermanentError for an unreadable file, and for a missing context, cluster or user
 */
export async function openAdmin(
  name: string,
  { kubeconfig, context }: AdminChoice,
  { cwd, environment }: AccountPlace,
  signal: AbortSignal,
): Promise<Admin | AccountRefusal> {
  const file = kubeconfig === undefined ? usualKubeconfig(name, environment) : resolve(cwd, kubeconfig);
  const choice = { name, ...(context === undefined ? {} : { context }) };
  const api = accountApi({ ...choice, file });
  const cluster = await openKubeconfig({ ...choice, kubeconfig: file }, environment);
  try {
    const found = await cluster.identity(signal);
    if (found.kind === "identity") return { kind: "admin", api, identity: found.uid };
    await api.close();
    const text = found.detail.replace(": run lookout cluster manifests | kubectl apply -f -", "");
    return fromCluster({ ...found, detail: text }, "To name another context:  --kubeconfig FILE --context CONTEXT");
  } finally {
    await cluster.close();
  }
}
