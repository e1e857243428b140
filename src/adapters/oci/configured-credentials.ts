import { readFile } from "node:fs/promises";
import { PermanentError } from "#ports/errors";
import type { CredentialSource } from "./credentials.ts";
import { registryHost } from "./hosts.ts";

/** A credential of `lookout.yaml`: the password is in a variable or in a file, never in the entry. */
export interface CredentialEntry {
  /** As in image references; `docker.io` for Docker Hub. */
  readonly host: string;
  readonly username: string;
  readonly passwordEnv?: string | undefined;
  readonly passwordFile?: string | undefined;
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
