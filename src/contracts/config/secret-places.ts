import type { ReceiverConfiguration, RegistryConfiguration } from "./configuration.ts";

/** Where AWS keeps a secret: a parameter of SSM, or a secret of Secrets Manager, each by name or ARN. */
export type SecretPlace = { readonly parameter: string } | { readonly secret: string };

/**
 * Says where a deployed stack finds the secret of a receiver. One that `lookout.yaml` keeps in a variable or a file is in a parameter that
 * is named after the stack, so that the file serves the local process as well.
 */
export function receiverSecretPlace(
  { name, secretParameter, secretId }: ReceiverConfiguration,
  stack: string,
): SecretPlace {
  return writtenPlace(secretParameter, secretId) ?? { parameter: `/${stack}/receivers/${name}` };
}

/** Says where a deployed stack finds the password of a registry that has a user. */
export function registryPasswordPlace(
  { host, passwordParameter, passwordId }: RegistryConfiguration,
  stack: string,
): SecretPlace {
  // A parameter's name may hold no colon.
  return writtenPlace(passwordParameter, passwordId) ?? { parameter: `/${stack}/registries/${host.replace(":", "_")}` };
}

/** Answers the place that an entry of `lookout.yaml` names in AWS; undefined when it names none. */
export function writtenPlace(parameter: string | undefined, secret: string | undefined): SecretPlace | undefined {
  if (parameter !== undefined) return { parameter };
  return secret === undefined ? undefined : { secret };
}
