import { firstThatFit, type ListLimit } from "../shared/first-that-fit.ts";
import { compareTexts } from "../shared/text-order.ts";
import type { AskedOfNodes, Placement } from "./placement.ts";

/** Where the pods of a workload may land, with the workload's namespace. */
export interface PlacedWorkload {
  readonly namespace: string;
  readonly placement: Placement;
}

/** How many labels, and how many names, a workload may ask for. The others are not known. */
const mostOfWorkload = 20;
/** How many labels, and how many names, are read of the nodes of a cluster. */
const ofCluster: ListLimit = { entries: 200, characters: 8_192 };

/** Kubernetes accepts no other keys and names, so no node has them. */
const validLabel = /^[a-z\d][a-z\d./_-]{0,316}$/i;
const validName = /^[a-z\d][a-z\d.-]{0,252}$/;

/**
 * Returns the labels and names that workloads ask for, in the order in which they get a place.
 *
 * Namespaces take turns, and so do the workloads of one. Where places are short, only those who ask
 * for most lack some.
 */
export function askedBy(workloads: readonly PlacedWorkload[]): AskedOfNodes {
  const byNamespace = [...Map.groupBy(workloads, ({ namespace }) => namespace)]
    .sort(([one], [other]) => compareTexts(one, other))
    .map(([, own]) => own.map(({ placement }) => placement));
  return { labels: shared(byNamespace, labelsOf), names: shared(byNamespace, namesOf) };
}

/** Returns what a listing reads for earlier and new placements. The new ones get the places that are left. */
export function askedOfBoth(earlier: AskedOfNodes, asked: AskedOfNodes): AskedOfNodes {
  return {
    labels: withPlaces([...new Set([...earlier.labels, ...asked.labels])]),
    names: withPlaces([...new Set([...earlier.names, ...asked.names])]),
  };
}

/** Returns whether labels and names hold all that is asked. */
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
  const wishes = byNamespace.map((own) => inTurns(own.map((placement) => asks(placement).slice(0, mostOfWorkload))));
  return withPlaces(inTurns(wishes));
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

/** Returns the first text of each list, then the second of each, and so on. Each text comes once. */
function inTurns(lists: readonly (readonly string[])[]): readonly string[] {
  const turns = Array.from({ length: ofCluster.entries }, (_, turn) =>
    lists.flatMap((list) => list.slice(turn, turn + 1)),
  );
  return [...new Set(turns.flat())];
}

function withPlaces(texts: readonly string[]): readonly string[] {
  return firstThatFit(texts, ({ length }) => length, ofCluster);
}
