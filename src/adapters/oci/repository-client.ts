import type { RegistryRefusal, RepositoryName } from "#ports/registry";
import type { Authorizations } from "./authorizations.ts";
import { parseChallenges } from "./challenge.ts";
import type { CredentialSource } from "./credentials.ts";
import type { HttpAnswer, HttpRequest } from "./http.ts";
import { withLogin } from "./login.ts";
import type { SiteClient } from "./site-client.ts";
import { answerChallenges, denied } from "./token.ts";

/**
 * Sends an authorized request to a repository. Status 401 or 403 becomes the refusal `denied`.
 *
 * Some registries refuse HEAD, with any status. So a HEAD that is not answered with 200 is repeated
 * as a GET, and the answer is then the answer to the GET.
 */
export type AskRepository = (request: {
  readonly method: "GET" | "HEAD";
  /** The path after `/v2/<repository>/`, with its query. */
  readonly target: string;
  readonly accept: string;
  readonly limitBytes: number;
}) => Promise<HttpAnswer | RegistryRefusal>;

/**
 * Returns a client of a repository. The client caches the authorization. After a 401 the client
 * repeats the request with a new authorization.
 */
export function repositoryClient(context: {
  readonly client: SiteClient;
  readonly credentials: CredentialSource;
  readonly authorizations: Authorizations;
  readonly name: RepositoryName;
  readonly grew?: HttpRequest["grew"];
  readonly signal: AbortSignal;
}): AskRepository {
  const { client, credentials, authorizations, name, grew, signal } = context;
  const { site } = client;
  const key = `${site.host}/${name.repository}`;

  return async ({ target, ...rest }) => {
    const url = new URL(`${site.origin}/v2/${name.repository}/${target}`);
    const request = { ...rest, url, grew, signal };
    const first = await askOrGet(client, { ...request, authorization: authorizations.get(key) });
    if (first.kind !== "answer" || first.status !== 401) return unlessDenied(client, first);

    authorizations.delete(key);
    if (first.url.origin !== site.origin) {
      return denied(site, `redirects to ${first.url.host}, which asks for its own login`);
    }
    const challenges = parseChallenges(first.headers.get("www-authenticate") ?? "");
    return withLogin(site, name, credentials, async (credential) => {
      const authorization = await answerChallenges(client, credential, name, challenges, signal);
      if (authorization.kind !== "authorization") return authorization;
      const second = unlessDenied(client, await askOrGet(client, { ...request, authorization: authorization.value }));
      if (second.kind !== "denied") authorizations.set(key, authorization.value, authorization.lifetimeMs);
      return second;
    });
  };
}

/** Sends a request, and repeats a refused HEAD as a GET. Status 401 asks for a login first. */
async function askOrGet(
  client: SiteClient,
  request: Parameters<SiteClient["ask"]>[0],
): Promise<HttpAnswer | RegistryRefusal> {
  const answer = await client.ask(request);
  if (request.method === "GET" || answer.kind !== "answer" || answer.status === 200 || answer.status === 401)
    return answer;
  return client.ask({ ...request, method: "GET" });
}

function unlessDenied(client: SiteClient, answer: HttpAnswer | RegistryRefusal): HttpAnswer | RegistryRefusal {
  if (answer.kind !== "answer" || (answer.status !== 401 && answer.status !== 403)) return answer;
  return denied(client.site, `answered ${answer.status}`);
}
