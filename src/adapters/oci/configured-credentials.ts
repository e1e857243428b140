import { readFile } from "node:fs/promises";
import { PermanentError } from "#ports/errors";
import type { CredentialSource } from "./credentials.ts";
import { registryHost } from "./hosts.ts";

/** A credential of `lookout.yaml`, whose password is in a variable or a file. */
export interface CredentialEntry {
  /** The host in image references; `docker.io` for Docker Hub. */
  readonly host: string;
  readonly username: string;
  readonly passwordEnv?: string | undefined;
  readonly passwordFile?: string | undefined;
}

/**
 * Returns the credentials of `lookout.yaml`. Passwords are read on each use, so that changed files
 * count. A line break at the end of a password file is not part of the password.
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
    throw new PermanentError(`the credential of ${host} needs exactly one of passwordEnv and passwordFile`);
  }
  if (passwordEnv !== undefined) {
    const password = environment[passwordEnv];
    if (password !== undefined && password !== "") return password;
    throw new PermanentError(`the variable ${passwordEnv} is not set; set it to the password of ${host}`);
  }
  const file = passwordFile ?? "";
  const password = (await readText(file, `the password of ${host}`)).replace(/\r?\n$/, "");
  if (password !== "") return password;
  throw new PermanentError(`${file} is empty; write the password of ${host} into it`);
}

/** Reads a file. @throws PermanentError with the system's code and what the file should hold. */
export async function readText(file: string, expected: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new PermanentError(`${file} can't be read (${code}); it should hold ${expected}`, { cause: error });
  }
}
