import { isObject } from "../shared/json.ts";
import type { NodeRequirement, NodeTerm, Placement, Toleration } from "./placement.ts";

/** The maximum number of characters of a placement that a record stores. */
const longestPlacement = 8_192;

/**
 * Returns the placement of a pod spec, or undefined if the pods may land on every node.
 *
 * The function ignores a placement that is too long, so that Lookout considers too many nodes
 * rather than too few.
 */
export function readPlacement(podSpec: unknown): Placement | undefined {
  const spec = objectAt(podSpec);
  const { nodeName } = spec;
  const os = objectAt(spec["os"])["name"];
  const nodeSelector = textsOf(spec["nodeSelector"]);
  const nodeAffinity = objectAt(objectAt(spec["affinity"])["nodeAffinity"]);
  const required = nodeAffinity["requiredDuringSchedulingIgnoredDuringExecution"];
  const tolerations = listOf(spec["tolerations"]).map(tolerationOf);
  const placement: Placement = {
    ...(isText(nodeName) ? { nodeName } : {}),
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
    ...(isText(os) ? { os } : {}),
    ...(isObject(required) ? { affinity: listOf(required["nodeSelectorTerms"]).map(termOf) } : {}),
    ...(tolerations.length === 0 ? {} : { tolerations }),
  };
  if (Object.keys(placement).length === 0 || JSON.stringify(placement).length > longestPlacement) return undefined;
  return placement;
}

function termOf(term: unknown): NodeTerm {
  const { matchExpressions, matchFields } = objectAt(term);
  return { labels: listOf(matchExpressions).map(requirementOf), fields: listOf(matchFields).map(requirementOf) };
}

function requirementOf(requirement: unknown): NodeRequirement {
  const { key, operator, values } = objectAt(requirement);
  return { key: textOf(key), operator: textOf(operator), values: listOf(values).map(textOf) };
}

function tolerationOf(toleration: unknown): Toleration {
  const { key, operator, value, effect } = objectAt(toleration);
  return {
    ...(isText(key) ? { key } : {}),
    ...(isText(operator) ? { operator } : {}),
    ...(isText(value) ? { value } : {}),
    ...(isText(effect) ? { effect } : {}),
  };
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(objectAt(value)).map(([key, text]) => [key, textOf(text)]));
}

function objectAt(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Returns whether a value is a text that is not empty. Kubernetes treats an empty text as absent.
 */
function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
