import { firstThatFit, type ListLimit } from "../shared/first-that-fit.ts";
import { inTurns } from "../shared/in-turns.ts";
import { compareTexts } from "../shared/text-order.ts";
import type { AskedOfNodes, Placement } from "./placement.ts";

/** The placement and the namespace of a workload. */
export interface PlacedWorkload {
  readonly namespace: string;
  readonly placement: Placement;
}

/**
 * The largest number of node labels, and of node names, that one workload may use. Further labels
 * and names stay unknown.
 */
const mostOfWorkload = 20;
/** The largest number of labels, and of names, that Lookout stores of the nodes of a cluster. */
const ofCluster: ListLimit = { entries: 200, characters: 8_192 };

/**
 * These patterns match the label keys and node names that Kubernetes accepts. No node has other
 * keys or names.
 */
const validLabel = /^[a-z\d][a-z\d./_-]{0,316}$/i;
const validName = /^[a-z\d][a-z\d.-]{0,252}$/;

/**
 * Returns the node labels and names that workloads use. If there are too many, Lookout stores the
 * first entries.
 *
 * Namespaces take turns, and the workloads of a namespace take turns. If there are too many labels,
 * only the workloads with most labels lack some.
 */
export function askedBy(workloads: readonly PlacedWorkload[]): AskedOfNodes {
  const byNamespace = [...Map.groupBy(workloads, ({ namespace }) => namespace)]
    .sort(([one], [other]) => compareTexts(one, other))
    .map(([, own]) => own.map(({ placement }) => placement));
  return { labels: shared(byNamespace, labelsOf), names: shared(byNamespace, namesOf) };
}

/**
 * Returns the labels and names to read for earlier and new placements. The earlier labels and names
 * come first.
 */
export function askedOfBoth(earlier: AskedOfNodes, asked: AskedOfNodes): AskedOfNodes {
  return {
    labels: withPlaces([...new Set([...earlier.labels, ...asked.labels])]),
    names: withPlaces([...new Set([...earlier.names, ...asked.names])]),
  };
}

/** Returns whether the known labels and names include all asked labels and names. */
export function covers(known: AskedOfNodes, asked: AskedOfNodes): boolean {
  return (
    asked.labels.every((label) => known.labels.includes(label)) &&
    asked.names.every((name) => known.names.includes(name))
  );
}

function shared(
  byNamespace: readonly (readonly Placement[])[],
  asks: (placement: Placement) => readonly string[],
): readonly string[] {
  const wishes = byNamespace.map((own) => distinct(own.map((placement) => asks(placement).slice(0, mostOfWorkload))));
  return withPlaces(distinct(wishes));
}

function labelsOf({ nodeSelector = {}, affinity = [] }: Placement): readonly string[] {
  const ofTerms = affinity.flatMap(({ labels }) => labels.map(({ key }) => key));
  return [...new Set([...Object.keys(nodeSelector), ...ofTerms])].filter((key) => validLabel.test(key));
}

function namesOf({ nodeName, affinity = [] }: Placement): readonly string[] {
  const ofTerms = affinity.flatMap(({ fields }) => fields.flatMap(({ values }) => values));
  const names = nodeName === undefined ? ofTerms : [nodeName, ...ofTerms];
  return [...new Set(names)].filter((name) => validName.test(name));
}

/** Returns the texts of all lists, without repeats. The lists take turns. */
function distinct(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(inTurns(lists))];
}

function withPlaces(texts: readonly string[]): readonly string[] {
  return firstThatFit(texts, ({ length }) => length, ofCluster);
}
