import { accessName, requiredRules, ruleOf } from "#contracts/kubernetes/access";
import { admissionPolicy, type ClusterManifest, type PolicyOptions } from "./admission-policy.ts";

/** Lookout's identity in a cluster. */
export type AccessSubject =
  | { readonly kind: "User" | "Group"; readonly name: string }
  | { readonly kind: "ServiceAccount"; readonly namespace: string; readonly name: string };

/** The identities with access to a cluster, and the optional rights. */
export interface AccessOptions {
  /** The identities that get the rights and that the policy limits; not empty. */
  readonly subjects: readonly AccessSubject[];
  readonly deletePods: boolean;
  readonly readNodes: boolean;
}

/** The default identities: those of an EKS access entry. */
export const accessEntrySubjects: readonly AccessSubject[] = [
  { kind: "User", name: accessName },
  { kind: "Group", name: accessName },
];

/**
 * Returns the objects that give Lookout its rights in a cluster and limit them to images. They are
 * in the order of `kubectl apply`.
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

function aboutRole({ deletePods, readNodes }: AccessOptions): readonly string[] {
  return [
    "Read and follow the workloads, and patch them. There is no update and no create: nothing can be replaced as a whole, and",
    "nothing can be made. Then the lists that tell which pods belong to a revision, and whether they run. The uid of kube-system",
    "tells one cluster from another, so that one cluster under two names is noticed.",
    ...(deletePods
      ? ["Pods may be deleted: a StatefulSet that starts its pods in order waits for a broken one until somebody does."]
      : []),
    ...(readNodes ? ["Nodes may be listed: an update waits if its image lacks the platform of a node."] : []),
  ];
}

function clusterRole({ deletePods, readNodes }: AccessOptions): ClusterManifest["object"] {
  return {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRole",
    metadata: { name: accessName },
    rules: [
      ...requiredRules,
      ...(deletePods ? [ruleOf("", ["pods"], ["delete"])] : []),
      ...(readNodes ? [ruleOf("", ["nodes"], ["list"])] : []),
    ],
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
