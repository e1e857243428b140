import type { ReceiverSettings } from "#adapters/webhook/settings";
import type { Configuration } from "#contracts/configuration";
import { ok, problem, type Result } from "#domain/result";
import { PermanentError } from "#ports/errors";
import { codeOf } from "./process-identity.ts";

/** Where secrets and files are looked up. */
export interface SecretSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Rejects with a system error (`code`) when the file can't be read. */
  readonly readFile: (path: string) => Promise<string>;
}

/** Where one secret is kept, and whose it is. */
interface NamedSecret {
  readonly owner: string;
  readonly variable: string | undefined;
  readonly file: string | undefined;
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
  sources: SecretSources,
): Promise<readonly ReceiverSettings[]> {
  const receivers = await Promise.all(
    configuration.receivers.map(async ({ name, kind, registry, secretEnv, secretFile }) => {
      const named = { owner: `the secret of receiver ${name}`, variable: secretEnv, file: secretFile };
      return { name, kind, registry, secret: await readSecret(named, sources) };
    }),
  );
  const passwords = await Promise.all(
    configuration.registries
      .filter(({ username }) => username !== undefined)
      .map(({ host, passwordEnv, passwordFile }) =>
        readSecret({ owner: `the password of registry ${host}`, variable: passwordEnv, file: passwordFile }, sources),
      ),
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
  { owner, variable, file }: NamedSecret,
  { environment, readFile }: SecretSources,
): Promise<Result<string, string>> {
  if (variable !== undefined) {
    const value = environment[variable];
    if (value === undefined) return problem(`the variable ${variable} is not set: ${owner} is expected in it`);
    return value.trim() === "" ? problem(`the variable ${variable} is empty: ${owner} is expected in it`) : ok(value);
  }
  if (file === undefined) return problem(`${owner} is named neither by a variable nor by a file`);
  try {
    const value = (await readFile(file)).replace(/\r?\n$/, "");
    return value.trim() === "" ? problem(`the file ${file} is empty: ${owner} is expected in it`) : ok(value);
  } catch (error) {
    return problem(`the file ${file} can't be read (${codeOf(error) ?? "unknown error"}): ${owner} is expected in it`);
  }
}
