import { annotationPrefix, type ContainerName } from "../annotations/written-settings.ts";
import { keyOf } from "./container-names.ts";
import type { PolicySettings } from "./policy-settings.ts";

/** The setting of a workload whose containers get one tag, in one patch. */
export const togetherSetting = { key: `${annotationPrefix}together`, text: "true" } as const;

/** Returns why the tracked containers can't get one tag, or undefined if they can. */
export function whyNotTogether(
  tracked: Readonly<Record<string, Pick<PolicySettings, "policy">>>,
  containers: readonly ContainerName[],
): string | undefined {
  const [one, two] = containers.filter(({ name }) => tracked[name] !== undefined);
  if (two === undefined) {
    const other = containers.find(({ name }) => tracked[name] === undefined);
    const remedy = other === undefined ? "" : `set ${enabledKey(other)} to true, or `;
    const count = one === undefined ? "no container is tracked" : `only the container ${one.name} is tracked`;
    return `needs two tracked containers, and ${count}: ${remedy}remove this annotation`;
  }
  for (const container of containers) {
    const kind = tracked[container.name]?.policy.kind;
    if (kind !== "digest" && kind !== "pinned") continue;
    const remedy = `give the container a policy that selects tags, or set ${enabledKey(container)} to false`;
    return `the container ${container.name} keeps its tag (policy ${kind}): ${remedy}`;
  }
  return undefined;
}

function enabledKey(container: ContainerName): string {
  return `${annotationPrefix}${keyOf(container)}.enabled`;
}
