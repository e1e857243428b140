import { managedSecrets } from "#adapters/secrets-manager/secrets";
import { parameterSecrets } from "#adapters/ssm/secrets";
import type { SecretPlace } from "#contracts/secret-places";
import type { SecretRead } from "#ports/secrets";

/** Reads secrets that AWS keeps, each as it was at most five minutes ago. Rejects with a TransientError when one may be read the next time. */
export function awsSecrets(): (place: SecretPlace) => Promise<SecretRead> {
  const parameters = parameterSecrets();
  const secrets = managedSecrets();
  return (place) => ("parameter" in place ? parameters(place.parameter) : secrets(place.secret));
}
