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

/** A cluster of a kubeconfig. */
export interface KubeConfigChoice {
  /** The cluster's name in `lookout.yaml`. */
  readonly name: string;
  /** The path of the kubeconfig. */
  readonly file: string;
  /** The context. The default is the kubeconfig's current context. */
  readonly context?: string;
  readonly namespaces?: NamespaceRules;
}

/** The default kubeconfig of kubectl. */
const kubectlsOwn = join(homedir(), ".kube", "config");

/**
 * Returns the cluster of a kubeconfig.
 *
 * @throws PermanentError for an unreadable file, and for a missing context, cluster or user.
 */
export function clusterOfKubeConfig(choice: KubeConfigChoice): Cluster & { close(): Promise<void> } {
  const { name, namespaces } = choice;
  const kubeConfig = readKubeConfig(choice);
  // A user may have changed the current context to another cluster.
  const context = kubeConfig.getCurrentContext();
  const reread = (): KubeConfig | undefined => {
    try {
      return readKubeConfig({ ...choice, context });
    } catch {
      // The file is half-written, or lost the context. Lookout continues with the last content.
      return undefined;
    }
  };
  const cluster = clusterOfContext({
    name,
    kubeConfig,
    reread,
    ...(choice.file !== kubectlsOwn && { file: choice.file }),
    ...(namespaces === undefined ? {} : { namespaces }),
  });
  return { ...cluster, context };
}

/** A kubeconfig and its source. */
interface KubeConfigContext {
  /** The name of the cluster in `lookout.yaml`. */
  readonly name: string;
  /** The kubeconfig. Lookout uses its current context. */
  readonly kubeConfig: KubeConfig;
  /**
   * Reads the kubeconfig again, for a renewed credential. Returns undefined when the file is
   * unreadable.
   */
  readonly reread?: () => KubeConfig | undefined;
  /** The path of the kubeconfig, when kubectl needs it as a flag. */
  readonly file?: string;
  readonly namespaces?: NamespaceRules;
}

/**
 * Returns the cluster of the current context. All requests share one dispatcher.
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
    throw new PermanentError(`the kubeconfig ${file} has no ${which}. Its contexts: ${contexts.join(", ") || "none"}`);
  }
  kubeConfig.setCurrentContext(chosen);
  requireParts(kubeConfig, file);
  return kubeConfig;
}

/**
 * Returns the end of a sentence about an unusable kubeconfig. Messages of libraries may quote its
 * secrets.
 */
function fault(error: unknown): string {
  if (error instanceof PermanentError) return error.message;
  const { code, mark } = error as { readonly code?: string; readonly mark?: { readonly line: number } };
  if (code === "ENOENT") return "does not exist";
  if (code === "EISDIR") return "is a folder";
  if (code !== undefined) return `can't be read (${code})`;
  if (mark !== undefined) return `is not YAML: check line ${String(mark.line + 1)}`;
  return "is not a kubeconfig: expected a file of kind Config";
}

/** An auth provider in a kubeconfig, which the client library passes on unread. */
interface AuthProvider {
  readonly name?: unknown;
  readonly config?: Readonly<Partial<Record<"tokenFile" | "exec" | "cmd-path", unknown>>> | null;
}

/**
 * The auth providers of the client library. With any other provider, the library sends anonymous
 * requests.
 */
const providers: ReadonlySet<unknown> = new Set(["oidc", "gcp", "azure"]);

/**
 * Throws when the cluster or the user of the current context is missing. Without a user, requests
 * would be anonymous.
 */
function requireParts(kubeConfig: KubeConfig, file: string): void {
  const { name, cluster, user } = kubeConfig.getContextObject(kubeConfig.getCurrentContext()) ?? {};
  const context = `the context "${name ?? ""}" of the kubeconfig ${file}`;
  if (kubeConfig.getCurrentCluster() === null)
    throw new PermanentError(`${context} names the cluster "${cluster ?? ""}", which the file does not contain`);
  if (user === undefined || user === "")
    throw new PermanentError(
      `${context} names no user: kubectl config set-context ${name ?? ""} --user USER --kubeconfig ${file}`,
    );
  const found = kubeConfig.getCurrentUser();
  if (found === null) throw new PermanentError(`${context} names the user "${user}", which the file does not contain`);
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
  // The client library has no time limit for these programs.
  if (config?.["cmd-path"] !== undefined || config?.exec !== undefined)
    throw new PermanentError(`${user} has ${shown}, which starts a program without a time limit: ${otherProofs}`);
}

const otherProofs = "give the user a token, a client certificate or a credential plugin (exec)";
