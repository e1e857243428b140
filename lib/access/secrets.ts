/** Read rights on exactly the secrets that lookout.yaml names. */
import { ArnFormat, Stack } from "aws-cdk-lib";
import type { Configuration } from "#contracts/config/configuration";
import { withSecret } from "#contracts/config/receiver-secrets";
import {
  receiverSecretPlace,
  registryCaPlace,
  registryPasswordPlace,
  type SecretPlace,
} from "#contracts/config/secret-places";
import type { Grantee } from "../shared/grantee.ts";

/** Lets a function read the secrets of receivers. */
export function grantReceiverSecrets(fn: Grantee, { receivers }: Configuration): void {
  const { stackName } = Stack.of(fn);
  grantRead(
    fn,
    withSecret(receivers).map((receiver) => receiverSecretPlace(receiver, stackName)),
  );
}

/** Lets a function read the passwords of registries, and their certificate authorities. */
export function grantRegistryPasswords(fn: Grantee, { registries }: Configuration): void {
  const { stackName } = Stack.of(fn);
  const withUser = registries.filter(({ username }) => username !== undefined);
  const withCa = registries.filter(({ caFile, caParameter }) => (caFile ?? caParameter) !== undefined);
  grantRead(fn, [
    ...withUser.map((registry) => registryPasswordPlace(registry, stackName)),
    ...withCa.map((registry) => registryCaPlace(registry, stackName)),
  ]);
}

function grantRead(fn: Grantee, places: readonly SecretPlace[]): void {
  const parameters = places.flatMap((place) => ("parameter" in place ? [parameterArn(fn, place.parameter)] : []));
  const secrets = places.flatMap((place) => ("secret" in place ? secretArns(fn, place.secret) : []));
  fn.allow(["ssm:GetParameter"], parameters);
  fn.allow(["secretsmanager:GetSecretValue"], secrets);
}

function parameterArn(fn: Grantee, name: string): string {
  if (name.startsWith("arn:")) return name;
  return Stack.of(fn).formatArn({ service: "ssm", resource: "parameter", resourceName: name.replace(/^\//, "") });
}

/**
 * Returns patterns for the ARN of a secret. AWS appends a dash and six characters to a secret's
 * name. An ARN in lookout.yaml may lack these characters.
 */
function secretArns(fn: Grantee, name: string): readonly string[] {
  if (name.startsWith("arn:")) return [name, `${name}-??????`];
  const resourceName = `${name}-??????`;
  const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
  return [Stack.of(fn).formatArn({ service: "secretsmanager", resource: "secret", resourceName, arnFormat })];
}
