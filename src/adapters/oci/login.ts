import { isDeepStrictEqual } from "node:util";
import { PermanentError, TransientError } from "#ports/errors";
import type { RegistryRefusal, RepositoryName } from "#ports/registry";
import type { Credential, CredentialSource } from "./credentials.ts";
import type { RegistrySite } from "./hosts.ts";

/** A login. `why` is the reason for a missing credential. */
interface Login {
  readonly kind: "login";
  readonly credential: Credential | undefined;
  readonly why?: string;
}

/**
 * Runs an attempt with the registry's credential. A denied attempt is repeated once if a fresh read
 * gives another credential. The refusal after the second denial names the credential's source.
 *
 * A transient error of the credential's source gives `unreachable`, and a permanent error gives
 * `denied`.
 */
export async function withLogin<Answer extends { readonly kind: string }>(
  site: RegistrySite,
  { repository }: RepositoryName,
  credentials: CredentialSource,
  attempt: (credential: Credential | undefined) => Promise<Answer | RegistryRefusal>,
): Promise<Answer | RegistryRefusal> {
  const login = await loginFor(site, repository, credentials, false);
  if (login.kind !== "login") return login;
  const first = await attempt(login.credential);
  if (!isDenied(first)) return first;
  const other = await loginFor(site, repository, credentials, true);
  if (other.kind !== "login") return other;
  const last = isDeepStrictEqual(other.credential, login.credential) ? first : await attempt(other.credential);
  const from = other.credential?.from;
  const about = other.why ?? (from === undefined ? undefined : `the credential is from ${from}`);
  return isDenied(last) && about !== undefined ? { ...last, detail: `${last.detail}; ${about}` } : last;
}

async function loginFor(
  site: RegistrySite,
  repository: string,
  credentials: CredentialSource,
  afresh: boolean,
): Promise<Login | RegistryRefusal> {
  try {
    const found = await credentials(site.host, repository, afresh);
    if (found !== undefined && "none" in found) return { kind: "login", credential: undefined, why: found.none };
    return { kind: "login", credential: found };
  } catch (error) {
    if (!(error instanceof PermanentError || error instanceof TransientError)) throw error;
    const kind = error instanceof PermanentError ? "denied" : "unreachable";
    return { kind, detail: `${site.host} asks for a login: ${error.message}` };
  }
}

function isDenied(answer: { readonly kind: string }): answer is Extract<RegistryRefusal, { kind: "denied" }> {
  return answer.kind === "denied";
}
