import { admissionPolicy, type ClusterManifest, type PolicyOptions } from "./admission-policy.ts";

/** Who a cluster knows Lookout as. */
export type AccessSubject =
  | { readonly kind: "User" | "Group"; readonly name: string }
  | { readonly kind: "ServiceAccount"; readonly namespace: string; readonly name: string };

/** What a cluster's owner decides about Lookout's access. */
export interface AccessOptions {
  /** Whoever is one of these is given the rights, and is held to the policy; not empty. */
  readonly subjects: readonly AccessSubject[];
  /** Lets Lookout free a StatefulSet that waits for a broken pod. */
  readonly deletePods: boolean;
}

/** The name that an EKS access entry gives Lookout, as its user and as its group. */
export const accessName = "lookout";

/** Who Lookout is where nobody says otherwise: what an EKS access entry makes of its role. */
export const accessEntrySubjects: readonly AccessSubject[] = [
  { kind: "User", name: accessName },
  { kind: "Group", name: accessName },
];

/**
 * Lists what a cluster's owner applies so that Lookout can work there: its rights, and the policy that narrows them to images.
 *
 * In the order in which they are applied; namespace and account come first, where there is a service account.
 */
export function clusterManifests(options: AccessOptions): readonly ClusterManifest[] {
  return [
    ...options.subjects.flatMap(accountOf),
    { about: aboutRole(options), object: clusterRole(options) },
    { about: [], object: clusterRoleBinding(options) },
    ...admissionPolicy(policyOptions(options)),
  ];
}

function policyOptions({ subjects, deletePods }: AccessOptions): PolicyOptions {
  return {
    users: subjects.filter((subject) => subject.kind !== "Group").map(userOf),
    groups: subjects.flatMap(({ kind, name }) => (kind === "Group" ? [name] : [])),
    deletePods,
  };
}

/** @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#service-account-tokens */
function userOf(subject: AccessSubject): string {
  return subject.kind === "ServiceAccount"
    ? `system:serviceaccount:${subject.namespace}:${subject.name}`
    : subject.name;
}

function accountOf(subject: AccessSubject): readonly ClusterManifest[] {
  if (subject.kind !== "ServiceAccount") return [];
  const { namespace, name } = subject;
  return [
    {
      about: ["Lookout runs elsewhere: in the cluster there is its account, and nothing else."],
      object: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    },
    { about: [], object: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } } },
  ];
}

const rbac = "rbac.authorization.k8s.io";

function aboutRole({ deletePods }: AccessOptions): readonly string[] {
  return [
    "Read and follow the workloads, and patch them. There is no update and no create: nothing can be replaced as a whole, and",
    "nothing can be made. Then the lists that tell which pods belong to a revision, and whether they run. The uid of kube-system",
    "tells one cluster from another, so that one cluster under two names is noticed.",
    ...(deletePods
      ? ["Pods may be deleted: a StatefulSet that starts its pods in order waits for a broken one until somebody does."]
      : []),
  ];
}

/** A right as RBAC writes it. */
export interface ClusterRule {
  readonly apiGroups: readonly [string];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly [string];
}

const rule = (apiGroup: string, resources: readonly string[], verbs: readonly string[]): ClusterRule => ({
  apiGroups: [apiGroup],
  resources,
  verbs,
});

/** The rights in a cluster without which updates can't be made, or not be watched to their end. */
export const requiredRules: readonly ClusterRule[] = [
  rule("apps", ["deployments", "statefulsets", "daemonsets"], ["get", "list", "watch", "patch"]),
  rule("batch", ["cronjobs"], ["get", "list", "watch", "patch"]),
  rule("apps", ["replicasets", "controllerrevisions"], ["list"]),
  rule("batch", ["jobs"], ["list", "watch"]),
  rule("", ["pods", "events"], ["list"]),
  { ...rule("", ["namespaces"], ["get"]), resourceNames: ["kube-system"] },
];

function clusterRole({ deletePods }: AccessOptions): ClusterManifest["object"] {
  return {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRole",
    metadata: { name: accessName },
    rules: [...requiredRules, ...(deletePods ? [rule("", ["pods"], ["delete"])] : [])],
  };
}

function clusterRoleBinding({ subjects }: AccessOptions): ClusterManifest["object"] {
  return {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: accessName },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: accessName },
    subjects: subjects.map((subject) =>
      subject.kind === "ServiceAccount" ? { ...subject } : { apiGroup: rbac, ...subject },
    ),
  };
}
