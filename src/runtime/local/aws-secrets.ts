import type { SecretPlace } from "#contracts/config/secret-places";
import type { SecretRead } from "#ports/secrets";

/**
 * Reads secrets from AWS, with the credentials of the process's user. It loads the clients with the
 * first secret.
 */
export function lazyAwsSecrets(): (place: SecretPlace) => Promise<SecretRead> {
  let loaded: Promise<(place: SecretPlace) => Promise<SecretRead>> | undefined;
  return async (place) => {
    loaded ??= import("../aws-secrets.ts").then(({ awsSecrets }) => awsSecrets());
    return (await loaded)(place);
  };
}
