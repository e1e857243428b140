/** The tracked namespaces of a cluster. A deny wins over an allow. */
export interface NamespaceRules {
  /**
   * The only allowed namespaces. The default is all except denied namespaces and the namespaces of
   * Kubernetes itself.
   */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** The namespaces of Kubernetes itself, which are tracked only when they are listed. */
const ownNamespaces: readonly string[] = ["kube-system", "kube-public", "kube-node-lease"];

/** Returns whether the rules allow a namespace. */
export function isAllowed(rules: NamespaceRules, namespace: string): boolean {
  if (rules.deny?.includes(namespace)) return false;
  return rules.allow === undefined ? !ownNamespaces.includes(namespace) : rules.allow.includes(namespace);
}
