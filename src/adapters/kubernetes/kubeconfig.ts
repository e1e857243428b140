import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import type { Cluster } from "#ports/cluster";
import { PermanentError } from "#ports/errors";
import { kubernetesCluster } from "./cluster.ts";
import { connection } from "./connection.ts";
import { kubeconfigCredentials } from "./kubeconfig-credentials.ts";
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

/** What kubectl reads when it is told of no other. */
const kubectlsOwn = join(homedir(), ".kube", "config");

/**
 * Reaches the cluster that a kubeconfig names.
 *
 * @throws PermanentError naming the file, and the context with those that there are, when one of them is missing or can't be read; or the
 * cluster or user that the context names, when it is not in the file.
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
  return clusterOfContext({
    name,
    kubeConfig,
    reread,
    ...(choice.file !== kubectlsOwn && { file: choice.file }),
    ...(namespaces === undefined ? {} : { namespaces }),
  });
}

/** A kubeconfig that was read. */
interface KubeConfigContext {
  /** The owner's word for the cluster. */
  readonly name: string;
  /** Its current context is used. */
  readonly kubeConfig: KubeConfig;
  /** Answers the kubeconfig as it is now, for a credential that was renewed meanwhile; undefined when it can't be read. */
  readonly reread?: () => KubeConfig | undefined;
  /** The kubeconfig's path, where kubectl has to be told of it. */
  readonly file?: string;
  readonly namespaces?: NamespaceRules;
}

/**
 * Reaches the cluster of a kubeconfig's current context. One dispatcher is shared by all requests.
 *
 * @throws PermanentError when the kubeconfig has no current cluster.
 */
export function clusterOfContext(context: KubeConfigContext): Cluster & { close(): Promise<void> } {
  const { name, kubeConfig, reread = () => undefined, file, namespaces } = context;
  const api = connection(kubeconfigCredentials(kubeConfig, reread, file));
  return kubernetesCluster({ name, api, ...(namespaces === undefined ? {} : { namespaces }) });
}

function readKubeConfig({ name, file, context }: KubeConfigChoice): KubeConfig {
  const kubeConfig = new KubeConfig();
  try {
    const text = readFileSync(file, "utf8");
    if (text.trim() === "") throw new PermanentError("is empty");
    kubeConfig.loadFromString(text);
    kubeConfig.makePathsAbsolute(dirname(file));
  } catch (error) {
    throw new PermanentError(`the kubeconfig ${file} of cluster ${name} ${fault(error)}`, { cause: error });
  }
  const contexts = kubeConfig.getContexts().map((known) => known.name);
  const chosen = context ?? kubeConfig.getCurrentContext();
  if (!contexts.includes(chosen)) {
    const which = chosen ? `context "${chosen}"` : "current context";
    throw new PermanentError(`the kubeconfig ${file} has no ${which}; it has: ${contexts.join(", ") || "none"}`);
  }
  kubeConfig.setCurrentContext(chosen);
  requireParts(kubeConfig, file);
  return kubeConfig;
}

/** What is wrong with a kubeconfig, behind its name. Messages of the libraries may quote what it says. */
function fault(error: unknown): string {
  if (error instanceof PermanentError) return error.message;
  const { code, mark } = error as { readonly code?: string; readonly mark?: { readonly line: number } };
  if (code === "ENOENT") return "does not exist";
  if (code === "EISDIR") return "is a folder";
  if (code !== undefined) return `can't be read (${code})`;
  if (mark !== undefined) return `is not YAML: look at line ${String(mark.line + 1)}`;
  return "can't be understood: expected a file of kind Config";
}

/** As a kubeconfig says it; the client library hands it on unread. */
interface AuthProvider {
  readonly name?: unknown;
  readonly config?: Readonly<Partial<Record<"tokenFile" | "exec" | "cmd-path", unknown>>> | null;
}

/** The auth providers that the client library logs in by. With any other it would ask as nobody. */
const providers: ReadonlySet<unknown> = new Set(["oidc", "gcp", "azure"]);

/** A context may name what is not there. Without its user, Lookout would ask as nobody. */
function requireParts(kubeConfig: KubeConfig, file: string): void {
  const { name, cluster, user } = kubeConfig.getContextObject(kubeConfig.getCurrentContext()) ?? {};
  const context = `the context "${name ?? ""}" of the kubeconfig ${file}`;
  if (kubeConfig.getCurrentCluster() === null)
    throw new PermanentError(`${context} names the cluster "${cluster ?? ""}", which is not in it`);
  if (user === undefined || user === "")
    throw new PermanentError(
      `${context} names no user: kubectl config set-context ${name ?? ""} --user USER --kubeconfig ${file}`,
    );
  const found = kubeConfig.getCurrentUser();
  if (found === null) throw new PermanentError(`${context} names the user "${user}", which is not in it`);
  requireKnownProvider(
    found.authProvider as AuthProvider | null | undefined,
    `the user "${user}" of the kubeconfig ${file}`,
  );
}

function requireKnownProvider(provider: AuthProvider | null | undefined, user: string): void {
  if (provider === undefined || provider === null) return;
  const { name, config } = provider;
  const shown = typeof name === "string" ? `the auth-provider "${name}"` : "an auth-provider without a name";
  const isKnown = (typeof config?.tokenFile === "string" && config.tokenFile !== "") || providers.has(name);
  if (!isKnown) throw new PermanentError(`${user} has ${shown}, which Lookout does not know: ${otherProofs}`);
  // The client library waits for these programs without end, and all clusters with it.
  if (config?.["cmd-path"] !== undefined || config?.exec !== undefined)
    throw new PermanentError(`${user} has ${shown}, which starts a program without a limit in time: ${otherProofs}`);
}

const otherProofs = "give it a token, a client certificate or a credential plugin (exec)";
