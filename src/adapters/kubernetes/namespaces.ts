/** Which namespaces of a cluster Lookout looks at. A deny wins over an allow. */
export interface NamespaceRules {
  /** Only these; absent: all but the denied ones and those of Kubernetes itself. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** Kubernetes' own namespaces, which have to be named to be looked at. */
const ownNamespaces: readonly string[] = ["kube-system", "kube-public", "kube-node-lease"];

/** Answers whether the rules let Lookout look at a namespace. */
export function isAllowed(rules: NamespaceRules, namespace: string): boolean {
  if (rules.deny?.includes(namespace)) return false;
  return rules.allow === undefined ? !ownNamespaces.includes(namespace) : rules.allow.includes(namespace);
}
