/** Read rights on exactly the secrets that lookout.yaml names. */
import { ArnFormat, Stack } from "aws-cdk-lib";
import type { Configuration } from "#contracts/config/configuration";
import { placeInAws } from "#contracts/config/secret-places";
import { secretsIn } from "#contracts/config/secrets";
import type { Grantee, Startable } from "../shared/grantee.ts";

/** Lets a function read the secrets of the parts that it reaches. */
export function grantSecrets(fn: Startable, configuration: Configuration): void {
  const { stackName } = Stack.of(fn);
  const places = secretsIn(configuration)
    .filter(({ field }) => fn.route.reaches.includes(field.reach))
    .map((secret) => placeInAws(secret, stackName));
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
