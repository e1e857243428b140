import type { Outage } from "#domain/registry/outage";
import { rulesOf } from "#domain/registry/rules";
import type { RepositoryName } from "#ports/registry";
import { mapBounded } from "./bounded.ts";
import type { Ports } from "./ports.ts";

/** The number of registries whose outages are read at the same time. */
const outagesAtOnce = 10;

/** Returns the last outage of each registry, by the hosts in the names of repositories. */
export async function readOutages(
  names: readonly Pick<RepositoryName, "registry">[],
  { registryLimits, registryRules }: Pick<Ports, "registryLimits" | "registryRules">,
): Promise<ReadonlyMap<string, Outage | undefined>> {
  const hosts = [...new Set(names.map(({ registry }) => registry))];
  const outages = await mapBounded(hosts, outagesAtOnce, async (host) => {
    return [host, (await registryLimits.read(rulesOf(host, registryRules.registries).host)).outage] as const;
  });
  return new Map(outages);
}
