import type { ListLimit } from "../shared/first-that-fit.ts";
import { compareTexts } from "../shared/text-order.ts";
import { type AskedOfNodes, type NodeGroup, platformOf, type Taint } from "./placement.ts";

/** The parts of a node that decide whether pods may land on it. */
export interface ClusterNode {
  readonly name: string;
  readonly os: string;
  readonly architecture: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
}

/** The node groups of a cluster. */
export interface GroupedNodes {
  readonly groups: readonly NodeGroup[];
  /**
   * The asked labels and names that the groups contain, sorted. Other labels and names would make
   * too many groups.
   */
  readonly told: AskedOfNodes;
}

/** Returns the labels of a node that have one of the keys, in the order of the keys. */
export function labelsAt(
  labels: Readonly<Record<string, string>>,
  keys: readonly string[],
): Readonly<Record<string, string>> {
  const found = keys.flatMap((key) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(found);
}

/** The limit of the groups, which are stored with each sync. */
const fewGroups: ListLimit = { entries: 200, characters: 65_536 };
/** The number of values above which a label comes after the others. */
const manyValues = 20;

/**
 * Groups nodes by the asked labels and names.
 *
 * Lookout ignores each label or name that makes too many groups. If labels or taints are ignored,
 * pods may land on more nodes, never on fewer.
 */
export function groupNodes(all: readonly ClusterNode[], asked: AskedOfNodes): GroupedNodes {
  const nodes = withFewPlatforms(all);
  const tainted = split(undefined, nodes.map(textOfTaints));
  const told: Asked[] = [];
  let parts = tainted ?? split(undefined, nodes.map(platformOf));
  for (const one of inOrder(nodes, asked)) {
    const next = split(
      parts,
      nodes.map((node) => textOf(node, one)),
    );
    if (next === undefined) continue;
    parts = next;
    told.push(one);
  }
  const textsOf = (wanted: Asked["kind"]): readonly string[] =>
    told.flatMap(({ kind, text }) => (kind === wanted ? [text] : [])).sort(compareTexts);
  const known = { labels: textsOf("label"), names: textsOf("name") };
  return { groups: distinct(nodes.map((node) => groupOf(node, known, tainted !== undefined))), told: known };
}

function distinct(groups: readonly NodeGroup[]): readonly NodeGroup[] {
  const byText = new Map(groups.map((group) => [JSON.stringify(group), group]));
  return [...byText].sort(([one], [other]) => compareTexts(one, other)).map(([, group]) => group);
}

/**
 * The largest number of platforms in a cluster. A node may report any platform, so Lookout needs a
 * limit. No image has so many platforms.
 */
const mostPlatforms = 50;
const longestPlatform = 40;

function withFewPlatforms(nodes: readonly ClusterNode[]): readonly ClusterNode[] {
  const short = nodes.filter((node) => platformOf(node).length <= longestPlatform);
  const few = new Set([...new Set(short.map(platformOf))].sort(compareTexts).slice(0, mostPlatforms));
  return short.filter((node) => few.has(platformOf(node)));
}

interface Asked {
  readonly kind: "label" | "name";
  readonly text: string;
}

/**
 * Returns labels and names in turns. Labels and names that differ on nearly all nodes come last.
 */
function inOrder(nodes: readonly ClusterNode[], { labels, names }: AskedOfNodes): readonly Asked[] {
  const turns = Array.from({ length: Math.max(labels.length, names.length) }, (_, turn): readonly Asked[] => [
    ...labels.slice(turn, turn + 1).map((text) => ({ kind: "label", text }) as const),
    ...names.slice(turn, turn + 1).map((text) => ({ kind: "name", text }) as const),
  ]);
  const { few = [], many = [] } = Object.groupBy(turns.flat(), (one) => (hasManyValues(nodes, one) ? "many" : "few"));
  return [...few, ...many];
}

function hasManyValues(nodes: readonly ClusterNode[], one: Asked): boolean {
  const values = new Set<string>();
  return nodes.some((node) => values.add(textOf(node, one)).size > manyValues);
}

function textOf({ name, labels }: ClusterNode, { kind, text }: Asked): string {
  if (kind === "name") return name === text ? name : "";
  return Object.hasOwn(labels, text) ? JSON.stringify([text, labels[text]]) : "";
}

function textOfTaints(node: ClusterNode): string {
  return JSON.stringify([platformOf(node), lastingTaints(node)]);
}

/** A partition of the nodes. All nodes of one part have the same texts. */
interface Parts {
  /** The number of the part of each node. */
  readonly of: readonly number[];
  /** The number of characters of each part. */
  readonly characters: readonly number[];
}

/**
 * Splits parts by a text of each node. Returns undefined if the result would have too many parts.
 */
function split(parts: Parts | undefined, texts: readonly string[]): Parts | undefined {
  const numbers = new Map<string, number>();
  const of: number[] = [];
  const characters: number[] = [];
  let all = 0;
  for (const [index, text] of texts.entries()) {
    const part = parts?.of[index] ?? 0;
    const key = `${String(part)} ${text}`;
    const number = numbers.get(key) ?? numbers.size;
    of.push(number);
    if (number < numbers.size) continue;
    numbers.set(key, number);
    characters.push((parts?.characters[part] ?? 0) + text.length);
    all += characters[number] ?? 0;
    if (numbers.size > fewGroups.entries || all > fewGroups.characters) return undefined;
  }
  return { of, characters };
}

/**
 * Matches taints that depend on the state of a node. A node with such a taint may get pods soon.
 */
const passingTaint = /^node\.(?:cloudprovider\.)?kubernetes\.io\//;

function lastingTaints({ taints }: ClusterNode): readonly Taint[] {
  return taints
    .filter(({ key, effect }) => effect !== "PreferNoSchedule" && !passingTaint.test(key))
    .map(({ key, value, effect }) => ({ key, ...(value === undefined ? {} : { value }), effect }))
    .sort((one, other) => compareTexts(JSON.stringify(one), JSON.stringify(other)));
}

function groupOf(node: ClusterNode, told: AskedOfNodes, isTainted: boolean): NodeGroup {
  const { name, os, architecture, labels } = node;
  const taints = isTainted ? lastingTaints(node) : [];
  return {
    os,
    architecture,
    labels: labelsAt(labels, told.labels),
    ...(taints.length === 0 ? {} : { taints }),
    ...(told.names.includes(name) ? { name } : {}),
  };
}
