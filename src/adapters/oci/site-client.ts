import type { RegistryRefusal } from "#ports/registry";
import type { SendHttp } from "../shared/http-send.ts";
import type { Reach, RegistrySite } from "./hosts.ts";
import { reachOf } from "./hosts.ts";
import type { HttpAnswer, HttpRequest } from "./http.ts";
import { exchange, unreachable } from "./http.ts";

const mostRedirects = 3;
const redirects = new Set([301, 302, 303, 307, 308]);

type SiteRequest = Omit<HttpRequest, "send"> & { readonly reach: Exclude<Reach, "never"> };

/** A client of one registry, and of the hosts that it names. */
export interface SiteClient {
  readonly site: RegistrySite;
  /** Sends one request without following redirects. */
  send(request: SiteRequest): Promise<HttpAnswer | RegistryRefusal>;
  /**
   * Sends a request and follows redirects. Only the registry's own origin receives the
   * authorization.
   */
  ask(
    request: Pick<HttpRequest, "url" | "limitBytes" | "grew" | "signal"> & {
      readonly method: "GET" | "HEAD";
      readonly accept: string;
      readonly authorization: string | undefined;
    },
  ): Promise<HttpAnswer | RegistryRefusal>;
}

/**
 * The senders of requests: `own` for the registry and its token hosts, `open` for other hosts that
 * a server names.
 */
export interface Senders {
  readonly own: SendHttp;
  readonly open: SendHttp;
}

/** Returns a client of a registry. */
export function siteClient(site: RegistrySite, senders: Senders, timeoutMs: number): SiteClient {
  const send: SiteClient["send"] = async ({ reach, ...request }) => {
    const answer = await exchange({ ...request, send: reach === "own" ? senders.own : senders.open }, timeoutMs);
    if (answer.kind === "unreachable" && answer.reason === "registry-not-trusted") {
      const setting = `caFile or caParameter of an entry of ${site.host} in lookout.yaml`;
      return { ...answer, detail: `${answer.detail}; to trust another authority, set ${setting}` };
    }
    if (answer.kind !== "not-allowed") return answer;
    const key = reach === "own" ? "allowPrivateNetwork" : "tokenHosts and allowPrivateNetwork";
    return {
      ...answer,
      detail: `${answer.detail}; to allow the address, set ${key} in an entry of ${site.host} in lookout.yaml`,
    };
  };

  const ask: SiteClient["ask"] = async ({ accept, authorization, ...request }) => {
    let url = request.url;
    for (let followed = 0; followed <= mostRedirects; followed++) {
      const reach = reachOf(site, url);
      if (reach === "never") return refusedRedirect(site, url);
      const own = url.origin === site.origin && authorization !== undefined;
      const headers = { accept, ...(own ? { authorization } : {}) };
      const answer = await send({ ...request, url, reach, headers });
      if (answer.kind !== "answer" || !redirects.has(answer.status)) return answer;
      const location = answer.headers.get("location");
      if (location === undefined || !URL.canParse(location, url.href)) {
        return unreachable(url, `answered ${answer.status} without a location`);
      }
      url = new URL(location, url.href);
    }
    return unreachable(request.url, `redirects more than ${mostRedirects} times`);
  };
  return { site, send, ask };
}

/**
 * Returns the refusal of a redirect. The refusal names the setting that allows the redirect, and
 * omits a password in the URL.
 */
function refusedRedirect(site: RegistrySite, url: URL): RegistryRefusal {
  const detail = `${site.host} redirects to a host that is not allowed: ${url.protocol}//${url.host}; ${remedyOf(site, url)}`;
  return { kind: "not-allowed", detail };
}

function remedyOf(site: RegistrySite, url: URL): string {
  const entry = `an entry of ${site.host} in lookout.yaml`;
  if (url.username + url.password !== "") return "Lookout follows no URL with a user";
  if (site.settings?.proxy !== undefined) return `behind its proxy, add the host to tokenHosts of ${entry}`;
  if (url.protocol === "https:" || (url.protocol === "http:" && site.insecure))
    return `to allow the host, set tokenHosts and allowPrivateNetwork in ${entry}`;
  return url.protocol === "http:" ? `to allow HTTP, set insecure in ${entry}` : "Lookout follows only HTTPS and HTTP";
}
