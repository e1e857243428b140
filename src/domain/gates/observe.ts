import { requirementFor } from "../approval/approvers.ts";
import { coversPlace, type Place } from "../workload/namespace-pattern.ts";
import { type AskGate, closed, type GateQuestion, open } from "./gate.ts";

/** The parts of `lookout.yaml` in which Lookout observes: it decides, and writes to no cluster. */
export interface ObserveRules {
  /** Present if the whole installation observes: in `lookout.yaml`, or by `lookout start --observe`. */
  readonly mode?: "observe";
  readonly clusters: readonly { readonly name: string; readonly mode?: "observe" }[];
  /** Patterns of namespaces: `NAMESPACE` or `CLUSTER/NAMESPACE`. */
  readonly observe: readonly string[];
}

/** The rules of an installation that observes nowhere. */
export const observesNowhere: ObserveRules = { clusters: [], observe: [] };

/**
 * Returns the rule by which Lookout observes a namespace, as text for people. Returns undefined if
 * Lookout updates there.
 */
export function observedBy({ mode, clusters, observe }: ObserveRules, place: Place): string | undefined {
  if (mode !== undefined) return "mode: observe, or lookout start --observe";
  const cluster = clusters.find((one) => one.name === place.cluster && one.mode !== undefined);
  if (cluster !== undefined) return `mode: observe of cluster ${cluster.name}`;
  const pattern = observe.find((one) => coversPlace(one, place));
  return pattern === undefined ? undefined : `observe: ${pattern}`;
}

/** Returns where Lookout observes, as text for people: `everywhere`, `cluster prod, test-*`, `nowhere`. */
export function observesText({ mode, clusters, observe }: ObserveRules): string {
  if (mode !== undefined) return "everywhere";
  const named = clusters.flatMap((cluster) => (cluster.mode === undefined ? [] : [`cluster ${cluster.name}`]));
  const places = [...named, ...observe];
  return places.length === 0 ? "nowhere" : places.join(", ");
}

/** Returns whether an update waits for no slot and asks for no approval, because Lookout observes or observed it. */
export function isOnlyObserved({ facts, observed }: Pick<GateQuestion, "facts" | "observed">): boolean {
  return facts.observes !== undefined || observed === true;
}

/**
 * Holds an update while Lookout observes its namespace, and after that until
 * `lookout release --past observe`. So the end of an observation patches nothing by itself.
 */
export const askObserve: AskGate = (question) => {
  if (!isOnlyObserved(question)) return open;
  const { record, settings, changes, approval, facts } = question;
  const asks =
    facts.observes !== undefined &&
    changes.length > 0 &&
    approval === undefined &&
    requirementFor(record.workload, settings.approval, facts.approvalRules) !== undefined;
  return closed({ reason: "observe", ...(asks ? { detail: "it would ask for approval" } : {}) });
};
