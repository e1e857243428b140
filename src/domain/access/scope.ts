import { matchesName, type Place } from "../workload/namespace-pattern.ts";

/** The part of the fleet that a token covers: the namespaces of these names, in these clusters. */
export interface TokenScope {
  /** The names of clusters. Absent: all clusters. */
  readonly clusters?: readonly string[];
  /** The names of namespaces. A `*` at the end means any text. Absent: all namespaces. */
  readonly namespaces?: readonly string[];
}

/** A part of the fleet that a request is about. An absent member means all clusters, or all namespaces. */
export type Area = Partial<Place>;

/** Returns whether a scope covers every namespace of an area. */
export function coversArea({ clusters, namespaces }: TokenScope, { cluster, namespace }: Area): boolean {
  return (
    (clusters === undefined || (cluster !== undefined && clusters.includes(cluster))) &&
    (namespaces === undefined || (namespace !== undefined && isNamed(namespace, namespaces)))
  );
}

/** Returns whether a scope covers any namespace of an area. */
export function meetsArea({ clusters, namespaces }: TokenScope, { cluster, namespace }: Area): boolean {
  return (
    (clusters === undefined || cluster === undefined || clusters.includes(cluster)) &&
    (namespaces === undefined || namespace === undefined || isNamed(namespace, namespaces))
  );
}

/** Returns whether a scope covers the whole fleet. */
export function isWholeFleet(scope: TokenScope): boolean {
  return coversArea(scope, {});
}

/** Returns a scope in words: `the namespaces shop, pay-* of the cluster prod`. */
export function scopeText({ clusters, namespaces }: TokenScope): string {
  const ofClusters = clusters === undefined ? "all clusters" : named("cluster", clusters);
  if (namespaces !== undefined) return `${named("namespace", namespaces)} of ${ofClusters}`;
  return clusters === undefined ? "all clusters and namespaces" : ofClusters;
}

/** Returns an area in words: `the namespace shop of the cluster prod`. */
export function areaText({ cluster, namespace }: Area): string {
  return scopeText({
    ...(cluster === undefined ? {} : { clusters: [cluster] }),
    ...(namespace === undefined ? {} : { namespaces: [namespace] }),
  });
}

function isNamed(namespace: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesName(pattern, namespace));
}

function named(what: "cluster" | "namespace", names: readonly string[]): string {
  return `the ${what}${names.length === 1 ? "" : "s"} ${names.join(", ")}`;
}
