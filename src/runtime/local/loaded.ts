import type { ReceiverSettings } from "#adapters/webhook/settings";
import { secretsIn } from "#contracts/config/secrets";
import { type ChosenConfiguration, chooseConfiguration, type StartFlags } from "./chosen-configuration.ts";
import { resolveSecrets, type SecretSources } from "./configuration-secrets.ts";

/** A configuration with the secrets of its receivers. */
export interface Loaded extends ChosenConfiguration {
  readonly receivers: readonly ReceiverSettings[];
}

/**
 * Reads the configuration and the secrets of its receivers.
 *
 * @param onChosen - gets the configuration before its secrets are read.
 * @throws PermanentError if the file, a flag or a secret is invalid
 */
export async function load(
  flags: StartFlags,
  sources: SecretSources,
  onChosen: (chosen: ChosenConfiguration) => void = () => undefined,
): Promise<Loaded> {
  const chosen = await chooseConfiguration(flags, sources);
  onChosen(chosen);
  const receivers = [...(await resolveSecrets(chosen.configuration, sources)), ...chosen.environmentReceivers];
  return { ...chosen, receivers };
}

/** Returns the paths of the files with secrets that a configuration names. */
export function secretFilesOf({ configuration }: ChosenConfiguration): readonly string[] {
  return secretsIn(configuration).flatMap(({ ref }) => (ref !== undefined && "file" in ref ? [ref.file] : []));
}
