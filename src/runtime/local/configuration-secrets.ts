import type { ReceiverSettings } from "#adapters/webhook/settings";
import type { Configuration } from "#contracts/config/configuration";
import { ok, problem, type Result } from "#domain/shared/result";
import { type SecretPlace, writtenPlace } from "#contracts/config/secret-places";
import { PermanentError } from "#ports/errors";
import type { SecretRead } from "#ports/secrets";
import { codeOf } from "./system-errors.ts";

/** The sources of secrets. */
export interface SecretSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Rejects with a system error (`code`) when the file can't be read. */
  readonly readFile: (path: string) => Promise<string>;
}

/** Reads a secret from AWS. Rejects with a TransientError when a retry may succeed. */
export type ReadInAws = (place: SecretPlace) => Promise<SecretRead>;

/** The place of a secret, and its owner. */
interface NamedSecret {
  readonly owner: string;
  readonly variable: string | undefined;
  readonly file: string | undefined;
  readonly inAws: SecretPlace | undefined;
}

/**
 * Returns the secrets of the receivers, and checks that the registries' passwords can be read. A
 * line break at the end of a file is removed.
 *
 * @throws PermanentError that lists every missing secret with its variable or file
 */
export async function resolveSecrets(
  configuration: Configuration,
  sources: SecretSources & { readonly readInAws: ReadInAws },
): Promise<readonly ReceiverSettings[]> {
  const receivers = await Promise.all(
    configuration.receivers.map(async ({ secretEnv, secretFile, secretParameter, secretId, ...receiver }) => {
      const inAws = writtenPlace(secretParameter, secretId);
      const owner = `the secret of receiver ${receiver.name}`;
      const named = { owner, variable: secretEnv, file: secretFile, inAws };
      return { ...receiver, secret: receiver.tokens === undefined ? await readSecret(named, sources) : ok(undefined) };
    }),
  );
  const passwords = await Promise.all(
    configuration.registries
      .filter(({ username }) => username !== undefined)
      .map(({ host, passwordEnv, passwordFile, passwordParameter, passwordId }) => {
        const inAws = writtenPlace(passwordParameter, passwordId);
        const owner = `the password of registry ${host}`;
        return readSecret({ owner, variable: passwordEnv, file: passwordFile, inAws }, sources);
      }),
  );
  const missing = [...receivers.map(({ secret }) => secret), ...passwords].flatMap((found) =>
    found.ok ? [] : [found.problem],
  );
  if (missing.length > 0) {
    throw new PermanentError(
      ["secrets of the configuration are missing:", ...missing.map((text) => `  ${text}`)].join("\n"),
    );
  }
  return receivers.map(({ secret, ...receiver }) => ({ ...receiver, secret: secret.ok ? secret.value : undefined }));
}

async function readSecret(
  { owner, variable, file, inAws }: NamedSecret,
  { environment, readFile, readInAws }: SecretSources & { readonly readInAws: ReadInAws },
): Promise<Result<string, string>> {
  if (inAws !== undefined) return secretInAws(owner, await readInAws(inAws));
  if (variable !== undefined) {
    const value = environment[variable];
    if (value === undefined) return problem(`the variable ${variable} is not set: it must hold ${owner}`);
    return value.trim() === "" ? problem(`the variable ${variable} is empty: it must hold ${owner}`) : ok(value);
  }
  if (file === undefined) return problem(`${owner} has no source: name a variable or a file`);
  try {
    const value = (await readFile(file)).replace(/\r?\n$/, "");
    return value.trim() === "" ? problem(`the file ${file} is empty: it must hold ${owner}`) : ok(value);
  } catch (error) {
    return problem(`the file ${file} can't be read (${codeOf(error) ?? "unknown error"}): it must hold ${owner}`);
  }
}

function secretInAws(owner: string, read: SecretRead): Result<string, string> {
  return read.kind === "secret" ? ok(read.value) : problem(`${read.why}: it must hold ${owner}`);
}
