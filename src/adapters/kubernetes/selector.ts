import type { LabelSelector } from "./objects.ts";

/**
 * Returns a label selector as the query parameter `labelSelector`.
 *
 * @param more - further labels that must match.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#api
 */
export function selectorText(selector: LabelSelector, more: Readonly<Record<string, string>> = {}): string {
  const equal = Object.entries({ ...selector.matchLabels, ...more }).map(([key, value]) => `${key}=${value}`);
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    if (operator === "Exists") return key;
    if (operator === "DoesNotExist") return `!${key}`;
    return `${key} ${operator === "NotIn" ? "notin" : "in"} (${values.join(",")})`;
  });
  return [...equal, ...expressions].join(",");
}
