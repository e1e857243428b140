import type { SecretPlace } from "#contracts/config/secret-places";
import type { ReadSecret, SecretRead } from "#ports/secrets";

/**
 * Returns a function that reads secrets from AWS and caches each for five minutes. The function
 * loads the client of a service when it reads the first secret from this service.
 *
 * @throws TransientError when a retry may succeed
 */
export function awsSecrets(): (place: SecretPlace, isFresh?: boolean) => Promise<SecretRead> {
  let parameters: ReadSecret | undefined;
  let secrets: ReadSecret | undefined;
  return async (place, isFresh) => {
    if ("parameter" in place) {
      const { parameterSecrets } = await import("#adapters/ssm/secrets");
      parameters ??= parameterSecrets();
      return parameters(place.parameter, isFresh);
    }
    const { managedSecrets } = await import("#adapters/secrets-manager/secrets");
    secrets ??= managedSecrets();
    return secrets(place.secret, isFresh);
  };
}
