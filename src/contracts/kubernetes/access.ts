import type { CustomKindSpec } from "#domain/workload/custom/kind";
import { type DefinitionKind, definitionPlaces } from "#domain/definitions/definition";
import { kindSpecs } from "#domain/workload/kinds";

/** The name of the Kubernetes user and group in Lookout's EKS access entry. */
export const accessName = "lookout";

/** A rule of RBAC. */
export interface ClusterRule {
  readonly apiGroups: readonly [string];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly [string];
}

/** Returns a rule for resources of one API group. The core group is the empty text. */
export const ruleOf = (apiGroup: string, resources: readonly string[], verbs: readonly string[]): ClusterRule => ({
  apiGroups: [apiGroup],
  resources,
  verbs,
});

const specs = Object.values(kindSpecs);

/** The rights that updates need in a cluster. */
export const requiredRules: readonly ClusterRule[] = [
  ...joined(specs.map(({ group, plural }) => ruleOf(group, [plural], ["get", "list", "watch", "patch"]))),
  ...joined(
    specs.flatMap(({ group, reads }) => Object.entries(reads).map(([plural, verbs]) => ruleOf(group, [plural], verbs))),
  ),
  ruleOf("", ["pods", "events"], ["list"]),
  { ...ruleOf("", ["namespaces"], ["get"]), resourceNames: ["kube-system"] },
];

/** Returns the rights that updates need in a cluster with kinds of other operators. */
export function requiredRulesOf(kinds: readonly Pick<CustomKindSpec, "group" | "plural">[]): readonly ClusterRule[] {
  return [
    ...requiredRules,
    ...joined(kinds.map(({ group, plural }) => ruleOf(group, [plural], ["get", "list", "watch", "patch"]))),
  ];
}

/** Returns the rights that reading the objects of a kind needs, and writing their status. */
export function definitionRules(kind: DefinitionKind): readonly ClusterRule[] {
  const { group, plural } = definitionPlaces[kind];
  return [ruleOf(group, [plural], ["get", "list", "watch"]), ruleOf(group, [`${plural}/status`], ["patch"])];
}

/** Joins rules of the same group and verbs, and drops repeated resources. */
function joined(rules: readonly ClusterRule[]): readonly ClusterRule[] {
  const alike = Map.groupBy(rules, ({ apiGroups, verbs }) => [...apiGroups, ...verbs].join());
  return [...alike.values()].flatMap(([first, ...more]) =>
    first === undefined
      ? []
      : [{ ...first, resources: [...new Set([first, ...more].flatMap(({ resources }) => resources))] }],
  );
}
