/** A requirement on a label or a field of a node, as Kubernetes writes it. */
export interface NodeRequirement {
  readonly key: string;
  /** In, NotIn, Exists, DoesNotExist, Gt or Lt. */
  readonly operator: string;
  readonly values: readonly string[];
}

/**
 * A term of a node affinity. All its requirements must hold. A term without requirements matches no
 * node.
 */
export interface NodeTerm {
  readonly labels: readonly NodeRequirement[];
  /** Requirements on `metadata.name`, the only field that Kubernetes allows. */
  readonly fields: readonly NodeRequirement[];
}

/** A toleration of a pod. */
export interface Toleration {
  /** The tolerated key. Absent if the toleration is for every key. */
  readonly key?: string;
  /** The operator of the toleration. Absent if the operator is Equal. */
  readonly operator?: string;
  readonly value?: string;
  /** The tolerated effect. Absent if the toleration is for every effect. */
  readonly effect?: string;
}

/** The rules of a template about the nodes of its pods. An absent member limits nothing. */
export interface Placement {
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** `spec.os.name` of the template. */
  readonly os?: string;
  /** The terms of the required node affinity. One of them must match. */
  readonly affinity?: readonly NodeTerm[];
  readonly tolerations?: readonly Toleration[];
}

/** A taint of a node. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** Nodes that are equal for all placements of their cluster. */
export interface NodeGroup {
  readonly os: string;
  readonly architecture: string;
  /** The asked labels that the nodes have. Absent if the labels are unknown. */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * The lasting taints of the nodes. Absent if the nodes have no such taints, or they are unknown.
   */
  readonly taints?: readonly Taint[];
  /** The name of a node that a placement names. Absent if no placement names the node. */
  readonly name?: string;
}

/**
 * The labels and names of nodes that placements use. If there are too many, Lookout stores the
 * first entries.
 */
export interface AskedOfNodes {
  readonly labels: readonly string[];
  readonly names: readonly string[];
}

/** Returns the name of a node's platform: `linux/arm64`. */
export function platformOf({ os, architecture }: Pick<NodeGroup, "os" | "architecture">): string {
  return `${os}/${architecture}`;
}

/**
 * Returns whether pods may land on the nodes of a group.
 *
 * If a label or an operator is unknown, the function assumes that pods may land.
 */
export function mayLand(placement: Placement, node: NodeGroup, asked: AskedOfNodes): boolean {
  const { nodeName, nodeSelector = {}, os, affinity, tolerations = [] } = placement;
  const labelOf = (key: string): string | undefined | typeof unknown => knownLabel(node, key, asked);
  const nameIs = (name: string): boolean => (asked.names.includes(name) ? node.name === name : true);
  if (os !== undefined && os !== node.os) return false;
  if (nodeName !== undefined && !nameIs(nodeName)) return false;
  const selects = Object.entries(nodeSelector).every(([key, value]) =>
    holds({ key, operator: "In", values: [value] }, labelOf(key)),
  );
  if (!selects) return false;
  if (affinity?.some((term) => termMatches(term, labelOf, node, asked)) === false) return false;
  // Only the scheduler checks these taints, and pods with `nodeName` skip the scheduler.
  return nodeName !== undefined || (node.taints ?? []).every((taint) => isTolerated(taint, tolerations));
}

/** The value of an unknown label. */
const unknown = Symbol("unknown");

/** The labels of every node, derived from the facts of the node. */
const ownLabels: Readonly<Record<string, (node: NodeGroup) => string>> = {
  "kubernetes.io/os": ({ os }) => os,
  "kubernetes.io/arch": ({ architecture }) => architecture,
  "beta.kubernetes.io/os": ({ os }) => os,
  "beta.kubernetes.io/arch": ({ architecture }) => architecture,
};

function knownLabel(node: NodeGroup, key: string, asked: AskedOfNodes): string | undefined | typeof unknown {
  if (node.labels !== undefined && asked.labels.includes(key))
    return Object.hasOwn(node.labels, key) ? node.labels[key] : undefined;
  return Object.hasOwn(ownLabels, key) ? (ownLabels[key]?.(node) ?? unknown) : unknown;
}

function termMatches(
  { labels, fields }: NodeTerm,
  labelOf: (key: string) => string | undefined | typeof unknown,
  { name }: NodeGroup,
  asked: AskedOfNodes,
): boolean {
  if (labels.length + fields.length === 0) return false;
  return (
    labels.every((requirement) => holds(requirement, labelOf(requirement.key))) &&
    fields.every((requirement) => {
      const isKnown = requirement.values.every((value) => asked.names.includes(value));
      // A node without a name here has none of the asked names.
      return holds(requirement, isKnown ? (name ?? "") : unknown);
    })
  );
}

/** @see https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#operators */
const operators: Readonly<Record<string, (value: string | undefined, values: readonly string[]) => boolean>> = {
  In: (value, values) => value !== undefined && values.includes(value),
  NotIn: (value, values) => value === undefined || !values.includes(value),
  Exists: (value) => value !== undefined,
  DoesNotExist: (value) => value === undefined,
  Gt: (value, [than]) => compared(value, than, (left, right) => left > right),
  Lt: (value, [than]) => compared(value, than, (left, right) => left < right),
};

function holds({ operator, values }: NodeRequirement, value: string | undefined | typeof unknown): boolean {
  if (value === unknown || !Object.hasOwn(operators, operator)) return true;
  return operators[operator]?.(value, values) ?? true;
}

function compared(
  value: string | undefined,
  than: string | undefined,
  judge: (left: bigint, right: bigint) => boolean,
): boolean {
  const isInteger = (text: string | undefined): text is string => /^[+-]?\d{1,20}$/.test(text ?? "");
  return isInteger(value) && isInteger(than) && judge(integer(value), integer(than));
}

/** Parses an integer without its plus sign, which `BigInt` rejects. */
function integer(text: string): bigint {
  return BigInt(text.replace(/^\+/, ""));
}

/** @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ */
function isTolerated(taint: Taint, tolerations: readonly Toleration[]): boolean {
  if (taint.effect !== "NoSchedule" && taint.effect !== "NoExecute") return true;
  return tolerations.some((one) => tolerates(one, taint));
}

function tolerates({ key = "", operator = "Equal", value = "", effect = "" }: Toleration, taint: Taint): boolean {
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  // An operator other than Equal and Exists is unknown, so the toleration may apply.
  return operator === "Equal" ? value === (taint.value ?? "") : true;
}
