import type { SecretPlace } from "#contracts/config/secret-places";
import type { ReadSecret, SecretRead } from "#ports/secrets";

/**
 * Reads secrets that AWS keeps, each as it was at most five minutes ago. Rejects with a TransientError when one may be read the next time.
 * The client of a service is loaded with the first secret that it keeps: most installations use one of the two.
 */
export function awsSecrets(): (place: SecretPlace) => Promise<SecretRead> {
  let parameters: ReadSecret | undefined;
  let secrets: ReadSecret | undefined;
  return async (place) => {
    if ("parameter" in place) {
      const { parameterSecrets } = await import("#adapters/ssm/secrets");
      parameters ??= parameterSecrets();
      return parameters(place.parameter);
    }
    const { managedSecrets } = await import("#adapters/secrets-manager/secrets");
    secrets ??= managedSecrets();
    return secrets(place.secret);
  };
}
