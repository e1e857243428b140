import { readFile } from "node:fs/promises";
import { PermanentError } from "#ports/errors";
import type { SecretRead } from "#ports/secrets";
import { registryHost } from "./hosts.ts";

/** What proves to a registry who asks: a user's password, or an identity token that its token service exchanges. */
export type Credential = ({ readonly username: string; readonly password: string } | { readonly token: string }) & {
  /** Who gave it, for people; absent: nobody needs to be told. */
  readonly from?: string;
};

/** There is no credential although one could be expected, and why: for people, should the registry let nobody in. */
export interface NoCredential {
  readonly none: string;
}

/**
 * Answers the credential that is bound to a registry, asked for every token; `undefined` to ask without one.
 *
 * @param afresh - true: the last answer was refused, so that a remembered one is of no use.
 * @throws PermanentError naming the file, variable or program that gives none, and what is expected; TransientError when it may be better
 * the next time.
 */
export type CredentialSource = (
  host: string,
  repository: string,
  afresh: boolean,
) => Promise<Credential | NoCredential | undefined>;

/** A credential of `lookout.yaml`: the password is in a variable or in a file, never in the entry. */
export interface CredentialEntry {
  /** As in image references; `docker.io` for Docker Hub. */
  readonly host: string;
  readonly username: string;
  readonly passwordEnv?: string | undefined;
  readonly passwordFile?: string | undefined;
}

/** Asks the sources in their order; the first that knows anything of the host counts. */
export function firstCredential(...sources: readonly CredentialSource[]): CredentialSource {
  return async (host, repository, afresh) => {
    for (const source of sources) {
      const credential = await source(host, repository, afresh);
      if (credential !== undefined) return credential;
    }
    return undefined;
  };
}

/**
 * Answers the credentials of `lookout.yaml`. Passwords are read when they are needed, so that a changed file is seen.
 *
 * A password file may end with a line break, which is not part of the password.
 */
export function configuredCredentials(
  entries: readonly CredentialEntry[],
  environment: Readonly<Record<string, string | undefined>>,
): CredentialSource {
  return async (host) => {
    const entry = entries.find((candidate) => registryHost(candidate.host) === registryHost(host));
    if (entry === undefined) return undefined;
    const from = `the entry of ${entry.host} in lookout.yaml`;
    return { username: entry.username, password: await passwordOf(entry, environment), from };
  };
}

/**
 * Answers the credentials of `lookout.yaml` whose passwords are kept elsewhere; `passwordOf` reads one, each time it is needed.
 *
 * An entry without a user has none.
 */
export function keptCredentials<Entry extends { readonly host: string; readonly username?: string }>(
  entries: readonly Entry[],
  passwordOf: (entry: Entry) => Promise<SecretRead>,
): CredentialSource {
  return async (host) => {
    const entry = entries.find((candidate) => registryHost(candidate.host) === registryHost(host));
    if (entry?.username === undefined) return undefined;
    const password = await passwordOf(entry);
    if (password.kind === "missing")
      throw new PermanentError(`${password.why}; the password of ${entry.host} is expected in it`);
    return { username: entry.username, password: password.value, from: `the entry of ${entry.host} in lookout.yaml` };
  };
}

async function passwordOf(
  entry: CredentialEntry,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const { host, passwordEnv, passwordFile } = entry;
  if ((passwordEnv === undefined) === (passwordFile === undefined)) {
    throw new PermanentError(`the credential of ${host} needs either passwordEnv or passwordFile, and not both`);
  }
  if (passwordEnv !== undefined) {
    const password = environment[passwordEnv];
    if (password !== undefined && password !== "") return password;
    throw new PermanentError(`the variable ${passwordEnv} is not set; the password of ${host} is expected in it`);
  }
  const file = passwordFile ?? "";
  const password = (await readText(file, `the password of ${host}`)).replace(/\r?\n$/, "");
  if (password !== "") return password;
  throw new PermanentError(`${file} is empty; the password of ${host} is expected in it`);
}

/** @throws PermanentError with the system's code, and without content. */
export async function readText(file: string, expected: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new PermanentError(`${file} can't be read (${code}); ${expected} is expected in it`, { cause: error });
  }
}
