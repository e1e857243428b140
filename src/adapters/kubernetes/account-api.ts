import { fieldManager } from "#domain/workload/workload";
import type { ClusterRefusal } from "#ports/cluster";
import { accountKubeconfig, type ClusterAccount } from "./account-kubeconfig.ts";
import type { Answer } from "./connection-answer.ts";
import { type Connection, connection } from "./connection.ts";
import { type KubeConfigChoice, readKubeConfig } from "./kubeconfig.ts";
import { kubeconfigCredentials } from "./kubeconfig-credentials.ts";
import type { ObjectMeta } from "./objects.ts";
import { isGone, refusal, withoutRightsRemedy } from "./outcome.ts";
import { mayDo } from "./rights.ts";

/** An object of any kind, as in a manifest. */
export type AnyObject = Readonly<Record<string, unknown>>;

/** An object's place in the API, and its name. */
export interface ObjectName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name: string;
}

/** The calls that create, renew and delete Lookout's account, with the rights of a kubeconfig. */
export interface AccountApi {
  /** The name of the server in messages. */
  readonly host: string;
  readonly context: string;
  /** Returns the labels of an object. */
  find(
    object: ObjectName,
    signal: AbortSignal,
  ): Promise<
    | { readonly kind: "found"; readonly labels: Readonly<Record<string, string>> }
    | { readonly kind: "absent" }
    | ClusterRefusal
  >;
  /** Returns whether a namespace has objects of this kind (a plural of the core group). */
  hasAny(
    namespace: string,
    plural: string,
    signal: AbortSignal,
  ): Promise<{ readonly kind: "listed"; readonly any: boolean } | ClusterRefusal>;
  /** Returns whether the user may do this in the object's namespace. */
  may(
    verb: string,
    object: ObjectName,
    signal: AbortSignal,
  ): Promise<{ readonly kind: "right"; readonly allowed: boolean } | ClusterRefusal>;
  /** Creates or changes an object by server-side apply, as the field manager `lookout`. */
  apply(object: AnyObject, signal: AbortSignal): Promise<{ readonly kind: "applied" } | ClusterRefusal>;
  delete(object: ObjectName, signal: AbortSignal): Promise<{ readonly kind: "deleted" } | ClusterRefusal>;
  /** Creates a token of a service account. The API server may shorten its life. */
  token(
    account: Pick<ClusterAccount, "namespace" | "name">,
    lifeSeconds: number,
    signal: AbortSignal,
  ): Promise<{ readonly kind: "token"; readonly value: string } | ClusterRefusal>;
  /** Returns the text of a kubeconfig for an account at the same server. */
  kubeconfigOf(account: ClusterAccount, tokenFile: string): string;
  close(): Promise<void>;
}

/**
 * Opens the calls with the rights of a kubeconfig.
 *
 * @throws PermanentError for an unreadable file, and for a missing context, cluster or user.
 */
export function accountApi(choice: KubeConfigChoice): AccountApi {
  const read = readKubeConfig(choice);
  const api = connection(kubeconfigCredentials(read, () => undefined, choice.file));
  return {
    host: api.host,
    context: read.kubeConfig.getCurrentContext(),
    find: (object, signal) => find(api, object, signal),
    hasAny: async (namespace, plural, signal) => {
      const path = `/api/v1/namespaces/${namespace}/${plural}`;
      const answer = await api.send(({ any }) => any({ method: "GET", path, query: { limit: "1" } }), signal);
      const items = bodyOf(answer, 200).items;
      return items === undefined
        ? refused(answer, `list ${plural} of ${namespace}`, api)
        : { kind: "listed", any: items.length > 0 };
    },
    may: (verb, { group, plural: resource, subresource, namespace, name }, signal) => {
      const where = {
        ...(namespace !== undefined && { namespace }),
        ...(subresource !== undefined && { subresource }),
      };
      return mayDo(api, { verb, group, resource, name, ...where }, signal);
    },
    apply: async (object, signal) => {
      const name = objectName(object);
      const query = { fieldManager, force: "true" };
      const contentType = "application/apply-patch+yaml";
      const asked = { method: "PATCH", path: pathOf(name), query, contentType, body: object } as const;
      const answer = await api.send(({ any }) => any(asked), signal);
      return isDone(answer) ? { kind: "applied" } : refused(answer, `apply ${textOf(name)}`, api);
    },
    delete: async (object, signal) => {
      const answer = await api.send(({ any }) => any({ method: "DELETE", path: pathOf(object) }), signal);
      return isDone(answer) || isGone(answer) ? { kind: "deleted" } : refused(answer, `delete ${textOf(object)}`, api);
    },
    token: (account, lifeSeconds, signal) => token(api, account, lifeSeconds, signal),
    kubeconfigOf: (account, tokenFile) => accountKubeconfig(read.kubeConfig, account, tokenFile),
    close: () => api.close(),
  };
}

/** The account of a kubeconfig that `lookout cluster add` wrote, with the path of its token. */
export interface StoredAccount extends ClusterAccount {
  readonly context: string;
  readonly tokenFile: string;
}

/**
 * Returns the account of a kubeconfig. Undefined if `lookout cluster add` did not write it.
 *
 * @throws PermanentError for an unreadable file, and for a missing context, cluster or user.
 */
export function storedAccount(choice: KubeConfigChoice): StoredAccount | undefined {
  const { kubeConfig, extras: { account, tokenFile } = {} } = readKubeConfig(choice);
  if (account === undefined || tokenFile === undefined) return undefined;
  return { ...account, context: kubeConfig.getCurrentContext(), tokenFile };
}

/** Returns the name of a manifest's object. */
export function objectName(object: AnyObject): ObjectName {
  const { apiVersion, kind, metadata } = object as {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly namespace?: string };
  };
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const plural = `${kind.toLowerCase().replace(/y$/, "ie")}s`;
  const { name, namespace } = metadata;
  return { group, version, kind, plural, name, ...(namespace !== undefined && { namespace }) };
}

/** Returns an object in words: `Role lookout/lookout-token`. */
export function textOf({ kind, namespace, name }: ObjectName): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

function pathOf({ group, version, plural, namespace, name }: ObjectName): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${plural}/${name}`;
}

async function find(api: Connection, object: ObjectName, signal: AbortSignal): ReturnType<AccountApi["find"]> {
  const answer = await api.send(({ any }) => any({ method: "GET", path: pathOf(object) }), signal);
  if (isGone(answer)) return { kind: "absent" };
  const metadata = bodyOf(answer, 200).metadata;
  return metadata === undefined
    ? refused(answer, `get ${textOf(object)}`, api)
    : { kind: "found", labels: metadata.labels ?? {} };
}

async function token(
  api: Connection,
  { namespace, name }: Pick<ClusterAccount, "namespace" | "name">,
  expirationSeconds: number,
  signal: AbortSignal,
): ReturnType<AccountApi["token"]> {
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds } };
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const answer = await api.send(({ any }) => any({ method: "POST", path, body }), signal);
  const status = bodyOf(answer, 201).status;
  return typeof status?.token === "string"
    ? { kind: "token", value: status.token }
    : refused(answer, `create a token of the service account ${namespace}/${name}`, api);
}

/** The users have their own kubeconfig, so Lookout's rights are no remedy. */
function refused(answer: Answer, what: string, { host }: Connection): ClusterRefusal {
  return withoutRightsRemedy(refusal(answer, what, host));
}

function isDone(answer: Answer): boolean {
  return answer.kind === "answered" && answer.status >= 200 && answer.status < 300;
}

/** Returns the fields of an answer's body; empty if the status is another. */
function bodyOf(answer: Answer, status: number): Body {
  const body: unknown = answer.kind === "answered" && answer.status === status ? answer.body : undefined;
  return typeof body === "object" && body !== null ? body : {};
}

/** The fields of answers that the calls read. */
interface Body {
  readonly items?: readonly unknown[];
  readonly metadata?: ObjectMeta;
  readonly status?: { readonly token?: unknown };
}
