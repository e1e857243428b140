/** The secrets of receivers and registries: read rights on exactly those that lookout.yaml names. */
import { ArnFormat, Stack } from "aws-cdk-lib";
import type { Configuration } from "#contracts/configuration";
import type { LookoutFunction } from "./lookout-function.ts";

/** Where AWS keeps a secret: a parameter of SSM, or a secret of Secrets Manager, each by name or ARN. */
type Place = { readonly parameter: string } | { readonly secret: string };

/** Lets a function read the secrets that notifications are signed with. */
export function grantReceiverSecrets(fn: LookoutFunction, { receivers }: Configuration): void {
  const places = receivers.map(({ name, secretParameter, secretId }) =>
    placeOf(secretParameter, secretId, `/${Stack.of(fn).stackName}/receivers/${name}`),
  );
  grantRead(fn, places);
}

/** Lets a function read the passwords of registries. */
export function grantRegistryPasswords(fn: LookoutFunction, { registries }: Configuration): void {
  const places = registries
    .filter(({ username }) => username !== undefined)
    .map(({ host, passwordParameter, passwordId }) =>
      // A parameter's name may hold no colon.
      placeOf(passwordParameter, passwordId, `/${Stack.of(fn).stackName}/registries/${host.replace(":", "_")}`),
    );
  grantRead(fn, places);
}

function placeOf(parameter: string | undefined, secret: string | undefined, otherwise: string): Place {
  return secret === undefined ? { parameter: parameter ?? otherwise } : { secret };
}

function grantRead(fn: LookoutFunction, places: readonly Place[]): void {
  const parameters = places.flatMap((place) => ("parameter" in place ? [parameterArn(fn, place.parameter)] : []));
  const secrets = places.flatMap((place) => ("secret" in place ? [secretArn(fn, place.secret)] : []));
  if (parameters.length > 0) fn.allow(["ssm:GetParameter"], parameters);
  if (secrets.length > 0) fn.allow(["secretsmanager:GetSecretValue"], secrets);
}

function parameterArn(fn: LookoutFunction, name: string): string {
  if (name.startsWith("arn:")) return name;
  return Stack.of(fn).formatArn({ service: "ssm", resource: "parameter", resourceName: name.replace(/^\//, "") });
}

/** AWS adds a dash and six characters to a secret's name. */
function secretArn(fn: LookoutFunction, name: string): string {
  if (name.startsWith("arn:")) return /-[A-Za-z0-9]{6}$/.test(name) ? name : `${name}-??????`;
  return Stack.of(fn).formatArn({
    service: "secretsmanager",
    resource: "secret",
    resourceName: `${name}-??????`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}
