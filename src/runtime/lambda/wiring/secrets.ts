import { environment as names } from "#contracts/aws/environment";
import { type ConfiguredSecret, placeInAws } from "#contracts/config/secret-places";
import type { SecretRead } from "#ports/secrets";
import { awsSecrets } from "../../aws-secrets.ts";
import { type Environment, variable } from "./part.ts";

/** Returns the reader of the stack's secrets, which all parts of a function share. */
export function stackSecrets(
  environment: Environment,
): (secret: ConfiguredSecret, isFresh?: boolean) => Promise<SecretRead> {
  const readInAws = awsSecrets();
  const stack = variable(environment, names.stack, "LookoutFunction");
  return (secret, isFresh) => readInAws(placeInAws(secret, stack), isFresh);
}
