import { parseImageReference } from "../image/reference.ts";
import type { LiveContainer, LiveWorkload } from "./workload.ts";

/** Other hosts by which registries are called, in lower case, each with the registry's own host. */
export type RegistryAliases = ReadonlyMap<string, string>;

/** Answers the one host that a registry is known by; a host that is no alias is its own. */
export function ownHost(host: string, aliases: RegistryAliases): string {
  return aliases.get(host.toLowerCase()) ?? host;
}

/** Notes on each container whose image names its registry by an alias which registry that is. The image itself stays as it is written. */
export function withOwnHosts(live: LiveWorkload, aliases: RegistryAliases): LiveWorkload {
  return { ...live, containers: live.containers.map((container) => withOwnHost(container, aliases)) };
}

function withOwnHost(container: LiveContainer, aliases: RegistryAliases): LiveContainer {
  const parsed = parseImageReference(container.image);
  if (!parsed.ok) return container;
  const registry = ownHost(parsed.value.registry, aliases);
  return registry === parsed.value.registry ? container : { ...container, registry };
}
