import { accessName, definitionRules, requiredRulesOf, ruleOf } from "#contracts/kubernetes/access";
import type { CustomKindSpec } from "#domain/workload/custom/kind";
import { definitionKinds } from "#domain/definitions/definition";
import { admissionPolicy, type ClusterManifest, type PolicyOptions } from "./admission-policy.ts";
import { definitionsOf } from "./definitions/index.ts";

/** Lookout's identity in a cluster. */
export type AccessSubject =
  | { readonly kind: "User" | "Group"; readonly name: string }
  | { readonly kind: "ServiceAccount"; readonly namespace: string; readonly name: string };

/** The identities with access to a cluster, and the optional rights. */
export interface AccessOptions {
  /**
   * The identities that get the rights and that the policy limits. At least one identity is needed.
   */
  readonly subjects: readonly AccessSubject[];
  /** True if the service accounts exist, and are not printed. */
  readonly accountsExist?: boolean;
  readonly deletePods: boolean;
  readonly readNodes: boolean;
  /** True if the service accounts may create tokens for themselves, and for no other account. */
  readonly renewTokens?: boolean;
  /** The kinds of other operators in `lookout.yaml`. */
  readonly kinds?: readonly CustomKindSpec[];
  /** True if Lookout may read the objects of {@link definitionsOf}, and write their status. */
  readonly definitions?: boolean;
  /** True if these kinds are defined already, and are not printed. */
  readonly kindsExist?: boolean;
}

/** The default identities: the user and the group of an EKS access entry. */
export const accessEntrySubjects: readonly AccessSubject[] = [
  { kind: "User", name: accessName },
  { kind: "Group", name: accessName },
];

/**
 * Returns the objects that give Lookout its rights in a cluster and limit its writes. The objects
 * are in the order of `kubectl apply`.
 */
export function clusterManifests(options: AccessOptions): readonly ClusterManifest[] {
  return [
    ...(options.definitions === true && options.kindsExist !== true ? definitionManifests() : []),
    ...(options.accountsExist === true ? [] : options.subjects.flatMap(accountOf)),
    { about: aboutRole(options), object: clusterRole(options) },
    { about: [], object: clusterRoleBinding(options) },
    ...renewingAccounts(options).flatMap(tokenRole),
    ...admissionPolicy(policyOptions(options)),
  ];
}

/** Returns the definitions of the kinds that declare updates in a cluster. */
export function definitionManifests(): readonly ClusterManifest[] {
  return definitionsOf().map((object, index) => ({
    about:
      index === 0
        ? [
            "The kinds of objects that declare updates. They replace the definitions of earlier controllers, and keep their objects.",
            "Deleting a definition deletes all its objects.",
          ]
        : [],
    object,
  }));
}

function policyOptions(options: AccessOptions): PolicyOptions {
  const { subjects, deletePods, definitions = false, kinds = [] } = options;
  return {
    renewing: renewingAccounts(options),
    users: subjects.filter((subject) => subject.kind !== "Group").map(userOf),
    groups: subjects.flatMap(({ kind, name }) => (kind === "Group" ? [name] : [])),
    deletePods,
    kinds,
    definitions,
  };
}

type ServiceAccount = Extract<AccessSubject, { kind: "ServiceAccount" }>;

function renewingAccounts({ subjects, renewTokens }: AccessOptions): readonly ServiceAccount[] {
  return renewTokens === true ? subjects.filter((subject) => subject.kind === "ServiceAccount") : [];
}

/** The name of the role that lets an account create its own tokens. */
const tokenRoleName = "lookout-token";

function tokenRole({ namespace, name }: ServiceAccount): readonly ClusterManifest[] {
  const metadata = { name: tokenRoleName, namespace };
  return [
    {
      about: ["Lookout renews the token of its own account before it ends. It can't create tokens of other accounts."],
      object: {
        apiVersion: `${rbac}/v1`,
        kind: "Role",
        metadata,
        rules: [{ ...ruleOf("", ["serviceaccounts/token"], ["create"]), resourceNames: [name] }],
      },
    },
    {
      about: [],
      object: {
        apiVersion: `${rbac}/v1`,
        kind: "RoleBinding",
        metadata,
        roleRef: { apiGroup: rbac, kind: "Role", name: tokenRoleName },
        subjects: [{ kind: "ServiceAccount", namespace, name }],
      },
    },
  ];
}

/**
 * Returns the user name of a subject. @see
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#service-account-tokens
 */
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
      about: ["The account of Lookout, which runs outside the cluster."],
      object: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    },
    { about: [], object: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } } },
  ];
}

const rbac = "rbac.authorization.k8s.io";

function aboutRole({ deletePods, readNodes, definitions }: AccessOptions): readonly string[] {
  return [
    "Lookout may read, watch and patch workloads. It has no right to update or create them, so it can't replace whole objects.",
    "It may list revisions and pods, to judge rollouts. It may read the namespace kube-system, because the uid of kube-system",
    "identifies a cluster: Lookout detects one cluster under two names.",
    ...(deletePods
      ? ["Lookout may delete pods, because a broken pod of an ordered StatefulSet blocks the rollback."]
      : []),
    ...(readNodes
      ? ["Lookout may list nodes, because an update waits if its image lacks the platform of a node."]
      : []),
    ...(definitions === true
      ? ["Lookout may read the objects that declare updates, and patch their status. It can't create or change them."]
      : []),
  ];
}

function clusterRole({ deletePods, readNodes, definitions, kinds = [] }: AccessOptions): ClusterManifest["object"] {
  return {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRole",
    metadata: { name: accessName },
    rules: [
      ...requiredRulesOf(kinds),
      ...(deletePods ? [ruleOf("", ["pods"], ["delete"])] : []),
      ...(readNodes ? [ruleOf("", ["nodes"], ["list"])] : []),
      ...(definitions === true ? definitionKinds.flatMap(definitionRules) : []),
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
