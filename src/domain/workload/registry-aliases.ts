import { parseImageReference } from "../image/reference.ts";
import { registryHost } from "../registry/host.ts";
import { mostContainers } from "./observed.ts";
import type { LiveContainer, LiveWorkload } from "./workload.ts";

/** The own host of each registry, by the canonical form of its aliases. */
export type RegistryAliases = ReadonlyMap<string, string>;

/** Returns the own host of a registry. A host that is no alias is its own host. */
export function ownHost(host: string, aliases: RegistryAliases): string {
  return aliases.get(registryHost(host)) ?? host;
}

/**
 * Sets the registry's own host of each container whose image names an alias. The image text does
 * not change. Images of a pod with too many containers are not parsed, because such a pod is not
 * updated.
 */
export function withOwnHosts(live: LiveWorkload, aliases: RegistryAliases): LiveWorkload {
  if (live.containers.length > mostContainers) return live;
  return { ...live, containers: live.containers.map((container) => withOwnHost(container, aliases)) };
}

function withOwnHost(container: LiveContainer, aliases: RegistryAliases): LiveContainer {
  const parsed = parseImageReference(container.image);
  if (!parsed.ok) return container;
  const registry = ownHost(parsed.value.registry, aliases);
  return registry === parsed.value.registry ? container : { ...container, registry };
}
