import type { ReceiverConfiguration, RegistryConfiguration } from "./configuration.ts";

/**
 * The place of a secret in AWS: the name or ARN of an SSM parameter or of a secret in Secrets
 * Manager.
 */
export type SecretPlace = { readonly parameter: string } | { readonly secret: string };

/**
 * Returns the place of a receiver's secret for a deployed stack. A variable or file of
 * `lookout.yaml` becomes a parameter of the stack, so the same file works locally.
 */
export function receiverSecretPlace(
  { name, secretParameter, secretId }: ReceiverConfiguration,
  stack: string,
): SecretPlace {
  return writtenPlace(secretParameter, secretId) ?? { parameter: `/${stack}/receivers/${name}` };
}

/** Returns the place of a registry's password in AWS. */
export function registryPasswordPlace(
  { name, passwordParameter, passwordId }: RegistryConfiguration,
  stack: string,
): SecretPlace {
  // The name of a parameter can't contain a colon.
  return (
    writtenPlace(passwordParameter, passwordId) ?? { parameter: `/${stack}/registries/${name.replaceAll(":", "_")}` }
  );
}

/**
 * Returns the place of a registry's certificate authorities in AWS; undefined if the entry names
 * none.
 */
export function registryCaPlace({ name, caParameter }: RegistryConfiguration, stack: string): SecretPlace {
  return { parameter: caParameter ?? `/${stack}/registries/${name.replaceAll(":", "_")}.ca` };
}

/** Returns the AWS place that an entry of `lookout.yaml` names; undefined if it names none. */
export function writtenPlace(parameter: string | undefined, secret: string | undefined): SecretPlace | undefined {
  if (parameter !== undefined) return { parameter };
  return secret === undefined ? undefined : { secret };
}
