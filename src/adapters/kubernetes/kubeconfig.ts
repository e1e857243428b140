import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { parse } from "yaml";
import * as z from "zod";
import type { CustomKindSpec } from "#domain/workload/custom/kind";
import type { Cluster, WorkloadLists } from "#ports/cluster";
import { PermanentError } from "#ports/errors";
import { kubernetesCluster } from "./cluster.ts";
import { connection } from "./connection.ts";
import { kubeconfigCredentials } from "./kubeconfig-credentials.ts";
import { readCluster, type ReadContext, readUser } from "./kubeconfig-fields.ts";
import { accountExtension, accountSchema, type ClusterAccount } from "./account-kubeconfig.ts";
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
  readonly kinds?: readonly CustomKindSpec[];
}

/** The default kubeconfig of kubectl. */
const kubectlsOwn = join(homedir(), ".kube", "config");

/**
 * Returns the cluster of a kubeconfig.
 *
 * @throws PermanentError for an unreadable file, and for a missing context, cluster or user.
 */
export function clusterOfKubeConfig(choice: KubeConfigChoice): Cluster & WorkloadLists & { close(): Promise<void> } {
  const { name, namespaces, kinds } = choice;
  const read = readKubeConfig(choice);
  // A user may have changed the current context to another cluster.
  const context = read.kubeConfig.getCurrentContext();
  const reread = (): ReadContext | undefined => {
    try {
      return readKubeConfig({ ...choice, context });
    } catch {
      // The file is half-written, or lost the context. Lookout continues with the last content.
      return undefined;
    }
  };
  const cluster = clusterOfContext({
    name,
    ...read,
    reread,
    ...(choice.file !== kubectlsOwn && { file: choice.file }),
    ...(read.extras?.account !== undefined && { remedy: `renew its token: lookout cluster renew ${name}` }),
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(kinds === undefined ? {} : { kinds }),
  });
  return { ...cluster, context };
}

/** A kubeconfig and its source. */
interface KubeConfigContext extends ReadContext {
  /** The name of the cluster in `lookout.yaml`. */
  readonly name: string;
  /**
   * Reads the kubeconfig again, for a renewed credential. Returns undefined when the file is
   * unreadable.
   */
  readonly reread?: () => ReadContext | undefined;
  /** The path of the kubeconfig, when kubectl needs it as a flag. */
  readonly file?: string;
  /** The remedy for a rejected credential, as the end of a sentence. The default is a new login. */
  readonly remedy?: string;
  readonly namespaces?: NamespaceRules;
  readonly kinds?: readonly CustomKindSpec[];
}

/**
 * Returns the cluster of the current context. All requests share one dispatcher.
 *
 * @throws PermanentError when the kubeconfig has no current cluster.
 */
export function clusterOfContext(context: KubeConfigContext): Cluster & WorkloadLists & { close(): Promise<void> } {
  const { name, kubeConfig, extras = {}, reread = () => undefined, file, remedy, namespaces, kinds } = context;
  const api = connection(kubeconfigCredentials({ kubeConfig, extras }, reread, file, remedy));
  return kubernetesCluster({
    name,
    api,
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(kinds === undefined ? {} : { kinds }),
  });
}

const named = z.object({ name: z.string() });
const contextSchema = z.object({
  cluster: z.string().nullish(),
  user: z.string().nullish(),
  extensions: z
    .array(named.extend({ extension: z.unknown() }))
    .nullish()
    .catch(undefined),
});
const fileSchema = z.object({
  "current-context": z.string().nullish(),
  contexts: z.array(named.extend({ context: contextSchema.nullish() })).nullish(),
  clusters: z.array(named.extend({ cluster: z.unknown().optional() })).nullish(),
  users: z.array(named.extend({ user: z.unknown().optional() })).nullish(),
});

/**
 * Reads one context. Faults in the other contexts, clusters and users do not matter, as in kubectl.
 *
 * @throws PermanentError for an unreadable file, and for a missing context, cluster or user.
 */
export function readKubeConfig({ name, file, context }: KubeConfigChoice): ReadContext {
  const content = readContent(name, file);
  const chosen = context ?? content["current-context"] ?? "";
  const names = namesIn(content, chosen, file);
  const { cluster, user } = partsOf(content, names, `the context "${chosen}" of the kubeconfig ${file}`);
  const server = readCluster(names.cluster, cluster, file);
  const login = readUser(names.user, user, file);
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromOptions({
    clusters: [server.cluster],
    users: [login.user],
    contexts: [{ name: chosen, cluster: names.cluster, user: names.user }],
    currentContext: chosen,
  });
  const headers = { ...server.extras.headers, ...login.extras.headers };
  const account = accountIn(names.extensions);
  const extras = { ...server.extras, ...login.extras, headers, ...(account !== undefined && { account }) };
  return { kubeConfig, extras };
}

type Content = z.infer<typeof fileSchema>;
type ContextExtensions = z.infer<typeof contextSchema>["extensions"];

/** Returns the account of a kubeconfig that `lookout cluster add` wrote. */
function accountIn(extensions: ContextExtensions): ClusterAccount | undefined {
  const found = extensions?.find(({ name }) => name === accountExtension);
  return accountSchema.safeParse(found?.extension).data;
}

/** Returns the names of the context's cluster and user. */
function namesIn(
  content: Content,
  chosen: string,
  file: string,
): { readonly cluster: string; readonly user: string; readonly extensions: ContextExtensions } {
  const contexts = content.contexts ?? [];
  const found = contexts.find((known) => known.name === chosen);
  if (found === undefined) {
    const which = chosen ? `context "${chosen}"` : "current context";
    const known = contexts.map((one) => one.name).join(", ") || "none";
    throw new PermanentError(`the kubeconfig ${file} has no ${which}. Its contexts: ${known}`);
  }
  const { cluster, user, extensions } = found.context ?? {};
  if (!user)
    throw new PermanentError(
      `the context "${chosen}" of the kubeconfig ${file} names no user: kubectl config set-context ${chosen} --user USER --kubeconfig ${file}`,
    );
  return { cluster: cluster ?? "", user, extensions };
}

function partsOf(
  content: Content,
  names: { readonly cluster: string; readonly user: string },
  whose: string,
): { readonly cluster: unknown; readonly user: unknown } {
  const cluster = content.clusters?.find((known) => known.name === names.cluster);
  if (cluster === undefined)
    throw new PermanentError(`${whose} names the cluster "${names.cluster}", which the file does not contain`);
  const user = content.users?.find((known) => known.name === names.user);
  if (user === undefined)
    throw new PermanentError(`${whose} names the user "${names.user}", which the file does not contain`);
  return { cluster: cluster.cluster, user: user.user };
}

function readContent(name: string, file: string): Content {
  try {
    const text = readFileSync(file, "utf8");
    if (text.trim() === "") throw new PermanentError("is empty");
    return fileSchema.parse(parse(text, { logLevel: "error" }));
  } catch (error) {
    throw new PermanentError(`the kubeconfig ${file} of cluster ${name} ${fault(error)}`, { cause: error });
  }
}

/**
 * Returns the end of a sentence about an unusable kubeconfig. Messages of libraries may quote its
 * secrets.
 */
function fault(error: unknown): string {
  if (error instanceof PermanentError) return error.message;
  const { code, linePos } = error as {
    readonly code?: string;
    readonly linePos?: readonly { readonly line: number }[];
  };
  if (linePos !== undefined) return `is not YAML: check line ${String(linePos[0]?.line ?? 1)}`;
  if (code === "ENOENT") return "does not exist";
  if (code === "EISDIR") return "is a folder";
  if (code !== undefined) return `can't be read (${code})`;
  return "is not a kubeconfig: expected a file of kind Config";
}
