import { PermanentError } from "#ports/errors";
import type { SecretRead } from "#ports/secrets";
import { entriesOf } from "#domain/registry/host";
import { servingEntry } from "#domain/workload/registry-rules";

/**
 * A credential: a user's password, or an identity token that the registry's token service
 * exchanges.
 */
export type Credential = ({ readonly username: string; readonly password: string } | { readonly token: string }) & {
  /** The credential's source, for messages. */
  readonly from?: string;
};

/**
 * A missing credential. `none` is the reason. The message shows the reason when the registry
 * demands a credential.
 */
export interface NoCredential {
  readonly none: string;
}

/**
 * Returns the credential of a registry for a token request. Undefined if the request has no
 * credential.
 *
 * @param afresh - whether the registry rejected the last credential, so that caches are skipped.
 * @throws PermanentError that names the file, variable or program at fault and its remedy.
 * @throws TransientError when a retry may help.
 */
export type CredentialSource = (
  host: string,
  repository: string,
  afresh: boolean,
) => Promise<Credential | NoCredential | undefined>;

/**
 * Returns a source that tries other sources in order. The function returns the first answer for the
 * host.
 */
export function firstCredential(...sources: readonly CredentialSource[]): CredentialSource {
  return async (host, repository, afresh) => {
    for (const source of sources) {
      const credential = await source(host, repository, afresh);
      if (credential !== undefined) return credential;
    }
    return undefined;
  };
}

interface CredentialEntry {
  readonly host: string;
  readonly repositories?: readonly string[];
  readonly username?: string;
}

/**
 * Returns the credentials of `lookout.yaml`. Passwords are read on each use, so that a changed file
 * takes effect immediately. An entry without a user has no credential. A repository that no entry
 * of its host serves has no credential either.
 */
export function configuredCredentials<Entry extends CredentialEntry>(
  entries: readonly Entry[],
  passwordOf: (entry: Entry) => Promise<SecretRead>,
): CredentialSource {
  return async (host, repository) => {
    const entry = servingEntry(entries, { registry: host, repository });
    if (entry === undefined && entriesOf(entries, host).length > 0)
      return { none: `no entry of ${host} in lookout.yaml serves ${repository}, so Lookout sends no credential` };
    if (entry?.username === undefined) return undefined;
    const password = await passwordOf(entry);
    if (password.kind === "missing")
      throw new PermanentError(`${password.why}; it must hold the password of registry ${entry.host}`);
    return { username: entry.username, password: password.value, from: `the entry of ${entry.host} in lookout.yaml` };
  };
}
