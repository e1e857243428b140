import { rulesOf } from "#domain/registry/rules";
import type { RepositoryName } from "#ports/registry";
import type { RegistryState } from "#ports/registry-limits";
import { mapBounded } from "./bounded.ts";
import type { Ports } from "./ports.ts";

/** The number of registries whose states are read at the same time. */
const readsAtOnce = 10;

/** Returns the state of each registry, by the hosts in the names of repositories. */
export async function readRegistryStates(
  names: readonly Pick<RepositoryName, "registry">[],
  { registryLimits, rules: { registries: registryRules } }: Ports,
): Promise<ReadonlyMap<string, RegistryState>> {
  const hosts = [...new Set(names.map(({ registry }) => registry))];
  const states = await mapBounded(hosts, readsAtOnce, async (host) => {
    return [host, await registryLimits.read(rulesOf(host, registryRules.registries).host)] as const;
  });
  return new Map(states);
}
