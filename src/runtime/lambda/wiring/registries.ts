import { environment as variables } from "#contracts/aws/environment";
import { storedRegistryLimits } from "#stored/registry-limits";
import { storedTagHistory } from "#stored/tag-history";
import { openLimitedRegistry } from "../../limited-registry.ts";
import { openRegistries } from "../../registries.ts";
import { stackBus } from "./bus.ts";
import type { WiringPart } from "./part.ts";
import { stackSecrets } from "./secrets.ts";
import { stackStorage } from "./table.ts";

/** Wires the registries, their limits and the history of their tags. */
export const registries: WiringPart<"registry" | "registryLimits" | "tagHistory"> = (surroundings) => {
  const { configuration, environment, shared, clock } = surroundings;
  const registryRole = environment[variables.registryRole];
  const registry = openRegistries({ configuration, readSecret: shared(stackSecrets), environment, registryRole });
  const storage = stackStorage(surroundings);
  const registryLimits = storedRegistryLimits(storage);
  const bus = shared(stackBus);
  const limited = openLimitedRegistry(configuration.registries, {
    registry,
    registryLimits,
    clock,
    publish: (facts) => bus.publish(facts),
  });
  const given = { registryLimits, tagHistory: storedTagHistory(storage) };
  return (metrics) => ({ ...given, registry: limited(metrics) });
};
