import { deepEqual } from "../shared/deep-equal.ts";
import { firstThatFit, type ListLimit } from "../shared/first-that-fit.ts";
import { compareTexts } from "../shared/text-order.ts";
import { type EpochMs, hours, minutes, plus } from "../shared/time.ts";
import { isAhead } from "../shared/wrong-clock.ts";
import { askedOfBoth, covers } from "./asked-of-nodes.ts";
import { type ClusterNode, groupNodes } from "./node-groups.ts";
import { type AskedOfNodes, mayLand, type NodeGroup, type Placement, platformOf } from "./placement.ts";

/** The nodes of a cluster at their last listing. */
export interface ListedNodes {
  readonly kind: "listed";
  readonly at: EpochMs;
  /** The labels and names that placements used at the listing. */
  readonly asked: AskedOfNodes;
  /**
   * The asked labels that the groups contain, each with the instant of the first listing that read
   * the label.
   */
  readonly labelsSince: Readonly<Record<string, EpochMs>>;
  /** The asked names that the groups contain. */
  readonly names: readonly string[];
  readonly groups: readonly NodeGroup[];
  /**
   * The groups that have no node now. An autoscaler may add nodes to these groups again, with other
   * names.
   */
  readonly gone: readonly GoneGroup[];
  /** True if a changed placement uses a label or name that the groups do not contain. */
  readonly crowded?: true;
}

/** A group without a node at the last listing. */
export interface GoneGroup {
  readonly group: NodeGroup;
  /** The instant of the last listing that found a node of the group. */
  readonly seenAt: EpochMs;
}

/** The stored answer of a cluster about its nodes. `denied`: Lookout may not list nodes. */
export type NodeFacts = ListedNodes | { readonly kind: "denied"; readonly at: EpochMs; readonly detail: string };

/** The interval between listings of the nodes of a cluster. */
const listEvery = minutes(10);
/** The time for which Lookout keeps a group without a node. */
const goneAfter = hours(14 * 24);
/**
 * The time for which a listing is valid. A sync that can't list the nodes keeps the last listing.
 */
const believedFor = hours(1);

/** The labels and names of nodes that the workloads of a sync use. */
export interface AskingSync {
  readonly asked: AskedOfNodes;
  /** True if the sync listed all workloads, so labels that no workload uses can be dropped. */
  readonly complete: boolean;
  /** True if a user requested the sync. */
  readonly requested: boolean;
}

/**
 * Returns the labels and names that a sync reads, or undefined if the last listing is recent and
 * complete enough.
 */
export function dueListing(known: NodeFacts | undefined, sync: AskingSync, now: EpochMs): AskedOfNodes | undefined {
  const all = sync.complete || known?.kind !== "listed" ? sync.asked : askedOfBoth(known.asked, sync.asked);
  const isOld = known === undefined || isAhead(known.at, now) || now >= plus(known.at, listEvery);
  return isOld || sync.requested || lacks(known, all) || (sync.complete && isCrowded(known)) ? all : undefined;
}

function lacks(known: NodeFacts, asked: AskedOfNodes): boolean {
  return known.kind === "listed" && !covers(known.asked, asked);
}

/**
 * Returns whether changed placements use labels or names that the listing lacks. Lookout then lists
 * all workloads sooner.
 */
export function isCrowded(known: NodeFacts | undefined): boolean {
  return known?.kind === "listed" && known.crowded === true;
}

/**
 * Returns the listing of nodes: the groups of equal nodes, and the earlier groups that have no node
 * now.
 */
export function listedNodes(
  nodes: readonly ClusterNode[],
  asked: AskedOfNodes,
  before: NodeFacts | undefined,
  at: EpochMs,
): ListedNodes {
  const { groups, told } = groupNodes(nodes, asked);
  const earlier = before?.kind === "listed" ? before : undefined;
  const since = new Map(Object.entries(earlier?.labelsSince ?? {}));
  const labelsSince = Object.fromEntries(told.labels.map((label) => [label, since.get(label) ?? at]));
  const gone = earlier === undefined ? [] : goneSince(earlier, labelsSince, groups, at);
  return { kind: "listed", at, asked, labelsSince, names: told.names, groups, gone };
}

/**
 * Marks a listing as crowded if it lacks labels or names that changed placements use.
 *
 * Only a sync that lists all workloads chooses again which labels and names Lookout stores.
 */
export function noteCrowd<Facts extends NodeFacts | undefined>(
  nodes: Facts,
  before: NodeFacts | undefined,
  { asked, complete }: AskingSync,
): Facts | ListedNodes {
  if (complete || nodes?.kind !== "listed") return nodes;
  const isNew = before === undefined || lacks(before, asked);
  const told = { labels: Object.keys(nodes.labelsSince), names: nodes.names };
  return (isNew && !covers(told, asked)) || isCrowded(before) ? { ...nodes, crowded: true } : nodes;
}

/** Returns whether a listing may change the answer of a gate. */
export function areOtherNodes(before: NodeFacts | undefined, after: NodeFacts): boolean {
  const judged = (facts: NodeFacts | undefined): unknown =>
    facts?.kind === "listed" ? [Object.keys(facts.labelsSince), facts.names, facts.groups] : facts?.kind;
  return !deepEqual(judged(before), judged(after));
}

/**
 * Returns the platforms of the nodes on which pods may land, sorted. Without such a node, returns
 * the platforms of matching groups that are gone. Returns none if no platform is known.
 */
export function neededPlatforms(placement: Placement, nodes: ListedNodes): readonly string[] {
  const { at, labelsSince, names, groups, gone } = nodes;
  const present = groups.filter((group) => mayLand(placement, group, { labels: labelsAt(labelsSince, at), names }));
  if (present.length > 0) return platformsOf(present);
  const left = gone.filter(({ group, seenAt }) =>
    mayLand(placement, group, { labels: labelsAt(labelsSince, seenAt), names }),
  );
  return platformsOf(left.map(({ group }) => group));
}

function platformsOf(groups: readonly NodeGroup[]): readonly string[] {
  return [...new Set(groups.map(platformOf))].sort(compareTexts);
}

/**
 * Returns the labels that a listing contains. If only later listings read a label, the label is
 * unknown.
 */
function labelsAt(labelsSince: ListedNodes["labelsSince"], at: EpochMs): readonly string[] {
  return Object.entries(labelsSince).flatMap(([label, since]) => (since <= at ? [label] : []));
}

/** Returns the listing, if it is still valid, or undefined if the listing is missing or too old. */
export function believedListing(known: NodeFacts | undefined, now: EpochMs): ListedNodes | undefined {
  return known?.kind === "listed" && now < plus(known.at, believedFor) ? known : undefined;
}

const mostGone: ListLimit = { entries: 200, characters: 32_768 };

/**
 * Returns the groups of earlier listings that have no node now. If there are too many, Lookout
 * keeps the groups that it saw last.
 */
function goneSince(
  before: ListedNodes,
  labelsSince: ListedNodes["labelsSince"],
  groups: readonly NodeGroup[],
  at: EpochMs,
): readonly GoneGroup[] {
  const known = [...before.groups.map((group): GoneGroup => ({ group, seenAt: before.at })), ...before.gone]
    .filter(({ seenAt }) => at < plus(seenAt, goneAfter))
    .toSorted((one, other) => other.seenAt - one.seenAt);
  const byInstant = Map.groupBy(known, ({ seenAt }) => seenAt);
  const left = [...byInstant].flatMap(([seenAt, earlier]) => {
    const labels = labelsAt(labelsSince, seenAt);
    const present = byText(groups.map((group) => withoutName(group, labels)));
    const texts = byText(earlier.map(({ group }) => withoutName(group, labels)));
    return [...texts].flatMap(([text, group]) => (present.has(text) ? [] : [{ group, seenAt }]));
  });
  return firstThatFit(left, ({ group }) => JSON.stringify(group).length, mostGone);
}

/**
 * The label with a node's name. The comparison ignores this label, because an autoscaler gives a
 * new node a new name.
 */
const hostname = "kubernetes.io/hostname";

function withoutName({ name: _, ...group }: NodeGroup, labels: readonly string[]): NodeGroup {
  const known = Object.entries(group.labels ?? {}).filter(([key]) => labels.includes(key) && key !== hostname);
  return { ...group, labels: Object.fromEntries(known) };
}

/**
 * Returns a map of groups. The key of a group is a text that does not depend on the order of stored
 * fields.
 */
function byText(groups: readonly NodeGroup[]): ReadonlyMap<string, NodeGroup> {
  return new Map(groups.map((group) => [textOf(group), group]));
}

function textOf({ os, architecture, labels = {}, taints = [] }: NodeGroup): string {
  const sorted = Object.entries(labels).sort(([one], [other]) => compareTexts(one, other));
  return JSON.stringify([os, architecture, sorted, taints.map(({ key, value, effect }) => [key, value, effect])]);
}
