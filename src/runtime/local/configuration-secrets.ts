import type { ReceiverSettings } from "#adapters/webhook/settings";
import type { Configuration, RegistryConfiguration } from "#contracts/config/configuration";
import { type SecretPlace, writtenPlace } from "#contracts/config/secret-places";
import { PermanentError } from "#ports/errors";
import type { SecretRead } from "#ports/secrets";
import { codeOf } from "./system-errors.ts";

/** The variables and files from which a configuration and its secrets are read. */
export interface LocalSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Rejects with a system error (`code`) when the file can't be read. */
  readonly readFile: (path: string) => Promise<string>;
}

/** All sources of secrets: variables, files and AWS. */
export interface SecretSources extends LocalSources {
  /** Rejects with a TransientError when a retry may succeed. */
  readonly readInAws: (place: SecretPlace) => Promise<SecretRead>;
}

/** The places of a secret in `lookout.yaml`; the schema allows exactly one. */
interface SecretPlaces {
  readonly variable: string | undefined;
  readonly file: string | undefined;
  readonly inAws: SecretPlace | undefined;
}

type PasswordPlaces = Pick<RegistryConfiguration, "passwordEnv" | "passwordFile" | "passwordParameter" | "passwordId">;

/**
 * Returns the secrets of the receivers, and checks that the registries' passwords can be read.
 *
 * @throws PermanentError that lists every missing secret with its variable or file
 */
export async function resolveSecrets(
  configuration: Configuration,
  sources: SecretSources,
): Promise<readonly ReceiverSettings[]> {
  const missing: string[] = [];
  const valueOf = (read: SecretRead, owner: string): string | undefined => {
    if (read.kind === "secret") return read.value;
    missing.push(`  ${read.why}; its content must be ${owner}`);
    return undefined;
  };
  const receivers = await Promise.all(
    configuration.receivers.map(async ({ secretEnv, secretFile, secretParameter, secretId, ...receiver }) => {
      const places = { variable: secretEnv, file: secretFile, inAws: writtenPlace(secretParameter, secretId) };
      return { receiver, read: receiver.tokens === undefined ? await readSecret(places, sources) : undefined };
    }),
  );
  const registries = configuration.registries.filter(({ username }) => username !== undefined);
  const passwords = await Promise.all(registries.map((registry) => readPassword(registry, sources)));
  const withCa = configuration.registries.filter(({ caFile, caParameter }) => (caFile ?? caParameter) !== undefined);
  const authorities = await Promise.all(withCa.map((registry) => readCa(registry, sources)));
  const resolved = receivers.map(({ receiver, read }) => {
    return { ...receiver, secret: read && valueOf(read, `the secret of receiver ${receiver.name}`) };
  });
  for (const [index, read] of passwords.entries()) valueOf(read, `the password of registry ${registries[index]?.host}`);
  for (const [index, read] of authorities.entries())
    valueOf(read, `the certificate authorities of registry ${withCa[index]?.name}`);
  if (missing.length === 0) return resolved;
  throw new PermanentError(["secrets of the configuration are missing:", ...missing].join("\n"));
}

/** Reads the password of a registry. */
export function readPassword(places: PasswordPlaces, sources: SecretSources): Promise<SecretRead> {
  const { passwordEnv: variable, passwordFile: file, passwordParameter, passwordId } = places;
  return readSecret({ variable, file, inAws: writtenPlace(passwordParameter, passwordId) }, sources);
}

/** Reads the certificate authorities of a registry. */
export function readCa(
  { caFile: file, caParameter }: Pick<RegistryConfiguration, "caFile" | "caParameter">,
  sources: SecretSources,
): Promise<SecretRead> {
  return readSecret({ variable: undefined, file, inAws: writtenPlace(caParameter, undefined) }, sources);
}

async function readSecret(
  { variable, file, inAws }: SecretPlaces,
  { environment, readFile, readInAws }: SecretSources,
): Promise<SecretRead> {
  if (inAws !== undefined) return readInAws(inAws);
  if (variable !== undefined) {
    const value = environment[variable];
    return value === undefined
      ? { kind: "missing", why: `the variable ${variable} is not set` }
      : secretOf(value, `the variable ${variable}`);
  }
  if (file === undefined) return { kind: "missing", why: "lookout.yaml names no variable and no file" };
  try {
    // The line break comes from the editor or the command that wrote the file.
    return secretOf((await readFile(file)).replace(/\r?\n$/, ""), `the file ${file}`);
  } catch (error) {
    return { kind: "missing", why: `the file ${file} can't be read (${codeOf(error) ?? "unknown error"})` };
  }
}

function secretOf(value: string, place: string): SecretRead {
  return value.trim() === "" ? { kind: "missing", why: `${place} is empty` } : { kind: "secret", value };
}
