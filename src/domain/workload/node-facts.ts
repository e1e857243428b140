import { deepEqual } from "../shared/deep-equal.ts";
import { compareTexts } from "../shared/text-order.ts";
import { type EpochMs, hours, minutes, plus } from "../shared/time.ts";
import { type AskedOfNodes, mayLand, type NodeGroup, type Placement, platformOf, type Taint } from "./placement.ts";

/** The parts of a node that decide whether pods may land on it. */
export interface ClusterNode {
  readonly name: string;
  readonly os: string;
  readonly architecture: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
}

/** The nodes of a cluster at their last listing. */
export interface ListedNodes {
  readonly kind: "listed";
  readonly at: EpochMs;
  /** The labels and names that the groups hold. */
  readonly asked: AskedOfNodes;
  readonly groups: readonly NodeGroup[];
  /** Groups that are gone: an autoscaler may bring their nodes back. */
  readonly gone: readonly GoneGroup[];
}

/** A group without a node at the last listing. */
export interface GoneGroup {
  readonly group: NodeGroup;
  /** The last listing that found a node. */
  readonly seenAt: EpochMs;
}

/** The stored answer of a cluster about its nodes. `denied`: Lookout may not list them. */
export type NodeFacts = ListedNodes | { readonly kind: "denied"; readonly at: EpochMs; readonly detail: string };

/** How often the nodes of a cluster are listed. */
const listEvery = minutes(10);
/** How long a group counts without a node. */
const goneAfter = hours(14 * 24);
/** How long a listing is believed. Syncs that can't list the nodes leave the last one. */
const believedFor = hours(1);

/** Says whether the nodes have to be listed: after ten minutes, or because a placement asks for more. */
export function isListingDue(known: NodeFacts | undefined, asked: AskedOfNodes, now: EpochMs): boolean {
  if (known === undefined || now >= plus(known.at, listEvery)) return true;
  return known.kind === "listed" && !covers(known.asked, asked);
}

/** Returns what a listing has to read so that earlier and new placements are served. */
export function askedOfBoth(known: NodeFacts | undefined, asked: AskedOfNodes): AskedOfNodes {
  if (known?.kind !== "listed") return asked;
  if (covers(known.asked, asked)) return known.asked;
  const both = (one: readonly string[], other: readonly string[]) =>
    [...new Set([...one, ...other])].sort(compareTexts);
  return { labels: both(known.asked.labels, asked.labels), names: both(known.asked.names, asked.names) };
}

function covers(known: AskedOfNodes, asked: AskedOfNodes): boolean {
  return (
    asked.labels.every((label) => known.labels.includes(label)) &&
    asked.names.every((name) => known.names.includes(name))
  );
}

/** Groups nodes that no placement can tell apart, and keeps the groups that are gone since the last listing. */
export function listedNodes(
  nodes: readonly ClusterNode[],
  asked: AskedOfNodes,
  before: NodeFacts | undefined,
  at: EpochMs,
): ListedNodes {
  const groups = fewGroups(nodes.map((node) => groupOf(node, asked)));
  return { kind: "listed", at, asked, groups, gone: goneSince(before, asked, groups, at) };
}

/** Says whether a listing may change the answer of a gate. */
export function areOtherNodes(before: NodeFacts | undefined, after: NodeFacts): boolean {
  const judged = (facts: NodeFacts | undefined): unknown =>
    facts?.kind === "listed" ? [facts.asked, facts.groups] : facts?.kind;
  return !deepEqual(judged(before), judged(after));
}

/**
 * Returns the platforms of the nodes on which pods may land, sorted. Without such a node, those of
 * nodes that are gone. Empty: none is known.
 */
export function neededPlatforms(placement: Placement, { asked, groups, gone }: ListedNodes): readonly string[] {
  const of = (nodes: readonly NodeGroup[]): readonly string[] =>
    [...new Set(nodes.filter((node) => mayLand(placement, node, asked)).map(platformOf))].sort(compareTexts);
  const present = of(groups);
  return present.length > 0 ? present : of(gone.map(({ group }) => group));
}

/** Returns the listing that gates believe; undefined: there is none, or it is too old. */
export function believedListing(known: NodeFacts | undefined, now: EpochMs): ListedNodes | undefined {
  return known?.kind === "listed" && now < plus(known.at, believedFor) ? known : undefined;
}

/** Taints that come and go with the state of a node. A node that has one may get pods soon. */
const passingTaint = /^node\.(?:cloudprovider\.)?kubernetes\.io\//;

function groupOf({ name, os, architecture, labels, taints }: ClusterNode, asked: AskedOfNodes): NodeGroup {
  const lasting = taints
    .filter(({ key, effect }) => effect !== "PreferNoSchedule" && !passingTaint.test(key))
    .map(({ key, value, effect }) => ({ key, ...(value === undefined ? {} : { value }), effect }))
    .sort((one, other) => compareTexts(JSON.stringify(one), JSON.stringify(other)));
  const known = asked.labels.flatMap((key) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    os,
    architecture,
    labels: Object.fromEntries(known),
    ...(lasting.length === 0 ? {} : { taints: lasting }),
    ...(asked.names.includes(name) ? { name } : {}),
  };
}

/** The state of a cluster is stored with each sync, so its groups stay small. */
const mostGroups = 200;
const mostCharacters = 32_768;

/** Groups that are too many lose their labels, then their taints: more nodes count then, never fewer. */
function fewGroups(groups: readonly NodeGroup[]): readonly NodeGroup[] {
  const exact = distinct(groups);
  if (isFew(exact)) return exact;
  const withTaints = distinct(
    groups.map(({ os, architecture, taints }) => ({ os, architecture, ...(taints && { taints }) })),
  );
  return isFew(withTaints) ? withTaints : distinct(groups.map(({ os, architecture }) => ({ os, architecture })));
}

function distinct(groups: readonly NodeGroup[]): readonly NodeGroup[] {
  const byText = new Map(groups.map((group) => [JSON.stringify(group), group]));
  return [...byText].sort(([one], [other]) => compareTexts(one, other)).map(([, group]) => group);
}

function isFew(groups: readonly NodeGroup[]): boolean {
  return groups.length <= mostGroups && JSON.stringify(groups).length <= mostCharacters;
}

/** Groups with other labels than those that are asked now can't be judged. */
function goneSince(
  before: NodeFacts | undefined,
  asked: AskedOfNodes,
  groups: readonly NodeGroup[],
  at: EpochMs,
): readonly GoneGroup[] {
  if (before?.kind !== "listed" || !deepEqual(before.asked, asked)) return [];
  const known = [...before.groups.map((group): GoneGroup => ({ group, seenAt: before.at })), ...before.gone];
  const left = known.filter(
    ({ group, seenAt }) => at < plus(seenAt, goneAfter) && !groups.some((present) => deepEqual(present, group)),
  );
  const newest = left.toSorted((one, other) => other.seenAt - one.seenAt);
  return newest.filter((_, index) => isFew(newest.slice(0, index + 1).map(({ group }) => group)));
}
