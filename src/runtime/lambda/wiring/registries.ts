import { keptCredentials } from "#adapters/oci/credentials";
import { environment as variables } from "#contracts/environment";
import { registryPasswordPlace } from "#contracts/secret-places";
import { awsSecrets } from "../../aws-secrets.ts";
import { openRegistries } from "../../registries.ts";
import { variable, type WiringPart } from "./part.ts";

/** Asks the registries. */
export const registries: WiringPart<"registry"> = ({ configuration, environment }) => {
  const secretAt = awsSecrets();
  const stack = variable(environment, variables.stack, "LookoutFunction");
  const credentials = keptCredentials(configuration.registries, (registry) =>
    secretAt(registryPasswordPlace(registry, stack)),
  );
  const registry = openRegistries({ configured: configuration.registries, credentials, environment });
  return () => ({ registry });
};
