import { registryFactNames } from "../registry/outage.ts";
import type { AnyFact, FactName } from "../update/events.ts";
import type { WorkloadName } from "../workload/workload.ts";
import { isAtLeast, type Severity, severityOf } from "./words.ts";

/** The name of a fact that channels may tell. */
export type ToldName = AnyFact["name"];

/** The groups of facts that an entry of `channels` may name. */
export const eventGroups = {
  rollouts: ["RolloutStarted", "WorkloadRunning", "RolloutSucceeded"],
  failures: ["RolloutFailed", "RollbackStarted", "RolledBack", "RollbackFailed", "RevertedByUser"],
  holds: ["UpdateHeld", "HoldEnded", "DigestsUnblocked", "WorkloadSuspended", "WorkloadResumed"],
  approvals: ["ApprovalRequested", "ApprovalGiven", "ApprovalRejected", "ApprovalExpired", "ApprovalVoided"],
  versions: ["VersionKept", "TagSkipped"],
  bases: ["BaseImageMoved"],
  tiers: ["TierCompleted", "TierHalted"],
  workloads: ["WorkloadTracked", "WorkloadChanged", "WorkloadUntracked"],
  registries: [...registryFactNames, "PushDisputed"],
} as const satisfies Readonly<Record<string, readonly ToldName[]>>;

/** The name of a group of facts. */
export type EventGroup = keyof typeof eventGroups;

/** The form of a channel: what one of its messages is about. */
export type ChannelForm =
  /** Each fact is one message, which the receiver reads as data. */
  | "facts"
  /** One message for each update, or for all updates of a push, which shows how they stand. */
  | "updates"
  /** One incident for each workload, open while its last update has failed. */
  | "incidents";

/** What a channel tells. */
export interface ChannelFilter {
  readonly form: ChannelForm;
  readonly names: readonly ToldName[];
  readonly minSeverity: Severity;
  /** The clusters. Absent: all clusters. */
  readonly clusters?: readonly string[] | undefined;
  /** Patterns of namespaces. A `*` stands for any text. Absent: all namespaces. */
  readonly namespaces?: NamespaceFilter | undefined;
  /** True for a channel that tells only of workloads whose annotation names it. */
  readonly onlyNamed?: boolean | undefined;
}

/** The namespaces of a channel. `deny` wins over `allow`. */
export interface NamespaceFilter {
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

/** The facts after which a message about an update shows its end. */
export const endNames: readonly FactName[] = [
  "ApprovalRejected",
  "RolloutSucceeded",
  "RolloutFailed",
  "RolledBack",
  "RollbackFailed",
  "RevertedByUser",
  "UpdateSuperseded",
];

/** The facts after which an incident may end. */
export const recoveryNames: readonly FactName[] = [
  "RolloutSucceeded",
  "RolledBack",
  "HoldEnded",
  "DigestsUnblocked",
  "WorkloadUntracked",
];

/**
 * Returns what a fact does to a channel, or undefined if the channel ignores it.
 *
 * `opens`: the channel tells it. `follows`: it changes a message that was told before.
 */
export function verdictOf(filter: ChannelFilter, name: string, fact: AnyFact): "opens" | "follows" | undefined {
  if (!isInScope(filter, name, fact)) return undefined;
  if (isAgain(fact) && filter.form === "facts") return undefined;
  if (filter.names.includes(fact.name) && isAtLeast(severityOf(fact), filter.minSeverity)) return "opens";
  return followersOf(filter.form).some((follower) => follower === fact.name) ? "follows" : undefined;
}

/** Returns the facts that change a told message of a form. */
export function followersOf(form: ChannelForm): readonly FactName[] {
  return form === "facts" ? [] : form === "updates" ? endNames : recoveryNames;
}

/** Returns whether a channel may show a workload, whatever happened to it. */
export function showsWorkload(
  { clusters, namespaces }: ChannelFilter,
  { cluster, namespace }: Pick<WorkloadName, "cluster" | "namespace">,
): boolean {
  const fits = (patterns: readonly string[]) => patterns.some((pattern) => matchesPattern(pattern, namespace));
  if (clusters?.includes(cluster) === false) return false;
  return (namespaces?.allow === undefined || fits(namespaces.allow)) && !fits(namespaces?.deny ?? []);
}

/** Returns whether a channel tells only of a part of the fleet. Facts about registries belong to no part. */
export function isScoped({ clusters, namespaces, onlyNamed }: Omit<ChannelFilter, "names" | "minSeverity">): boolean {
  return clusters !== undefined || namespaces !== undefined || onlyNamed === true;
}

function isInScope(filter: ChannelFilter, name: string, fact: AnyFact): boolean {
  if (!("workload" in fact)) return filter.form === "facts" && !isScoped(filter);
  return showsWorkload(filter, fact.workload) && (filter.onlyNamed !== true || fact.channels?.includes(name) === true);
}

function isAgain(fact: AnyFact): boolean {
  return "again" in fact;
}

/** Returns whether a text fits a pattern, in which each `*` stands for any text. */
export function matchesPattern(pattern: string, text: string): boolean {
  const parts = pattern.split("*");
  const [first = "", ...others] = parts;
  if (others.length === 0) return text === pattern;
  const last = others.pop() ?? "";
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
