import type { SecretPlace } from "#contracts/config/secret-places";
import type { SecretRead } from "#ports/secrets";

/** Reads secrets that AWS keeps, with the credentials of who starts the process. The clients are loaded with the first. */
export function lazyAwsSecrets(): (place: SecretPlace) => Promise<SecretRead> {
  let loaded: Promise<(place: SecretPlace) => Promise<SecretRead>> | undefined;
  return async (place) => {
    loaded ??= import("../aws-secrets.ts").then(({ awsSecrets }) => awsSecrets());
    return (await loaded)(place);
  };
}
