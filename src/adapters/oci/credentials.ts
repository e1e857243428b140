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
