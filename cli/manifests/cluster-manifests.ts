import { accessName, requiredRules, ruleOf } from "#contracts/kubernetes/access";
import { admissionPolicy, type ClusterManifest, type PolicyOptions } from "./admission-policy.ts";

/** A user, group or service account that Lookout is in a cluster. */
export type AccessSubject =
  | { readonly kind: "User" | "Group"; readonly name: string }
  | { readonly kind: "ServiceAccount"; readonly namespace: string; readonly name: string };

/** Who gets access to a cluster, and whether pods may be deleted. */
export interface AccessOptions {
  /** They get the rights, and the policy limits them; not empty. */
  readonly subjects: readonly AccessSubject[];
  readonly deletePods: boolean;
}

/** The default subjects: those of an EKS access entry. */
export const accessEntrySubjects: readonly AccessSubject[] = [
  { kind: "User", name: accessName },
  { kind: "Group", name: accessName },
];

/**
 * Lists the objects that give Lookout access to a cluster: its rights, and the policy that limits them to images.
 *
 * They are in the order in which they must be applied.
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

function clusterRole({ deletePods }: AccessOptions): ClusterManifest["object"] {
  return {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRole",
    metadata: { name: accessName },
    rules: [...requiredRules, ...(deletePods ? [ruleOf("", ["pods"], ["delete"])] : [])],
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
