import type { RegistryRefusal, RepositoryName } from "#ports/registry";
import type { Challenge } from "./challenge.ts";
import { parseObject } from "../shared/image-content.ts";
import type { Credential } from "./credentials.ts";
import type { RegistrySite } from "./hosts.ts";
import { mayHoldCredential, reachOf } from "./hosts.ts";
import type { HttpAnswer } from "./http.ts";
import type { SiteClient } from "./site-client.ts";

/** The value of an `Authorization` header, and its lifetime. */
export interface Authorization {
  readonly kind: "authorization";
  readonly value: string;
  readonly lifetimeMs: number;
}

type Denied = Extract<RegistryRefusal, { kind: "denied" }>;

const tokenLimitBytes = 1024 * 1024;
/**
 * The lifetime of a token whose service states no lifetime. @see
 * https://distribution.github.io/distribution/spec/auth/token/
 */
const defaultLifetimeSeconds = 60;
const longestLifetimeSeconds = 60 * 60;
/**
 * The lifetime of a password's authorization. After this time, Lookout reads the password again.
 */
const basicLifetimeMs = 60_000;

/**
 * Returns the authorization for a registry's challenge: a token of its token service, else the
 * user's name and password. An anonymous token needs no credential.
 *
 * The result is `denied` if a required password is missing, or if the token service may not receive
 * the credential.
 */
export async function answerChallenges(
  client: SiteClient,
  credential: Credential | undefined,
  name: RepositoryName,
  challenges: readonly Challenge[],
  signal: AbortSignal,
): Promise<Authorization | RegistryRefusal> {
  const { site } = client;
  const bearer = challenges.find(({ scheme }) => scheme === "bearer");
  const basic = challenges.find(({ scheme }) => scheme === "basic");
  if (bearer === undefined && basic === undefined)
    return denied(site, "asks for an unknown kind of login: Lookout supports Bearer and Basic");
  if (bearer !== undefined) return await askForToken(client, name, bearer, credential, signal);
  return basicOf(site, credential);
}

/** Returns the refusal of a registry that denies access. */
export function denied(site: RegistrySite, what: string): Denied {
  return { kind: "denied", detail: `${site.host} ${what}` };
}

function basicOf(site: RegistrySite, credential: Credential | undefined): Authorization | RegistryRefusal {
  if (credential === undefined)
    return denied(site, "asks for a user name and password, and no credential is configured");
  if ("token" in credential) return denied(site, "asks for a user name and password, and only a token is configured");
  return { kind: "authorization", value: basicHeader(credential), lifetimeMs: basicLifetimeMs };
}

function basicHeader({ username, password }: { readonly username: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}`;
}

async function askForToken(
  client: SiteClient,
  name: RepositoryName,
  challenge: Challenge,
  credential: Credential | undefined,
  signal: AbortSignal,
): Promise<Authorization | RegistryRefusal> {
  const { site } = client;
  const realm = challenge.parameters.get("realm") ?? "";
  if (!URL.canParse(realm)) return denied(site, "names an invalid token service");
  const url = new URL(realm);
  url.hash = "";
  const reach = reachOf(site, url);
  if (reach === "never")
    return denied(
      site,
      `names a token service that is not allowed: ${url.protocol}//${url.host}; to allow the host, add it to tokenHosts of the registry's entry in lookout.yaml`,
    );
  if (credential !== undefined && !mayHoldCredential(site, url)) {
    return denied(
      site,
      `has its token service at ${url.host}, which may not receive its credential: add the host to tokenHosts`,
    );
  }

  const scope = challenge.parameters.get("scope") ?? `repository:${name.repository}:pull`;
  const answer = await client.send({
    ...tokenRequest(url, challenge.parameters.get("service"), scope, credential),
    reach,
    limitBytes: tokenLimitBytes,
    signal,
  });
  return answer.kind === "answer" ? tokenOf(site, answer) : answer;
}

/**
 * Returns the request for a token. Lookout sends a password by GET, and an identity token by POST.
 *
 * @see https://distribution.github.io/distribution/spec/auth/oauth/
 */
function tokenRequest(url: URL, service: string | undefined, scope: string, credential: Credential | undefined) {
  if (credential !== undefined && "token" in credential) {
    const form = new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: credential.token,
      client_id: "lookout",
      ...(service === undefined ? {} : { service }),
      scope,
    });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return { method: "POST", url, headers, body: form.toString() } as const;
  }
  const asked = new URL(url);
  if (service !== undefined) asked.searchParams.set("service", service);
  for (const part of scope.split(" ").filter((text) => text !== "")) asked.searchParams.append("scope", part);
  return { method: "GET", url: asked, headers: credential ? { authorization: basicHeader(credential) } : {} } as const;
}

function tokenOf(site: RegistrySite, answer: HttpAnswer): Authorization | RegistryRefusal {
  const service = `the token service ${answer.url.host} of ${site.host}`;
  if (answer.status >= 300 && answer.status < 400) {
    return {
      kind: "unreachable",
      detail: `${service} answered ${answer.status}, and Lookout does not follow its redirects`,
    };
  }
  if (answer.status !== 200) return { kind: "denied", detail: `${service} answered ${answer.status}` };
  const document = parseObject(answer.content);
  const token = [document?.["token"], document?.["access_token"]].find((value) => typeof value === "string" && value);
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) {
    return { kind: "unreachable", detail: `${service} answered without a token` };
  }
  return { kind: "authorization", value: `Bearer ${token}`, lifetimeMs: lifetimeOf(document?.["expires_in"]) };
}

/**
 * Returns nine tenths of a token's lifetime in milliseconds, so that no token expires during a
 * request.
 */
function lifetimeOf(expiresIn: unknown): number {
  const seconds = typeof expiresIn === "number" && expiresIn > 0 ? expiresIn : defaultLifetimeSeconds;
  return Math.min(seconds, longestLifetimeSeconds) * 900;
}
