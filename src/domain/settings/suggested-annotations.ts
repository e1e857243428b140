import { annotationPrefix, type ContainerName } from "../annotations/written-settings.ts";
import { containersSetting } from "./container-json.ts";
import { keyOf } from "./container-names.ts";

/** The longest name of an annotation key, without its prefix. */
const longestName = 63;

/**
 * Returns settings of a container as annotations, ready to paste.
 *
 * @param container - the container, or undefined if the settings may hold for the whole workload.
 */
export function annotationsOf(
  settings: Readonly<Record<string, string>>,
  container: ContainerName | undefined,
): Readonly<Record<string, string>> {
  const prefix = container === undefined ? "" : `${keyOf(container)}.`;
  const entries = Object.entries(settings);
  if (container === undefined || entries.every(([setting]) => `${prefix}${setting}`.length <= longestName))
    return Object.fromEntries(entries.map(([setting, value]) => [`${annotationPrefix}${prefix}${setting}`, value]));
  const name = container.list === "initContainers" ? keyOf(container) : container.name;
  return { [`${annotationPrefix}${containersSetting}`]: JSON.stringify({ [name]: settings }) };
}
