import { dynamoTagHistory } from "#adapters/dynamodb/tag-history";
import { configuredCredentials } from "#adapters/oci/credentials";
import { environment as variables } from "#contracts/aws/environment";
import type { RegistryConfiguration } from "#contracts/config/configuration";
import { registryCaPlace, registryPasswordPlace } from "#contracts/config/secret-places";
import { awsSecrets } from "../../aws-secrets.ts";
import { openRegistries } from "../../registries.ts";
import { variable, type WiringPart } from "./part.ts";
import { stackTable } from "./table.ts";

/** Wires the registries and the history of their tags. */
export const registries: WiringPart<"registry" | "tagHistory"> = ({ configuration, environment, shared }) => {
  const secretAt = awsSecrets();
  const stack = variable(environment, variables.stack, "LookoutFunction");
  const credentials = configuredCredentials(configuration.registries, (registry) =>
    secretAt(registryPasswordPlace(registry, stack)),
  );
  const caOf = (registry: RegistryConfiguration) => secretAt(registryCaPlace(registry, stack));
  const registry = openRegistries({ configuration, credentials, caOf, environment });
  const given = { registry, tagHistory: dynamoTagHistory(shared(stackTable)) };
  return () => given;
};
