import type { Apply } from "./patch.ts";
import { keepsImage, pullPolicyOf } from "./pull-policy.ts";

/**
 * Returns why a restart may change nothing, or undefined if each restarted pod pulls its tag.
 *
 * @param own - the settings of the container. A container whose digest does not matter is never
 *   restarted.
 */
export function restartNotice(
  container: Parameters<typeof pullPolicyOf>[0] & { readonly name: string },
  own: { readonly apply: Apply; readonly strategy: "tag" | "digest" | "tag+digest" } | undefined,
): string | undefined {
  const policy = pullPolicyOf(container);
  if (own?.apply !== "restart" || own.strategy === "tag" || policy === "Always") return undefined;
  return `container ${container.name} is restarted to get a moved tag, but ${keepsImage(policy)}`;
}
