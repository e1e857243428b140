import type { BuiltInKind } from "#domain/workload/kinds";
import type { TriedObject } from "./admission-objects.ts";

/** A request to the API server. Default: a patch of the row's object. */
export interface Request {
  readonly method: "PATCH" | "PUT" | "POST" | "DELETE" | "GET";
  /** The path. It is appended to the object's path, except if it begins with `/api`. */
  readonly path?: string;
  readonly type?: string;
  readonly body?: unknown;
}

/** One write with Lookout's credential, and its expected verdict. */
export interface Write {
  readonly write: string;
  readonly kind: BuiltInKind;
  /** The verdict: `written`, the sentence of the policy, or `no right` for a denial by the role. */
  readonly verdict: string;
  readonly request: (manifest: TriedObject) => Request;
}

/** The verdict of a write that the role denies. */
export const noRight = "no right";
const namespace = "/api/v1/namespaces/default";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const admissionApi = "/apis/admissionregistration.k8s.io/v1";
const merge = "application/merge-patch+json";
const serverSideApply = "application/apply-patch+yaml";

const merged = (path: string, body: object): Request => ({ method: "PATCH", path, type: merge, body });
const created = (path: string, body: object): Request => ({ method: "POST", path: `${path}?dryRun=All`, body });
const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "bare" } };
const labelled = { metadata: { labels: { a: "b" } } };

/** The requests that are no patch of an object. */
export const requests: readonly (readonly [write: string, request: (manifest: TriedObject) => Request])[] = [
  ["the scale, as a subresource", () => merged("/scale", { spec: { replicas: 9 } })],
  ["the status", () => merged("/status", { status: { replicas: 9 } })],
  ["the whole object", (manifest) => ({ method: "PUT", body: { ...manifest, spec: paused(manifest) } })],
  ["its deletion", () => ({ method: "DELETE" })],
  [
    "the deletion of all",
    ({ metadata }) => ({ method: "DELETE", path: `${deployments}?labelSelector=app=${metadata.name}` }),
  ],
  ["a new object", (manifest) => created(deployments, renamed(manifest))],
  [
    "a new object, by apply",
    (manifest) => ({
      method: "PATCH",
      path: `${deployments}/made?fieldManager=x&dryRun=All`,
      type: serverSideApply,
      body: renamed(manifest),
    }),
  ],
  ["a new pod", () => created(`${namespace}/pods`, podNamed("made"))],
  ["a command in a pod", () => ({ method: "POST", path: `${namespace}/pods/bare/exec?command=id&stdout=true` })],
  ["a pod", () => merged(`${namespace}/pods/bare`, labelled)],
  ["the deletion of a pod", () => ({ method: "DELETE", path: `${namespace}/pods/bare?dryRun=All` })],
  ["the eviction of a pod", () => created(`${namespace}/pods/bare/eviction`, eviction)],
  ["a secret", () => created(`${namespace}/secrets`, { apiVersion: "v1", kind: "Secret", metadata: { name: "made" } })],
  ["a token of an account", () => created(`${namespace}/serviceaccounts/default/token`, { spec: {} })],
  ["more rights", () => merged("/apis/rbac.authorization.k8s.io/v1/clusterroles/lookout", labelled)],
];

function paused({ spec }: TriedObject): object {
  return { ...spec, paused: true };
}

/** The requests that only missing rights stop, because they skip the admission policy. */
export const beyondThePolicy: readonly { readonly what: string; readonly request: Request }[] = [
  { what: "read secrets", request: { method: "GET", path: "/api/v1/namespaces/default/secrets" } },
  {
    what: "change the policy",
    request: {
      method: "PATCH",
      path: `${admissionApi}/validatingadmissionpolicies/lookout-images-only`,
      type: merge,
      body: { spec: { failurePolicy: "Ignore" } },
    },
  },
  {
    what: "delete the policy's binding",
    request: {
      method: "DELETE",
      path: `${admissionApi}/validatingadmissionpolicybindings/lookout-images-only?dryRun=All`,
    },
  },
];

/** A request that every user may send: a review of the user's own rights. */
export const harmless: Request = {
  method: "POST",
  path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
  body: {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: { group: "apps", resource: "deployments", verb: "patch" } },
  },
};

function renamed({ apiVersion, kind, metadata: { labels }, spec }: TriedObject): object {
  return { apiVersion, kind, metadata: { name: "made", labels }, spec };
}

/** Returns a pod that no node runs. */
export function podNamed(name: string, ownerReferences: readonly object[] = []): object {
  const spec = { containers: [{ name: "app", image: "nginx:1" }] };
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default", ownerReferences }, spec };
}
