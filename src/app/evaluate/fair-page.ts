import { namespacePrefix } from "#domain/workload/workload";
import type { SubscriberPage } from "#ports/store";

/** The place in a repository's list of subscribers where another delivery continues. */
export interface PagePosition {
  /** Evaluation continues after this text, in the order of the subscribers' keys. */
  readonly after: string;
  /**
   * The prefix `cluster/namespace/` of the subscribers to evaluate. The default is all subscribers.
   */
  readonly within?: string;
}

/** The subscribers that one delivery of a push evaluates, and where other deliveries continue. */
export interface FairPage {
  /** The keys of workloads, in their order. */
  readonly workloads: readonly string[];
  /** The places at which further pages continue. Empty if no subscribers are left. */
  readonly rest: readonly PagePosition[];
}

/** The largest number of subscribers of one namespace on a page that is not the last. */
const mostOfOneNamespace = 20;

/**
 * Limits the subscribers of each namespace on a page that is not the last. The remaining
 * subscribers of a large namespace get separate deliveries, and do not delay the next namespaces.
 * `within` is the namespace of the page, as in {@link PagePosition}.
 */
export function fairPage({ workloads, next }: SubscriberPage, within: string | undefined): FairPage {
  if (within !== undefined) {
    const own = workloads.filter((key) => key.startsWith(within));
    const isWhole = next === undefined || own.length < workloads.length;
    return { workloads: own, rest: isWhole ? [] : [{ after: next, within }] };
  }
  if (next === undefined) return { workloads, rest: [] };

  const namespaces = [...Map.groupBy(workloads, namespacePrefix)];
  const crowded = namespaces.filter(([, keys]) => keys.length > mostOfOneNamespace);
  const delayed = crowded.map(([namespace, keys]) => ({
    after: keys[mostOfOneNamespace - 1] ?? namespace,
    within: namespace,
  }));
  const last = namespacePrefix(next);
  const isLastCrowded = crowded.some(([namespace]) => namespace === last);
  return {
    workloads: namespaces.flatMap(([, keys]) => keys.slice(0, mostOfOneNamespace)),
    rest: [{ after: isLastCrowded ? endOf(last) : next }, ...delayed],
  };
}

/**
 * Returns a text that sorts after all keys of a namespace and before all keys of the next
 * namespace.
 */
function endOf(namespace: string): string {
  // In the order of keys, "0" is the next character after "/".
  return `${namespace.slice(0, -1)}0`;
}
