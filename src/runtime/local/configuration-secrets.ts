import type { ReceiverSettings } from "#adapters/webhook/settings";
import type { Configuration } from "#contracts/config/configuration";
import { ok, problem, type Result } from "#domain/shared/result";
import { type SecretPlace, writtenPlace } from "#contracts/config/secret-places";
import { PermanentError } from "#ports/errors";
import type { SecretRead } from "#ports/secrets";
import { codeOf } from "./system-errors.ts";

/** Where secrets and files are looked up. */
export interface SecretSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Rejects with a system error (`code`) when the file can't be read. */
  readonly readFile: (path: string) => Promise<string>;
}

/** Reads a secret that AWS keeps. Rejects with a TransientError when AWS may answer the next time. */
export type ReadInAws = (place: SecretPlace) => Promise<SecretRead>;

/** Where one secret is kept, and whose it is. */
interface NamedSecret {
  readonly owner: string;
  readonly variable: string | undefined;
  readonly file: string | undefined;
  readonly inAws: SecretPlace | undefined;
}

/**
 * Looks up the secrets of the receivers, and makes sure that the registries' passwords can be read when they are needed.
 *
 * The line break at the end of a file is not part of its secret.
 *
 * @throws PermanentError that lists every secret that is missing, by the names of variable and file.
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
    if (value === undefined) return problem(`the variable ${variable} is not set: ${owner} is expected in it`);
    return value.trim() === "" ? problem(`the variable ${variable} is empty: ${owner} is expected in it`) : ok(value);
  }
  if (file === undefined) return problem(`${owner} is named nowhere`);
  try {
    const value = (await readFile(file)).replace(/\r?\n$/, "");
    return value.trim() === "" ? problem(`the file ${file} is empty: ${owner} is expected in it`) : ok(value);
  } catch (error) {
    return problem(`the file ${file} can't be read (${codeOf(error) ?? "unknown error"}): ${owner} is expected in it`);
  }
}

function secretInAws(owner: string, read: SecretRead): Result<string, string> {
  return read.kind === "secret" ? ok(read.value) : problem(`${read.why}; ${owner} is expected in it`);
}
