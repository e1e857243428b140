import { dynamoRegistryLimits } from "#adapters/dynamodb/registry-limits";
import { dynamoTagHistory } from "#adapters/dynamodb/tag-history";
import { configuredCredentials } from "#adapters/oci/credentials";
import { environment as variables } from "#contracts/aws/environment";
import type { RegistryConfiguration } from "#contracts/config/configuration";
import { registryCaPlace, registryPasswordPlace } from "#contracts/config/secret-places";
import { awsSecrets } from "../../aws-secrets.ts";
import { openLimitedRegistry } from "../../limited-registry.ts";
import { openRegistries } from "../../registries.ts";
import { stackBus } from "./bus.ts";
import { variable, type WiringPart } from "./part.ts";
import { stackTable } from "./table.ts";

/** Wires the registries, their limits and the history of their tags. */
export const registries: WiringPart<"registry" | "registryLimits" | "tagHistory"> = (surroundings) => {
  const { configuration, environment, shared, clock } = surroundings;
  const secretAt = awsSecrets();
  const stack = variable(environment, variables.stack, "LookoutFunction");
  const credentials = configuredCredentials(configuration.registries, (registry) =>
    secretAt(registryPasswordPlace(registry, stack)),
  );
  const caOf = (registry: RegistryConfiguration) => secretAt(registryCaPlace(registry, stack));
  const registry = openRegistries({ configuration, credentials, caOf, environment });
  const registryLimits = dynamoRegistryLimits(shared(stackTable));
  const bus = shared(stackBus);
  const limited = openLimitedRegistry(configuration.registries, {
    registry,
    registryLimits,
    clock,
    publish: (facts) => bus.publish(facts),
  });
  const given = { registryLimits, tagHistory: dynamoTagHistory(shared(stackTable)) };
  return (metrics) => ({ ...given, registry: limited(metrics) });
};
